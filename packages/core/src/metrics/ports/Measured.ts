import { Effect, Exit } from "effect"
import type { Meters } from "./Meters.ts"

/** Runs an effect and tells how long it took, in seconds, and how it ended. Without meters it is the effect itself. */
export const timed = <A, E, R>(
  meters: Meters | null,
  effect: Effect.Effect<A, E, R>,
  tell: (meters: Meters, seconds: number, exit: Exit.Exit<A, E>) => void,
): Effect.Effect<A, E, R> =>
  meters === null
    ? effect
    : Effect.suspend(() => {
        const began = meters.now()
        return Effect.onExit(effect, (exit) => {
          tell(meters, meters.now() - began, exit)
          return Effect.void
        })
      })
