import { existsSync, globSync } from "node:fs"
import { availableParallelism } from "node:os"
import { configDefaults, defineConfig } from "vitest/config"
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

/**
 * What `npm run test:long` runs and `npm test` leaves out, so that it ends within minutes: drills with servers of their own, days of campaigns, soaks,
 * the explorer of interleavings, whole runs of the suite, and the engine once more on other storages and runtimes. The longest first.
 */
const long = [
  "docs/test/Failover",
  "benchmarks/test/carriers/CarrierDay",
  "conformance/test/engine/Whole",
  "conformance/test/engine/OnPostgres",
  "conformance/test/engine/Reach",
  "benchmarks/test/fleet/CampaignDay",
  "packages/core/test/interleavings/Interleavings",
  "simulator/test/soak/WorldSoak",
  "docs/test/FullDisk",
  "packages/postgres/test/Pglite",
  "simulator/test/soak/Relapses",
  "conformance/test/hostile/Hostile",
  "packages/http/test/contract/Fuzz",
  "docs/test/Mounts",
  "conformance/test/reference/Reference",
  "packages/postgres/test/Races",
  "simulator/test/dashboard/InBrowser",
  "simulator/test/soak/Determinism",
  "packages/postgres/test/Upgrade",
  "conformance/test/chameleons/Chameleons",
  "packages/postgres/test/Endings",
  "packages/postgres/test/Crash",
  "conformance/test/strength/Strength",
  "packages/core/test/dispatch/Crowded",
  "packages/http/test/Forgotten",
  "simulator/test/Knowledge",
  "simulator/test/storage/Restored",
  "packages/postgres/test/Verification",
  "packages/core/test/contacts/BusyNumbers",
  "packages/core/test/dispatch/FinishEstimate",
  "simulator/test/soak/FleetSoak",
  "docs/test/ReturningCarrier",
  "conformance/test/engine/AnyHour",
  "packages/postgres/test/Portable",
  "packages/http/test/Portable",
  "docs/test/Runbook",
  "packages/postgres/test/CallCounts",
  "packages/postgres/test/Plans",
  "packages/postgres/test/OddIds",
  "packages/core/test/campaigns/Between",
  "simulator/test/storage/Durable",
  "conformance/test/engine/OnPglite",
  "packages/redis/test/Engines",
  "simulator/test/invariants/Standings",
  "packages/redis/test/Faults",
  "simulator/test/counters/Redis",
  "simulator/test/soak/TwoStores",
  "simulator/test/vendors/Vendors",
  "docs/test/UnheardEnds",
  "conformance/test/run/Repeatable",
  "docs/test/Production",
  "docs/test/Outage",
  "docs/test/Runtimes",
  "packages/server/test/Server",
  "packages/core/test/intake/JsonContacts",
  "packages/http/test/Forged",
  "simulator/test/server/ReferenceSamples",
  "packages/client/test/Portable",
  "packages/postgres/test/CallerIds",
  "packages/postgres/test/KnowledgePieces",
  "packages/postgres/test/Retention",
  "packages/postgres/test/reads/LongLists",
  "docs/test/VoiceWorker",
  "packages/core/test/webhooks/Storm",
]

/** What else takes ten seconds or more, the longest first: nobody waits for one last long file while the other cores rest. */
const longestOfTheRest = [
  "simulator/test/soak/Neighbours",
  "packages/postgres/test/Postgres",
  "packages/core/test/dispatch/Dispatcher",
  "simulator/test/cli/Main",
  "packages/core/test/engine/Faults",
  "packages/core/test/engine/Wakeups",
  "packages/client/test/Nulls",
  "packages/knowledge-node/test/NodeTextExtractor",
]

const everyFile = roots.map((root) => `${root}/test/**/*.test.ts`)
const longFiles = long.map((file) => `${file}.test.ts`)
const isLongRun = process.argv.includes("long")
/** Who names a file or its folder wants it run, whichever part it is of. */
const named = process.argv.slice(3).filter((word) => word.includes("/") && !word.startsWith("-"))
const isNamed = (file: string): boolean => named.some((word) => file.includes(word.replace(/^\.\//, "")))
const inOrder = [...long, ...longestOfTheRest].map((file) => `${import.meta.dirname}/${file}.test.ts`)

class LongFilesFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const place = ({ moduleId }: TestSpecification) =>
      inOrder.includes(moduleId) ? inOrder.indexOf(moduleId) : inOrder.length
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
    setupFiles: ["scripts/property-seed.ts", "scripts/left-behind.ts"],
    // A run takes one of them: what test files import is compiled once, and loaded once by each worker.
    projects: [
      {
        extends: true,
        test: {
          name: "short",
          include: everyFile,
          exclude: [...configDefaults.exclude, ...longFiles.filter((file) => !isNamed(file))],
        },
      },
      { extends: true, test: { name: "long", include: longFiles.filter((file) => isLongRun || !isNamed(file)) } },
    ],
  },
})
