import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import type { Measured, Run } from "../Harness.ts"
import { machineMs } from "../Machine.ts"
import { figuresOf, listedBefore } from "../purge/Figures.ts"
import { startStage, type Stage } from "../purge/Stage.ts"
import { type Kind, kindsOf, type Phase, type Window } from "../purge/Windows.ts"
import { columns, spansChart } from "../Report.ts"
import { grow } from "../size/Grown.ts"

const calls = Number(process.env.BENCH_CALLS ?? 1_000_000)
/** How long it is looked at without a purge, how long a purge goes on before it halts, for how long it halts, and how long customers warm up. */
const seconds = {
  before: Number(process.env.BENCH_BEFORE_SECONDS ?? 240),
  purge: Number(process.env.BENCH_PURGE_SECONDS ?? 300),
  pause: Number(process.env.BENCH_PAUSE_SECONDS ?? 60),
  warm: Number(process.env.BENCH_WARM_SECONDS ?? 30),
}
const perSecond = 40
/** Calls that are too young to go, and those of the other organization. */
const kept = 20_000
const others = 50_000
const dayMs = 24 * 60 * 60 * 1_000
const oldest = 29 * dayMs
const youngestToGo = 8.5 * dayMs
const oldestToStay = 6.5 * dayMs
/** Other days begin another walk, so these two take turns. */
const days = [7, 8] as const
const lookMs = 250
const names = ["large", "other"] as const

interface WalkRow {
  readonly row: {
    readonly days: number | null
    readonly place: object | null
  }
}

const fill = ({ customers, database }: Stage, now: number) => {
  const [large, other] = customers
  const going = { calls, from: now - oldest, to: now - youngestToGo }
  const staying = { calls: kept, from: now - oldestToStay, to: now - dayMs / 24 }
  const besides = { calls: others, from: now - oldest, to: now - dayMs / 24 }
  return grow(database, [
    { ...large, parts: [going, staying] },
    { ...other, parts: [besides] },
  ])
}

const walkOf = ({ customers, query }: Stage) =>
  query((sql) =>
    Effect.map(
      sql.unsafe<WalkRow>("select row from carillon.purges where organization_id = $1", [customers[0].organization_id]),
      ([found]) => found?.row ?? null,
    ),
  )

/** What is left in the tables of what was to go; all of it is 0 at the end. */
const leftOf = ({ customers, query }: Stage, before: number) =>
  query((sql) =>
    sql.unsafe<{ readonly name: string; readonly left: number }>(
      `with batches as (select batch_id from carillon.batches where organization_id = $1 and created_at < $2::bigint)
       select 'calls' as name, count(*)::integer as left from carillon.calls where organization_id = $1 and created_at < $2::bigint
       union all select 'media', count(*)::integer from carillon.call_media as m where organization_id = $1
         and not exists (select from carillon.calls where execution_id = m.execution_id)
       union all select 'contacts', count(*)::integer from carillon.contacts join batches using (batch_id)
       union all select 'deliveries', count(*)::integer from carillon.deliveries where organization_id = $1 and created_at < $2::bigint
       union all select 'events', count(*)::integer from carillon.events as e where organization_id = $1
         and expires_at < $2::bigint + 31 * ${dayMs}::bigint`,
      [customers[0].organization_id, before],
    ),
  )

/** How many transcripts the organization has. */
const transcriptsOf = async ({ customers, query }: Stage): Promise<number> => {
  const [found] = await query((sql) =>
    sql.unsafe<{ readonly count: number }>(
      "select count(*)::integer as count from carillon.call_media where organization_id = $1",
      [customers[0].organization_id],
    ),
  )
  return found?.count ?? Number.NaN
}

/** What the audit trail says has gone. */
const goneBy = async ({ customers, query }: Stage): Promise<Readonly<Record<string, number>>> => {
  const told = await query((sql) =>
    sql.unsafe<{ readonly details: Readonly<Record<string, number>> }>(
      `select record -> 'details' as details from carillon.audit_records
       where organization_id = $1 and action = 'retention.purge'`,
      [customers[0].organization_id],
    ),
  )
  const gone: Record<string, number> = {}
  for (const { details } of told) {
    for (const name of ["calls", "contacts", "events", "deliveries"]) {
      gone[name] = (gone[name] ?? 0) + (details[name] ?? 0)
    }
  }
  return gone
}

/** Vacuums that the server has run by itself, and the rows that wait for one. */
const vacuums = ({ query }: Stage) =>
  query((sql) =>
    sql.unsafe<{ readonly name: string; readonly vacuums: number; readonly dead: number; readonly bytes: number }>(
      `select relname as name, autovacuum_count::integer as vacuums, n_dead_tup::integer as dead,
         pg_total_relation_size(relid)::double precision as bytes
       from pg_stat_user_tables where schemaname = 'carillon'
         and relname in ('calls', 'call_media', 'contacts', 'events', 'deliveries', 'call_counts') order by 1`,
    ),
  )

/** A window with what it took of the processor. */
interface Watched extends Window {
  readonly engineCores: number
  readonly busyCores: number
}

/** Lets time pass until something has happened, and says from when to when, and how busy engine and machine were. */
const watched = async (stage: Stage, phase: Phase, until: () => Promise<unknown>): Promise<Watched> => {
  const busy = () => (process.platform === "linux" ? machineMs(readFileSync("/proc/stat", "utf8")) : Number.NaN)
  const engine = async () => (await stage.engine.ask({ type: "cpu" }, "cpu")).ms
  const [from, engineBefore, busyBefore] = [Date.now(), await engine(), busy()]
  await until()
  const to = Date.now()
  const window = {
    phase,
    from,
    to,
    engineCores: ((await engine()) - engineBefore) / (to - from),
    busyCores: (busy() - busyBefore) / (to - from),
  }
  const { busyCores, engineCores } = window
  process.stdout.write(
    `  ${phase}: ${((to - from) / 1_000).toFixed(0)} s, engine ${engineCores.toFixed(2)} cores, machine ${busyCores.toFixed(2)} cores, load ${(loadavg()[0] ?? 0).toFixed(2)}\n`,
  )
  return window
}

/** Lets the purge go on for a while; whether it is over then. */
const purgeFor = async (stage: Stage, nth: number, ms: number): Promise<boolean> => {
  const [{ organization_id }] = stage.customers
  const until = Date.now() + ms
  const keeping = days[nth % days.length] ?? days[0]
  await stage.engine.ask({ type: "keep", organization_id, days: keeping }, "kept")
  while (Date.now() < until) {
    await sleep(lookMs)
    const walk = await walkOf(stage)
    if (walk?.days === keeping && walk.place === null) return true
  }
  await stage.engine.ask({ type: "keep", organization_id, days: null }, "kept")
  while ((await walkOf(stage))?.place !== null) await sleep(lookMs)
  return false
}

/** Without a purge, and then with one that halts again and again, and afterwards. */
const windowsOf = async (stage: Stage): Promise<ReadonlyArray<Watched>> => {
  const rest = (time: number) => () => sleep(time * 1_000)
  const windows = [await watched(stage, "before", rest(seconds.before))]
  for (let nth = 0, isOver = false; !isOver; nth++) {
    windows.push(
      await watched(stage, "during", async () => {
        isOver = await purgeFor(stage, nth, seconds.purge * 1_000)
      }),
    )
    windows.push(await watched(stage, isOver ? "after" : "paused", rest(seconds.pause)))
  }
  return windows
}

const ms = (value: number): string => `${value.toFixed(1)} ms`

const table = (kinds: ReadonlyArray<Kind>): ReadonlyArray<string> => {
  const header = [
    "",
    "p50 before",
    "during",
    "p99 before",
    "during",
    "halted",
    "against",
    "longest before",
    "during",
    "slow before",
    "during",
  ]
  const slow = ({ count, slow }: Kind["phases"][Phase]) => `${slow} of ${count}`
  const lines = kinds.map(({ customer, name, phases: { before, during, paused } }) => [
    `${name} (${names[customer]})`,
    ms(before.p50),
    ms(during.p50),
    ms(before.p99),
    ms(during.p99),
    Number.isNaN(paused.p99) ? "" : ms(paused.p99),
    `${(during.p99 / before.p99).toFixed(2)} ×`,
    ms(before.most),
    ms(during.most),
    slow(before),
    slow(during),
  ])
  return columns(header, lines)
}

/** How long the purge took, and how fast that was. */
const paceOf = (windows: ReadonlyArray<Watched>, gone: Readonly<Record<string, number>>, transcripts: number) => {
  const during = windows.filter(({ phase }) => phase === "during")
  const tookSeconds = during.reduce((sum, { from, to }) => sum + (to - from) / 1_000, 0)
  const goneCalls = gone["calls"] ?? 0
  const rows = Object.values(gone).reduce((sum, count) => sum + count, transcripts)
  return { seconds: tookSeconds, rows, callsPerSecond: goneCalls / tookSeconds, rowsPerSecond: rows / tookSeconds }
}

const measure = async (stage: Stage): Promise<Measured> => {
  const now = Date.now()
  const begun = performance.now()
  await fill(stage, now)
  process.stdout.write(`  filled after ${((performance.now() - begun) / 1_000).toFixed(0)} s\n`)
  const [large] = stage.customers
  const { customers, url } = stage
  const transcripts = await transcriptsOf(stage)
  const figures = await Promise.all(customers.map((customer) => figuresOf(url, customer, now)))
  const totals = [await listedBefore(url, large, now - youngestToGo)]
  await stage.load.ask({ type: "begin", url, customers, perSecond }, "begun")
  await sleep(seconds.warm * 1_000)
  const windows = await windowsOf(stage)
  const { failed, failures, samples, untold } = await stage.load.ask({ type: "end" }, "ended")
  const same = (await Promise.all(customers.map((customer) => figuresOf(url, customer, now)))).filter(
    (each, nth) => each === figures[nth],
  ).length
  totals.push(await listedBefore(url, large, now - youngestToGo))
  const left = await leftOf(stage, now - youngestToGo)
  const gone = await goneBy(stage)
  const pace = paceOf(windows, gone, transcripts - (await transcriptsOf(stage)))
  const kinds = kindsOf(samples, windows)
  const wrong = [
    ...failures,
    ...(untold > 0 ? [`of ${untold} calls no webhook came`] : []),
    ...(same < customers.length ? ["figures have changed"] : []),
    ...left.flatMap((each) => (each.left > 0 ? [`${each.left} ${each.name} are left`] : [])),
    ...(gone["calls"] === calls && gone["events"] === calls && totals[1] === 0
      ? []
      : [`gone: ${JSON.stringify({ gone, totals })}`]),
  ]
  return {
    lines: [
      ...table(kinds),
      "",
      `${calls} calls (${pace.rows} rows) in ${pace.seconds.toFixed(0)} s: ${pace.callsPerSecond.toFixed(0)} calls and ${pace.rowsPerSecond.toFixed(0)} rows a second`,
      `${samples.length} requests and webhooks, ${failed} failed; stats, counts and usage of ${same} of ${customers.length} organizations are what they were`,
      ...wrong,
    ],
    data: {
      calls,
      kept,
      others,
      perSecond,
      seconds,
      pace,
      gone,
      totals,
      kinds,
      windows,
      vacuums: await vacuums(stage),
      wrong,
    },
    picture: spansChart(
      "99th percentile and longest without a purge and during one",
      kinds.flatMap(({ customer, name, phases }) =>
        (["before", "during"] as const).map((phase) => ({
          name: `${name} (${names[customer]}), ${phase}`,
          median: phases[phase].p50,
          p95: phases[phase].p99,
          most: phases[phase].p99,
        })),
      ),
      "ms",
    ),
    errors: failed + wrong.length,
  }
}

/** What customers notice of it when a large organization's calls go that were kept for their time. */
export const purge: Run = {
  name: "purge",
  question: `What do requests of an organization, and of another one, wait longer for while ${calls} of its calls go that were kept for their time?`,
  run: async (): Promise<Measured | string> => {
    const stage = await startStage()
    if (stage === null) return "there is no PostgreSQL"
    try {
      return await measure(stage)
    } finally {
      await stage.close()
    }
  },
}
