// Judges the engine by the whole conformance suite, extensions included, on each engine of production that can be had here: in memory, on PGlite, on PostgreSQL, and on
// PostgreSQL and Redis. Prints a table; what does not hold is named, and makes the exit code 1.
import { runConformance } from "@carillon/conformance"
import { Simulator, type SimulatorOptions } from "@carillon/simulator"
import { startPostgres } from "./servers/PostgresServer.ts"
import { RedisServer } from "./servers/RedisServer.ts"

const url = "http://simulator.test"

const [postgres, redis] = await Promise.all([startPostgres(), RedisServer.open()])
const rows =
  typeof postgres === "string" ? null : (`postgres://${postgres.url().replace(/^postgres:\/\//, "")}` as const)
const counters = redis === null ? null : (`redis://127.0.0.1:${redis.port}` as const)

const worlds: ReadonlyArray<readonly [name: string, world: SimulatorOptions | null]> = [
  ["memory", {}],
  ["memory, counters on Redis", counters === null ? null : { counters }],
  ["PGlite", { storage: "pglite:memory://", counters: "pglite:memory://" }],
  ["PostgreSQL", rows === null ? null : { storage: rows, counters: rows }],
  ["PostgreSQL and Redis", rows === null || counters === null ? null : { storage: rows, counters }],
]

const wanted = process.argv.slice(2)

try {
  for (const [name, world] of worlds) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    if (world === null) {
      console.log(`NOT RUN  ${name}: ${typeof postgres === "string" ? postgres : "no redis-server can be had here"}`)
      continue
    }
    const began = performance.now()
    const simulator = await Simulator.start({ clock: "manual", ...world })
    try {
      // Rows of the world that was judged before are not its own.
      if (world.storage !== undefined)
        await simulator.fetch(new Request(`${url}/_sim/reset`, { method: "POST", body: "{}" }))
      const { key } = simulator.info
      const report = await runConformance({
        baseUrl: url,
        controlUrl: url,
        key,
        fetch: simulator.fetch,
        profile: "carillon",
        extensions: true,
      })
      const broken = report.cases.filter(({ verdict }) => !["pass", "note", "xfail"].includes(verdict))
      const invariants: unknown = await (await simulator.fetch(new Request(`${url}/_sim/invariants`))).json()
      const { violations }: { readonly violations?: ReadonlyArray<unknown> } = Object(invariants)
      const seconds = ((performance.now() - began) / 1_000).toFixed(0)
      console.log(
        `${name}: ${report.cases.length - broken.length} of ${report.cases.length} cases hold, ${violations?.length} violations, ${seconds} s`,
      )
      for (const { checks, id, reason } of broken) {
        console.log(`  ${id}: ${reason ?? ""}`)
        for (const check of checks)
          if (check.verdict !== "pass") console.log(`    ${check.id}: ${check.expected} / ${check.got}`)
      }
      if (broken.length > 0 || violations?.length !== 0) process.exitCode = 1
    } finally {
      await simulator.close()
    }
  }
} finally {
  if (typeof postgres !== "string") await postgres.stop()
  await redis?.close()
}
