import { Context, Effect, Layer } from "effect"
import { DomainClock } from "./ports/DomainClock.ts"

interface AlarmShape {
  /** Says that something is due at a moment (epoch milliseconds) that the driver may not know of. */
  readonly ring: (at: number) => void
  /** Waits until the moment, or until it has rung for an earlier one since the last wait. */
  readonly wait: (until: number) => Effect.Effect<void>
}

/**
 * What ends the pause of the real-time driver: a step of this process that sets a wake-up. Without it what is due at once would wait for
 * the driver's next look. It is a hint and no more, so what other processes set is found by looking, and virtual time needs none.
 */
export class Alarm extends Context.Service<Alarm, AlarmShape>()("@carillon/core/engine/Alarm") {
  static readonly layer = Layer.effect(
    Alarm,
    Effect.gen(function* () {
      const clock = yield* DomainClock
      let earliest = Infinity
      let end: (() => void) | undefined

      /** Ends as soon as it rings for a moment before this one. */
      const rungBefore = (until: number) =>
        Effect.callback<void>((resume) => {
          if (earliest < until) return resume(Effect.void)
          end = () => {
            if (earliest < until) resume(Effect.void)
          }
          return Effect.sync(() => {
            end = undefined
          })
        })

      return Alarm.of({
        ring: (at) => {
          earliest = Math.min(earliest, at)
          end?.()
        },
        wait: (until) =>
          Effect.suspend(() => {
            const pause = until - clock.now()
            return pause > 0 ? Effect.raceFirst(Effect.sleep(pause), rungBefore(until)) : Effect.void
          }).pipe(
            Effect.ensuring(
              Effect.sync(() => {
                end = undefined
                earliest = Infinity
              }),
            ),
          ),
      })
    }),
  )
}
