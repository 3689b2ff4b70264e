import { Clock, Effect } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"

/** The clock of the machine (epoch milliseconds), and one that nobody can set (milliseconds), as they were read in one moment. */
export interface ClockReading {
  readonly wall: number
  readonly steady: number
}

/** By how much the clock of the machine was set between two readings: forward above 0, back below it, 0 where it has only gone on. Milliseconds. */
export const jumpOf = (before: ClockReading, after: ClockReading): number => {
  const jump = after.wall - before.wall - (after.steady - before.steady)
  return Math.abs(jump) >= limits.clockJumpMs ? jump : 0
}

const nanosPerMilli = 1e6
const millisPerSecond = 1_000
/** A process may be stopped between the two; then they are read again. */
const readings = 3

const readingOf = (clock: Clock.Clock): ClockReading => {
  let reading: ClockReading
  let left = readings
  do {
    const wall = clock.currentTimeMillisUnsafe()
    reading = { wall, steady: Number(clock.monotonicTimeNanosUnsafe()) / nanosPerMilli }
    left -= 1
  } while (left > 0 && Math.abs(clock.currentTimeMillisUnsafe() - reading.wall) >= limits.clockJumpMs / 2)
  return reading
}

const wordsOf = (jump: number): string => {
  const seconds = `${(Math.abs(jump) / millisPerSecond).toFixed(1)} s`
  return jump > 0
    ? `The clock of this machine went forward by ${seconds} at once, because it was set or the machine was suspended: what was booked for that time is dialled now, and calling hours are judged by the new time.`
    : `The clock of this machine was set back by ${seconds}: the time of this process stands still until the clock has caught up, and what is to come waits. Start this process again.`
}

/** Tells the time of this process to whoever measures, and says once of each time that the clock of its machine is set. It never ends. */
export const watchMachineClock: Effect.Effect<never, never, DomainClock> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const domain = yield* DomainClock
  const meters = yield* CurrentMeters
  meters?.watch(metrics.clockTime, () => domain.now() / millisPerSecond)
  // A first jump is to be seen as one more than none.
  for (const direction of ["forward", "back"] as const) meters?.count(metrics.clockJumps, [direction], 0)
  let before = readingOf(clock)
  const look = Effect.suspend(() => {
    const after = readingOf(clock)
    const jump = jumpOf(before, after)
    before = after
    if (jump === 0) return Effect.void
    meters?.count(metrics.clockJumps, [jump > 0 ? "forward" : "back"])
    return Effect.logWarning(wordsOf(jump))
  })
  return yield* Effect.forever(Effect.andThen(Effect.sleep(limits.clockLookMs), look))
})
