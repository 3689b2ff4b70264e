import { Effect, type Scope } from "effect"
import type { WhenGone } from "../keys/rules/Caller.ts"

/** Whoever waits for the answer to a dial: a client, or nobody where a booked call is dialled. */
export interface Requester {
  /** Whether nobody waits any more. News that lie before this process are heard first: it may just have been stopped for a while. */
  readonly isGone: Effect.Effect<boolean>
  readonly whenGone: WhenGone
}

/** Watches until the scope closes. */
export const watchRequester = (whenGone: WhenGone | undefined): Effect.Effect<Requester, never, Scope.Scope> =>
  Effect.gen(function* () {
    let isGone = false
    const listeners = new Set<() => void>()
    const stop = whenGone?.(() => {
      isGone = true
      for (const listener of listeners) listener()
    })
    if (stop !== undefined) yield* Effect.addFinalizer(() => Effect.sync(stop))
    return {
      isGone:
        whenGone === undefined
          ? Effect.succeed(false)
          : Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => isGone),
            ),
      whenGone: (listener) => {
        if (isGone) listener()
        else listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
  })
