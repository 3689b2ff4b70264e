import { Context, Effect, Layer, type Scope } from "effect"
import type { WhenGone } from "../keys/rules/Caller.ts"

interface RequestersShape {
  /** Watches whoever waits for the answer to the dial of a call, until the scope closes. Answers how others hear that they are gone. */
  readonly watch: (executionId: string, whenGone: WhenGone | undefined) => Effect.Effect<WhenGone, never, Scope.Scope>
  /**
   * Whether nobody waits any more for the answer to the dial of a call. News that lie before this process are heard first: it may just have been
   * stopped for a while. Where nobody has ever waited, as for a booked call, nobody is gone.
   */
  readonly isGone: (executionId: string) => Effect.Effect<boolean>
}

/** Whoever waits for the answer to a dial, by the id of its call: an errand is data, and cannot say by itself whether they are gone. */
export class Requesters extends Context.Service<Requesters, RequestersShape>()("@carillon/core/calls/Requesters") {
  static readonly layer = Layer.sync(Requesters, () => {
    /** Who waits, and whether they are gone. */
    const waiting = new Map<string, { isGone: boolean }>()

    const nobody: WhenGone = () => () => {}

    const watched = Effect.fnUntraced(function* (executionId: string, whenGone: WhenGone) {
      const requester = { isGone: false }
      const listeners = new Set<() => void>()
      waiting.set(executionId, requester)
      const stop = whenGone(() => {
        requester.isGone = true
        for (const listener of listeners) listener()
      })
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          stop()
          if (waiting.get(executionId) === requester) waiting.delete(executionId)
        }),
      )
      const heard: WhenGone = (listener) => {
        if (requester.isGone) listener()
        else listeners.add(listener)
        return () => listeners.delete(listener)
      }
      return heard
    })

    return {
      watch: (executionId, whenGone) =>
        whenGone === undefined ? Effect.succeed(nobody) : watched(executionId, whenGone),
      isGone: (executionId) =>
        Effect.suspend(() => {
          const requester = waiting.get(executionId)
          if (requester === undefined) return Effect.succeed(false)
          return Effect.as(Effect.yieldNow, requester).pipe(Effect.map(({ isGone }) => isGone))
        }),
    }
  })
}
