import { setTimeout as sleep } from "node:timers/promises"
import type { Measured, Run } from "../Harness.ts"
import { columns, spansChart } from "../Report.ts"
import { createDatabase, startPostgres } from "../servers/PostgresServer.ts"
import { grow } from "../size/Grown.ts"
import { Dials } from "../size/Dials.ts"
import { explainFromNowOn, type Planned, plansIn } from "../size/Plans.ts"
import { questions } from "../size/Questions.ts"
import { type Dispatched, openTenant, startEngine, type Tenant, tenantAt } from "../size/Tenant.ts"
import { percentile } from "../Statistics.ts"

const few = 10_000
const many = Number(process.env.BENCH_CALLS ?? 1_000_000)
const warmUp = 20
const rounds = Number(process.env.BENCH_ROUNDS ?? 400)
/** Contacts of a campaign, and how many campaigns are dispatched for each. */
const contacts = 100
const campaigns = 12
const dayMs = 24 * 60 * 60 * 1_000
/** The calls lie this far back, evenly. */
const spreadMs = 90 * dayMs

interface Row {
  readonly name: string
  readonly few: { readonly p50: number; readonly p99: number }
  readonly many: { readonly p50: number; readonly p99: number }
}

const none = { p50: Number.NaN, p99: Number.NaN }

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
  return { name, few: a ?? none, many: b ?? none } satisfies Row
}

/** Campaigns of both, in turn: how long each took, and how long its contacts waited for their dial. */
const dispatched = async (tenants: readonly [Tenant, Tenant]): Promise<ReadonlyArray<Row>> => {
  const took: readonly [Array<Dispatched>, Array<Dispatched>] = [[], []]
  for (let nth = -1; nth < campaigns; nth++) {
    for (const which of nth % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const one = await tenants[which].dispatch(contacts)
      if (nth >= 0) took[which].push(one)
    }
  }
  const rowOf = (name: string, timesOf: (all: ReadonlyArray<Dispatched>) => ReadonlyArray<number>): Row => {
    const [few, many] = took.map((all) => {
      const times = timesOf(all)
      return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
    })
    return { name, few: few ?? none, many: many ?? none }
  }
  return [
    rowOf(`a campaign of ${contacts}`, (all) => all.map((each) => each.ms)),
    rowOf("a contact of it, until its dial", (all) => all.flatMap(({ waits }) => waits)),
  ]
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

const fill = (url: string, tenants: readonly [Tenant, Tenant]) => {
  const to = Date.now()
  const growers = tenants.map(({ executionIds, organization_id }, nth) => ({
    executionIds,
    organization_id,
    parts: [{ calls: nth === 0 ? few : many, from: to - spreadMs, to }],
  }))
  return grow(url, growers)
}

/** The log of the server comes a little later than the answers. */
const logMs = 300
/** Of a dispatch, the statements that are shown: those that look at the most pages. */
const statementsShown = 6
const explainedContacts = 50

/** A statement of one question, by the organization that asked it. */
interface Comparison {
  readonly name: string
  readonly query: string
  readonly few: Planned | null
  readonly many: Planned | null
}

/** Statements of the same text as one: their pages and rows add up. */
const together = (plans: ReadonlyArray<Planned>): ReadonlyMap<string, Planned> => {
  const byQuery = new Map<string, Planned>()
  for (const plan of plans) {
    const before = byQuery.get(plan.query)
    const shapes = [...new Set([...(before?.shape.split(" | ") ?? []), plan.shape])].join(" | ")
    const sum = { pages: plan.pages + (before?.pages ?? 0), rows: plan.rows + (before?.rows ?? 0) }
    byQuery.set(plan.query, { query: plan.query, shape: shapes, ...sum })
  }
  return byQuery
}

const compared = (
  name: string,
  [few, many]: readonly [ReadonlyArray<Planned>, ReadonlyArray<Planned>],
  most: number,
): ReadonlyArray<Comparison> => {
  const [a, b] = [together(few), together(many)]
  const all = [...new Set([...a.keys(), ...b.keys()])].map((query) => ({
    name,
    query,
    few: a.get(query) ?? null,
    many: b.get(query) ?? null,
  }))
  const pagesOf = (each: Comparison) => each.many?.pages ?? each.few?.pages ?? 0
  return all
    .filter((each) => pagesOf(each) > 0)
    .toSorted((x, y) => pagesOf(y) - pagesOf(x))
    .slice(0, most)
}

/** Asks for everything once more at an engine whose statements are explained, and says how each was executed in both organizations. */
const explained = async (url: string, log: { text: string }, tenants: readonly [Tenant, Tenant]) => {
  await explainFromNowOn(url)
  const plansOf = async (ask: () => Promise<unknown>): Promise<ReadonlyArray<Planned>> => {
    // What the engine has to know for good it knows by then.
    await ask()
    await sleep(logMs)
    log.text = ""
    await ask()
    await sleep(logMs)
    return plansIn(log.text)
  }
  const all: Array<Comparison> = []
  const reading = await startEngine(url, { takesWork: false })
  const [few, many] = [tenantAt(reading, tenants[0]), tenantAt(reading, tenants[1])]
  for (const { name, request } of questions.filter((each) => !each.name.startsWith("POST"))) {
    const of = (tenant: Tenant) =>
      plansOf(() => {
        const { method, target } = request(tenant, 0)
        return tenant.ask(method, target)
      })
    all.push(...compared(name, [await of(few), await of(many)], statementsShown))
  }
  await reading.close()
  const working = await startEngine(url)
  const dispatching = tenants.map((tenant) => tenantAt(working, tenant))
  const plans: Array<ReadonlyArray<Planned>> = []
  for (const tenant of dispatching) plans.push(await plansOf(() => tenant.dispatch(explainedContacts)))
  all.push(...compared(`a campaign of ${explainedContacts}`, [plans[0] ?? [], plans[1] ?? []], statementsShown))
  await working.close()
  return all
}

const queryCharacters = 60

const planLines = (comparisons: ReadonlyArray<Comparison>): ReadonlyArray<string> =>
  comparisons.flatMap(({ few, many, name, query }) => {
    const shapes =
      few?.shape === many?.shape ? (many?.shape ?? "") : `${few?.shape ?? "-"} AGAINST ${many?.shape ?? "-"}`
    return [
      `${name}: ${few?.pages ?? 0} and ${many?.pages ?? 0} pages, ${few?.rows ?? 0} and ${many?.rows ?? 0} rows: ${shapes}`,
      `    ${query.slice(0, queryCharacters)}…`,
    ]
  })

/** How large an organization may be before it is felt: all that is asked for of one with few calls and of one with many, in one database. */
export const size: Run = {
  name: "size",
  question: `What does an organization with ${many} calls wait longer for than one with ${few}?`,
  run: async (): Promise<Measured | string> => {
    const log = { text: "" }
    const server = await startPostgres({ onLog: (text) => void (log.text += text) })
    if (server === null) return "there is no PostgreSQL"
    const url = await createDatabase(server, "size")
    const dials = new Dials()
    const carillon = await startEngine(url, { dials })
    let isOpen = true
    const close = async () => {
      if (isOpen) await carillon.close()
      isOpen = false
    }
    try {
      const open = (name: string) => openTenant(carillon, name, { dials })
      const tenants = [await open("Few"), await open("Many")] as const
      const begun = performance.now()
      await fill(url, tenants)
      process.stdout.write(`  ${few} and ${many} calls after ${((performance.now() - begun) / 1_000).toFixed(0)} s\n`)
      const rows: Array<Row> = []
      for (const { name, request } of questions) {
        const asked = (tenant: Tenant, nth: number) => {
          const { body, method, target } = request(tenant, nth)
          return tenant.ask(method, target, body)
        }
        rows.push(await side(name, tenants, asked, rounds))
      }
      rows.push(...(await dispatched(tenants)))
      await close()
      const plans = await explained(url, log, tenants)
      const spans = rows.flatMap(({ few: small, many: large, name }) => [
        { name: `${name}, ${few}`, median: small.p50, p95: small.p99, most: small.p99 },
        { name: `${name}, ${many}`, median: large.p50, p95: large.p99, most: large.p99 },
      ])
      const title = "Few calls and many: median and 99th percentile"
      return {
        lines: [...table(rows), "", "How each was executed:", ...planLines(plans)],
        data: { few, many, rows, plans },
        picture: spansChart(title, spans, "ms"),
        errors: 0,
      }
    } finally {
      await close()
      await server.stop()
    }
  },
}
