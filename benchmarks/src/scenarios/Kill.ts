import { setTimeout as sleep } from "node:timers/promises"
import { Day, tenantsFor } from "../fleet/Day.ts"
import { Fleet } from "../fleet/Fleet.ts"
import { Judge, type Verdict } from "../fleet/Judge.ts"
import { otherTrials, type Outcome, processKilled, randomFrom, undergo } from "../fleet/Trial.ts"
import type { Measured, Run } from "../Harness.ts"

const processes = 3
const pace = { ringMs: [50, 200], talkMs: [500, 4_000], swallowsOneIn: 500 } as const
const warmUpMs = 10_000
const steadyMs = 10_000
/** Between two trials, at most: so the moment of a kill has nothing to do with the end of the recovery before it. */
const pauseMs = 1_500
/** Every other kind of trial comes as often as this. */
const repeats = 3
const endMs = 300_000
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

const rowsOf = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Row> =>
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

/** What a day with its trials has shown. */
export interface CampaignDay {
  readonly outcomes: ReadonlyArray<Outcome>
  readonly verdict: Verdict
  /** The part of the lines that was used before the first trial, from 0 to 1. */
  readonly steadyUse: number
  /** What the engines noted at the level of a warning or above, and how often. */
  readonly notes: ReadonlyArray<readonly [entry: string, times: number]>
  readonly tookMs: number
}

/** Starts a fleet and its day, tries it, and settles the accounts. */
export const campaignDay = async (options: {
  readonly lines: number
  readonly kills: number
  readonly repeats: number
  readonly seed: number
  readonly say: (line: string) => void
}): Promise<string | CampaignDay> => {
  const { kills, lines, say, seed } = options
  const random = randomFrom(seed)
  const tenants = tenantsFor(lines)
  const fleet = await Fleet.open({ engines: processes, platform: lines, tenants, pace })
  if (typeof fleet === "string") return fleet
  const began = performance.now()
  const judge = await Judge.open(fleet)
  try {
    const day = new Day(fleet, lines)
    await day.begin()
    await sleep(warmUpMs)
    const from = await fleet.look()
    await sleep(steadyMs)
    const to = await fleet.look()
    const steadyUse = (to.liveMs - from.liveMs) / (to.now - from.now) / lines
    say(`steady: ${(steadyUse * 100).toFixed(1)} % of the lines in use`)
    const trials = [
      ...Array.from({ length: kills }, () => processKilled),
      ...otherTrials.flatMap((trial) => Array.from({ length: options.repeats }, () => trial)),
    ]
    const outcomes: Array<Outcome> = []
    for (const trial of trials) {
      await sleep(random() * pauseMs)
      const outcome = await undergo(fleet, trial, random)
      outcomes.push(outcome)
      const { dials, doubleDials } = await fleet.look()
      const faults = `${doubleDials} double dials, ${judge.leakedLines} leaked lines`
      const again = seconds(outcome.fullAgainMs ?? Infinity)
      const drained = outcome.drainMs === undefined ? "" : `, drained in ${seconds(outcome.drainMs ?? Infinity)}`
      say(`${outcomes.length}/${trials.length} ${trial.name}: ${again}${drained}; ${dials} dials, ${faults}`)
      for (const casualty of fleet.casualties) throw new Error(casualty)
    }
    await day.end(endMs)
    const verdict = await judge.settle(day)
    return { outcomes, verdict, steadyUse, notes: [...fleet.notes], tookMs: performance.now() - began }
  } finally {
    await judge.close()
    await fleet.close()
  }
}

export const kill: Run = {
  name: "kill",
  question: `Do ${processes} engine processes on one PostgreSQL and one Redis lose a contact, dial one twice or leak a line, when one of them is killed again and again?`,
  run: async ({ kills, lines, seed }): Promise<Measured | string> => {
    const say = (line: string) => process.stdout.write(`  ${line}\n`)
    say(`seed ${seed}, ${lines} lines, ${kills} kills`)
    const measured = await campaignDay({ kills, lines, repeats, seed, say })
    if (typeof measured === "string") return measured
    const { notes, outcomes, steadyUse, tookMs, verdict } = measured
    const rows = rowsOf(outcomes)
    const late = outcomes.filter(({ fullAgainMs }) => fullAgainMs === null || fullAgainMs > targetMs).length
    const { calls, contacts, deliveries, dials, doubleDials, leakedLines, lostContacts, violations } = verdict
    const shown = [
      ...table(rows),
      "",
      `${contacts} contacts, ${calls} calls, ${dials} dials at the carrier, ${deliveries} events delivered, in ${seconds(tookMs)}`,
      `lost contacts ${lostContacts}, double dials ${doubleDials}, lines leaked for two reconcile ticks ${leakedLines}, violations ${violations.length}, later than ${seconds(targetMs)} ${late}`,
      ...violations,
      ...notes.map(([entry, times]) => `noted by engines, ${times} times: ${entry}`),
    ]
    return {
      lines: shown,
      data: { seed, lines, kills, processes, pace, steadyUse, rows, verdict, outcomes, notes },
      errors: lostContacts + doubleDials + leakedLines + violations.length + late,
    }
  },
}
