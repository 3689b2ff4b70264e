import { Effect, Result } from "effect"

/** What an effect failed with, or null. */
export const refusalOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<E | null, never, R> =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure : null))
