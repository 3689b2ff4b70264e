import { existsSync, globSync } from "node:fs"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type Reporter, type TestSpecification } from "vitest/node"
import { notTested } from "./scripts/NotTested.ts"

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

/** What takes ten seconds or more, the longest first: nobody waits for one last long file while the other cores rest. */
const long = [
  "benchmarks/test/carriers/CarrierDay",
  "benchmarks/test/fleet/CampaignDay",
  "conformance/test/engine/Reach",
  "conformance/test/engine/Whole",
  "simulator/test/soak/Relapses",
  "packages/postgres/test/Postgres",
  "simulator/test/soak/WorldSoak",
  "conformance/test/hostile/Hostile",
  "conformance/test/engine/OnPostgres",
  "packages/postgres/test/Plans",
  "packages/postgres/test/Pglite",
  "docs/test/Failover",
  "docs/test/Runbook",
  "docs/test/FullDisk",
  "simulator/test/dashboard/InBrowser",
  "packages/core/test/interleavings/Interleavings",
  "packages/postgres/test/Races",
  "conformance/test/chameleons/Chameleons",
  "docs/test/Mounts",
  "packages/http/test/contract/Fuzz",
  "simulator/test/storage/Durable",
  "conformance/test/run/Repeatable",
  "packages/redis/test/Engines",
  "simulator/test/soak/Neighbours",
  "conformance/test/engine/OnPglite",
  "conformance/test/reference/Reference",
  "conformance/test/engine/AnyHour",
  "packages/postgres/test/Upgrade",
  "packages/postgres/test/Endings",
  "packages/postgres/test/Crash",
  "simulator/test/server/ReferenceSamples",
  "docs/test/Outage",
  "simulator/test/soak/Determinism",
  "simulator/test/storage/Restored",
  "docs/test/Production",
].map((file) => `${import.meta.dirname}/${file}.test.ts`)

class LongFilesFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const place = ({ moduleId }: TestSpecification) => (long.includes(moduleId) ? long.indexOf(moduleId) : long.length)
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  test: {
    // No module of ours holds state, so files can share what they import: less than half the time.
    isolate: false,
    // Node runs our sources as they are, here as everywhere else: nothing is transformed, and no import goes through a proxy.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ["--conditions=@carillon/source"],
    // Many of the longest files wait for servers and for each other, so five run side by side even where there are only two cores.
    maxWorkers: Math.max(5, availableParallelism() - 1),
    sequence: { sequencer: LongFilesFirst },
    // Nothing here asserts a time: the limit only ends what hangs, however busy the machine is.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Nor does it mean anything how long a worker takes to leave.
    teardownTimeout: 180_000,
    reporters: [
      "default",
      ...(process.env["GITHUB_ACTIONS"] === "true" ? ["github-actions"] : []),
      somethingRan,
      notTested,
    ],
    // One project: what test files import is compiled once, and loaded once by each worker.
    include: roots.map((root) => `${root}/test/**/*.test.ts`),
    setupFiles: ["scripts/property-seed.ts", "scripts/left-behind.ts"],
  },
})
