import { campaignDay } from "../fleet/CampaignDay.ts"
import { tenantsFor } from "../fleet/Day.ts"
import { Fleet } from "../fleet/Fleet.ts"
import { queueDay } from "../fleet/QueueDay.ts"
import { otherTrials, type Outcome, processKilled, randomFrom } from "../fleet/Trial.ts"
import type { Measured, Run } from "../Harness.ts"
import { spansChart } from "../Report.ts"

const processes = 3
const pace = { ringMs: [50, 200], talkMs: [500, 4_000], swallowsOneIn: 500 } as const
const warmUpMs = 10_000
const steadyMs = 5_000
const patienceMs = 120_000
/** Every other kind of trial comes as often as this. */
const repeats = 3
/** Kills of the workers of a queue, which take their minute each. */
const queueKills = 3
const queueTrial = "BullMQ: SIGKILL of a worker, another started"
/** After a kill all lines are to be used again within this time. */
const targetMs = 35_000

const atRank = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

const seconds = (ms: number): string => (ms === Infinity ? "never" : `${(ms / 1_000).toFixed(1)} s`)

interface Row {
  readonly trial: string
  readonly times: number
  /** Milliseconds until all lines were used again; Infinity where they never were. */
  readonly median: number
  readonly p95: number
  readonly most: number
  /** The longest drain; Infinity where a process had to be killed, null where none was drained. */
  readonly drainMs: number | null
}

const rowsOf = (outcomes: ReadonlyArray<Omit<Outcome, "use">>): ReadonlyArray<Row> =>
  [...Map.groupBy(outcomes, ({ trial }) => trial)].map(([trial, list]) => {
    const sorted = list.map(({ fullAgainMs }) => fullAgainMs ?? Infinity).toSorted((a, b) => a - b)
    const drains = list.flatMap(({ drainMs }) => (drainMs === undefined ? [] : [drainMs ?? Infinity]))
    return {
      trial,
      times: list.length,
      median: atRank(sorted, 0.5),
      p95: atRank(sorted, 0.95),
      most: atRank(sorted, 1),
      drainMs: drains.length === 0 ? null : Math.max(...drains),
    }
  })

const table = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const header = ["all lines used again after", "times", "median", "p95", "at most", "drained in"]
  const cells = rows.map(({ drainMs, median, most, p95, times, trial }) => [
    trial,
    `${times}`,
    ...[median, p95, most].map(seconds),
    drainMs === null ? "" : seconds(drainMs),
  ])
  const widths = header.map((cell, column) => Math.max(cell.length, ...cells.map((row) => row[column]?.length ?? 0)))
  return [header, ...cells].map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  "),
  )
}

export const kill: Run = {
  name: "kill",
  question: `Do ${processes} engine processes on one PostgreSQL and one Redis lose a contact, dial one twice or leak a line, when one of them is killed again and again?`,
  run: async ({ kills, lines, seed }): Promise<Measured | string> => {
    const say = (line: string) => process.stdout.write(`  ${line}\n`)
    say(`seed ${seed}, ${lines} lines, ${kills} kills`)
    const fleet = await Fleet.open({ engines: processes, platform: lines, tenants: tenantsFor(lines), pace })
    if (typeof fleet === "string") return fleet
    const trials = [
      ...Array.from({ length: kills }, () => processKilled),
      ...otherTrials.flatMap((trial) => Array.from({ length: repeats }, () => trial)),
    ]
    const random = randomFrom(seed)
    const day = await campaignDay(fleet, { lines, trials, random, warmUpMs, steadyMs, patienceMs, say })
    say("the same kills for workers of BullMQ")
    const queue = await queueDay({ processes, lines, kills: Math.min(kills, queueKills), pace, random })
    if (typeof queue === "string") return queue
    const { notes, outcomes, steadyUse, tookMs, verdict } = day
    const rows = rowsOf(outcomes)
    const queueRows = rowsOf(queue.fullAgainMs.map((fullAgainMs) => ({ trial: queueTrial, fullAgainMs })))
    const late = outcomes.filter(
      ({ fullAgainMs, trial }) => trial === processKilled.name && (fullAgainMs === null || fullAgainMs > targetMs),
    ).length
    const { calls, contacts, deliveries, dials, directAnswers, doubleDials, leakedLines, lostContacts, violations } =
      verdict
    const shown = [
      ...table([...rows, ...queueRows]),
      "",
      `${(steadyUse * 100).toFixed(1)} % of the lines were used before the first trial`,
      `${contacts} contacts, ${calls} calls, ${dials} dials at the carrier, ${deliveries} events delivered, in ${seconds(tookMs)}`,
      `direct dials by answer: ${JSON.stringify(directAnswers)}`,
      `lost contacts ${lostContacts}, double dials ${doubleDials}, lines leaked for two reconcile ticks ${leakedLines}, violations ${violations.length}, kills after which it took longer than ${seconds(targetMs)} ${late}`,
      `BullMQ: ${queue.dials} dials at the carrier, double dials ${queue.doubleDials}`,
      ...violations,
      ...notes.map(([entry, times]) => `noted by engines, ${times} times: ${entry}`),
    ]
    return {
      lines: shown,
      data: { seed, lines, kills, processes, pace, steadyUse, rows, verdict, outcomes, notes, queue },
      picture: spansChart(
        "All lines used again: median, 95th percentile, longest",
        [...rows, ...queueRows].map(({ trial, ...span }) => ({ name: `${trial} (${span.times} ×)`, ...span })),
      ),
      errors: lostContacts + doubleDials + leakedLines + violations.length + late,
    }
  },
}
