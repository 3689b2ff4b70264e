import { Postgres } from "@carillon/postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Measured, Run } from "../Harness.ts"
import { columns, spansChart } from "../Report.ts"
import { createDatabase, startPostgres } from "../servers/PostgresServer.ts"
import { grow } from "../size/Grown.ts"
import { questions } from "../size/Questions.ts"
import { openTenant, startEngine, type Tenant } from "../size/Tenant.ts"
import { percentile } from "../Statistics.ts"

const few = 10_000
const many = Number(process.env.BENCH_CALLS ?? 1_000_000)
const warmUp = 20
const rounds = 400
/** Contacts of a campaign, and how many campaigns are dispatched for each. */
const contacts = 300
const campaigns = 4
const dayMs = 24 * 60 * 60 * 1_000
/** The calls lie this far back, evenly. */
const spreadMs = 90 * dayMs

interface Row {
  readonly name: string
  readonly few: { readonly p50: number; readonly p99: number }
  readonly many: { readonly p50: number; readonly p99: number }
}

/** Asks one and then the other, so that a noisy moment hits both. */
const side = async (
  name: string,
  tenants: readonly [Tenant, Tenant],
  ask: (tenant: Tenant, nth: number) => Promise<unknown>,
  times: number,
) => {
  const took: readonly [Array<number>, Array<number>] = [[], []]
  for (let nth = -Math.min(warmUp, times); nth < times; nth++) {
    for (const which of nth % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const begun = performance.now()
      await ask(tenants[which], Math.abs(nth))
      if (nth >= 0) took[which].push(performance.now() - begun)
    }
  }
  const [a, b] = took.map((times) => ({ p50: percentile(times, 0.5), p99: percentile(times, 0.99) }))
  const none = { p50: Number.NaN, p99: Number.NaN }
  return { name, few: a ?? none, many: b ?? none } satisfies Row
}

const ms = (value: number): string => `${value.toFixed(1)} ms`

const table = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const header = ["", `${few} calls: p50`, "p99", `${many} calls: p50`, "p99", "p50 against", "p99 against"]
  const lines = rows.map(({ few, many, name }) => [
    name,
    ms(few.p50),
    ms(few.p99),
    ms(many.p50),
    ms(many.p99),
    `${(many.p50 / few.p50).toFixed(2)} ×`,
    `${(many.p99 / few.p99).toFixed(2)} ×`,
  ])
  return columns(header, lines)
}

const grown = (url: string, tenants: readonly [Tenant, Tenant]) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe("set statement_timeout = 0")
    const to = Date.now()
    const partOf = (nth: number) => ({ calls: nth === 0 ? few : many, from: to - spreadMs, to })
    yield* grow(
      tenants.map(({ executionIds, organization_id }, nth) => ({
        executionIds,
        organization_id,
        parts: [partOf(nth)],
      })),
    )
  }).pipe(Effect.provide(Postgres.layerClient({ url: Redacted.make(url), maxConnections: 1 })), Effect.runPromise)

/** How large an organization may be before it is felt: all that is asked for of one with few calls and of one with many, in one database. */
export const size: Run = {
  name: "size",
  question: `What does an organization with ${many} calls wait longer for than one with ${few}?`,
  run: async (): Promise<Measured | string> => {
    const server = await startPostgres()
    if (server === null) return "there is no PostgreSQL"
    const url = await createDatabase(server, "size")
    const carillon = await startEngine(url)
    try {
      const tenants = [await openTenant(carillon, "Few"), await openTenant(carillon, "Many")] as const
      const begun = performance.now()
      await grown(url, tenants)
      process.stdout.write(`  ${few} and ${many} calls after ${((performance.now() - begun) / 1_000).toFixed(0)} s\n`)
      const rows: Array<Row> = []
      for (const { name, request } of questions) {
        const asked = (tenant: Tenant, nth: number) => {
          const { body, method, target } = request(tenant, nth)
          return tenant.ask(method, target, body)
        }
        rows.push(await side(name, tenants, asked, rounds))
      }
      rows.push(await side(`a campaign of ${contacts}`, tenants, ({ dispatch }) => dispatch(contacts), campaigns))
      const spans = rows.flatMap(({ few: small, many: large, name }) => [
        { name: `${name}, ${few}`, median: small.p50, p95: small.p99, most: small.p99 },
        { name: `${name}, ${many}`, median: large.p50, p95: large.p99, most: large.p99 },
      ])
      const title = "Few calls and many: median and 99th percentile"
      return { lines: table(rows), data: { few, many, rows }, picture: spansChart(title, spans, "ms"), errors: 0 }
    } finally {
      await carillon.close()
      await server.stop()
    }
  },
}
