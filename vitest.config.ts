import { existsSync, globSync } from "node:fs"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type Reporter, type TestSpecification } from "vitest/node"

const source = { conditions: ["@carillon/source"] }

const roots = [...globSync("packages/*"), "simulator", "conformance", "benchmarks", "docs", "scripts"].filter((root) =>
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

/** What a test needs and this machine has not is told again at the very end, where it cannot be overlooked. */
const notAvailable: Reporter = {
  onTestRunEnd: (modules) => {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (test.name.startsWith("cannot be run: "))
          console.log(`\nNOT TESTED  ${module.relativeModuleId} ${test.name}`)
      }
    }
  },
}

/** What takes ten seconds or more comes first, so that nobody waits for one last long file while the other cores rest. */
const long = [
  "conformance/test/engine/Reach",
  "benchmarks/test/carriers/CarrierDay",
  "benchmarks/test/fleet/CampaignDay",
  "simulator/test/soak/Relapses",
  "conformance/test/hostile/Hostile",
  "packages/postgres/test/Pglite",
  "packages/postgres/test/Postgres",
  "simulator/test/soak/WorldSoak",
  "packages/postgres/test/Upgrade",
  "packages/http/test/contract/Fuzz",
  "packages/postgres/test/Races",
  "simulator/test/dashboard/InBrowser",
  "docs/test/Runbook",
  "packages/core/test/interleavings/Interleavings",
  "simulator/test/soak/Determinism",
  "packages/postgres/test/Plans",
  "docs/test/Mounts",
  "simulator/test/storage/Durable",
  "conformance/test/engine/Whole",
].map((file) => `${import.meta.dirname}/${file}.test.ts`)

class LongFilesFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => long.includes(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    // No module of ours holds state, so files can share what they import: less than half the time.
    isolate: false,
    // Many of the longest files wait for servers and for each other, so four run side by side even where there are only two cores.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    sequence: { sequencer: LongFilesFirst },
    // Nothing here asserts a time: the limit only ends what hangs, however busy the machine is.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: [
      "default",
      ...(process.env["GITHUB_ACTIONS"] === "true" ? ["github-actions"] : []),
      somethingRan,
      notAvailable,
    ],
    // One project: what test files import is compiled once, and loaded once by each worker.
    include: roots.map((root) => `${root}/test/**/*.test.ts`),
    setupFiles: ["scripts/property-seed.ts", "scripts/left-behind.ts"],
  },
})
