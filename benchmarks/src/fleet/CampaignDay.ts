import { setTimeout as sleep } from "node:timers/promises"
import { Day } from "./Day.ts"
import type { Fleet } from "./Fleet.ts"
import { Judge, type Verdict } from "./Judge.ts"
import { type Outcome, type Random, randomFrom, type Trial, undergo, useBetween } from "./Trial.ts"

/** How a day is lived. */
export interface CampaignDayOptions {
  readonly lines: number
  readonly trials: ReadonlyArray<Trial>
  readonly random: Random
  /** Before the first trial: until the lines are used, and then for the measure of their use. */
  readonly warmUpMs: number
  readonly steadyMs: number
  /** What has not recovered by then is told as not recovered, and the day goes on. */
  readonly patienceMs: number
  readonly say: (line: string) => void
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

/** Between two trials, at most: so the moment of one has nothing to do with the end of the recovery from the one before. */
const pauseMs = 1_500

const seconds = (ms: number | null): string => (ms === null ? "never" : `${(ms / 1_000).toFixed(1)} s`)

const percent = (part: number): string => `${(part * 100).toFixed(0)} %`

/** Lets a fleet work through a campaign day, tries it meanwhile, settles the accounts, and ends the fleet. */
export const campaignDay = async (fleet: Fleet, options: CampaignDayOptions): Promise<CampaignDay> => {
  const { lines, patienceMs, random, say, steadyMs, trials, warmUpMs } = options
  const began = performance.now()
  const judge = await Judge.open(fleet)
  try {
    // Of its own: how often the day asks depends on the machine, and the trials shall not.
    const day = new Day(fleet, lines, randomFrom(Math.floor(random() * 0x1_0000_0000)))
    await day.begin()
    await sleep(warmUpMs)
    const from = await fleet.carrier.look()
    await sleep(steadyMs)
    const steadyUse = useBetween(from, await fleet.carrier.look(), lines)
    say(`${percent(steadyUse)} of the lines in use before the first trial`)
    const outcomes: Array<Outcome> = []
    for (const trial of trials) {
      await sleep(random() * pauseMs)
      const outcome = await undergo(fleet, lines, trial, random, patienceMs)
      outcomes.push(outcome)
      const { dials, doubleDials } = await fleet.carrier.look()
      const drained = outcome.drainMs === undefined ? "" : `, drained in ${seconds(outcome.drainMs)}`
      const faults = `${doubleDials} double dials, ${judge.leakedLines} leaked lines`
      const again = seconds(outcome.fullAgainMs)
      say(
        `${outcomes.length}/${trials.length} ${trial.name}: ${again} (${percent(outcome.use)} in use meanwhile)${drained}; ${dials} dials, ${faults}`,
      )
      for (const casualty of fleet.casualties) throw new Error(casualty)
    }
    await day.end(judge)
    const verdict = await judge.settle(day)
    return { outcomes, verdict, steadyUse, notes: [...fleet.notes], tookMs: performance.now() - began }
  } finally {
    await judge.close()
    await fleet.close()
  }
}
