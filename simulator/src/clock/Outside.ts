import type { Activity } from "@carillon/core/ports"
import type { Outside } from "@carillon/http"
import { Effect } from "effect"

/** Lets a job into the world when its turn has come, until what it set in motion has come to rest. */
export type Turn = (job: () => void) => void

/**
 * Runs an effect outside of the world, in real time. The request that waits for it is as good as parked, so that others are let in
 * and time can pass; what the effect comes to takes a turn like any other input.
 */
export const outsideOf =
  (activity: Activity["Service"], turn: Turn): NonNullable<typeof Outside.Service> =>
  (effect) =>
    Effect.callback((resume) => {
      let isAwaited = true
      const fiber = Effect.runFork(effect)
      activity.leave()
      fiber.addObserver((exit) =>
        turn(() => {
          if (!isAwaited) return
          isAwaited = false
          activity.enter()
          resume(exit)
        }),
      )
      return Effect.sync(() => {
        if (isAwaited) activity.enter()
        isAwaited = false
        fiber.interruptUnsafe()
      })
    })
