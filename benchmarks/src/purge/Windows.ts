import { percentile } from "../Statistics.ts"
import type { Sample } from "./Protocol.ts"

/** What goes on in a stretch of time: nothing but the load, a purge, or a purge that has been halted. */
export type Phase = "before" | "during" | "paused" | "after"

/** A stretch of time in epoch milliseconds. */
export interface Window {
  readonly phase: Phase
  readonly from: number
  readonly to: number
}

/** How long requests of one kind took, in milliseconds; and how many took longer than twice the usual p99. */
export interface Taken {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly most: number
  readonly slow: number
}

/** Requests of one kind at one customer, phase by phase. */
export interface Kind {
  readonly name: string
  readonly customer: number
  readonly phases: Readonly<Record<Phase, Taken>>
}

const slowTimes = 2

const takenOf = (times: ReadonlyArray<number>, usualP99: number): Taken => ({
  count: times.length,
  p50: percentile(times, 0.5),
  p99: percentile(times, 0.99),
  most: percentile(times, 1),
  slow: times.filter((ms) => ms > slowTimes * usualP99).length,
})

/** Requests by kind and phase. What was sent between two windows is of none. */
export const kindsOf = (samples: ReadonlyArray<Sample>, windows: ReadonlyArray<Window>): ReadonlyArray<Kind> =>
  [...Map.groupBy(samples, ({ customer, name }) => `${customer} ${name}`).values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const timesIn = (phase: Phase) => {
      const own = windows.filter((window) => window.phase === phase)
      return same.filter(({ at }) => own.some(({ from, to }) => at >= from && at < to)).map(({ ms }) => ms)
    }
    const usualP99 = percentile(timesIn("before"), 0.99)
    const taken = (phase: Phase) => takenOf(timesIn(phase), usualP99)
    const phases = { before: taken("before"), during: taken("during"), paused: taken("paused"), after: taken("after") }
    return [{ name: first.name, customer: first.customer, phases }]
  })
