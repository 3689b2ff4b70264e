import { type Cause, Clock, Effect } from "effect"
import { limits } from "../Limits.ts"
import { told } from "../engine/rules/Told.ts"
import { NowAndThen } from "../engine/rules/NowAndThen.ts"

/**
 * Runs what has to go on for as long as its process lives, and outlasts the mistakes in it: a defect is an error in the log, once in
 * `limits.mistakesToldMs` at most, and after a rest of `restMs` it is run again. Whoever interrupts it ends it.
 */
export const outlasting = <A, E, R>(
  what: string,
  effect: Effect.Effect<A, E, R>,
  restMs: number,
): Effect.Effect<A, never, R> =>
  Effect.suspend(() => {
    const mistakes = new NowAndThen(limits.mistakesToldMs)
    const tell = (cause: Cause.Cause<E>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const count = mistakes.note(now)
        if (count === null) return Effect.void
        const line = `${what} has a mistake, and is run again after ${restMs} ms.`
        return Effect.annotateLogs(Effect.logError(line, told(cause)), { mistakes: count })
      })
    // Whoever interrupts this fiber is not held up: Effect asks no handler then.
    const again: Effect.Effect<A, never, R> = Effect.catchCause(effect, (cause) =>
      Effect.andThen(Effect.andThen(tell(cause), Effect.sleep(restMs)), again),
    )
    return again
  })
