import { existsSync, globSync } from "node:fs"
import { defineConfig } from "vitest/config"
import type { Reporter } from "vitest/node"
import { findBrowser } from "./scripts/browser.ts"

const source = { conditions: ["@carillon/source"] }

const roots = [...globSync("packages/*"), "simulator", "conformance", "docs", "scripts"].filter((root) =>
  existsSync(`${root}/test`),
)

/** A run in which every test was filtered out or skipped has shown nothing, so it fails. */
const somethingRan: Reporter = {
  onTestRunEnd: (modules) => {
    const ran = modules.some((module) =>
      [...module.children.allTests()].some((test) => test.result().state !== "skipped"),
    )
    if (!ran) process.exitCode = 1
  },
}

/** What could not be tested for want of a browser is told last, where nobody can miss it. */
const missingBrowser: Reporter = {
  onTestRunEnd: (modules) => {
    const inBrowser = modules.filter(({ moduleId }) => moduleId.endsWith("InBrowser.test.ts"))
    const untested = inBrowser.flatMap((module) => [...module.children.allTests("skipped")])
    if (untested.length === 0 || findBrowser() !== null) return
    console.error(
      `\nNOT TESTED: ${untested.length} tests of the dashboard were skipped, because there is no Chromium here.\n` +
        "            `npm run browser` installs one; CARILLON_BROWSER names one that is elsewhere.",
    )
  },
}

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    // No module of ours holds state, so files can share what they import: less than half the time.
    isolate: false,
    // Nothing here asserts a time: the limit only ends what hangs, however busy the machine is.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: [
      "default",
      ...(process.env["GITHUB_ACTIONS"] === "true" ? ["github-actions"] : []),
      somethingRan,
      missingBrowser,
    ],
    projects: roots.map((root) => ({
      extends: true as const,
      test: {
        name: root,
        root,
        setupFiles: [`${import.meta.dirname}/scripts/property-seed.ts`],
        include: ["test/**/*.test.ts"],
      },
    })),
  },
})
