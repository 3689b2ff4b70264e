import { Effect } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import { limits } from "../Limits.ts"

/** Sets when the reconciler looks next: at its ordinary ticks while lines are held, and soon after a loss. */
export const makeReconcilerWakeups = Effect.gen(function* () {
  const wakeups = yield* Wakeups
  const clock = yield* DomainClock
  /** When it ticks next, as far as this process knows; null when nothing was held at its last tick. */
  let nextTick: number | null = null
  /** The last stretch of time of which a loss was told. */
  let toldLoss = -Infinity

  const watchAgain = Effect.suspend(() => {
    nextTick = clock.now() + limits.reconcileMs
    return wakeups.set({ kind: "slots", subject: "platform", at: nextTick })
  })

  return {
    /** Sees to it that it ticks while lines are held. A tick that fails is tried again for a while before it counts as lost. */
    watch: Effect.suspend(() =>
      nextTick === null || clock.now() > nextTick + limits.wakeupRetries * limits.wakeupRetryMs
        ? Effect.ignore(watchAgain)
        : Effect.void,
    ),
    /** It has ticked. */
    ticked: (anyHeld: boolean) =>
      Effect.suspend(() => {
        nextTick = null
        return anyHeld ? watchAgain : Effect.void
      }),
    /** A line was lost: once for all losses of one stretch of time. */
    lost: Effect.suspend(() => {
      const nth = Math.floor(clock.now() / limits.releaseRetryMs)
      if (nth === toldLoss) return Effect.void
      const at = (nth + 1) * limits.releaseRetryMs
      return Effect.tap(wakeups.set({ kind: "slots", subject: `loss ${nth}`, at }), () =>
        Effect.sync(() => {
          toldLoss = nth
        }),
      )
    }),
  }
})
