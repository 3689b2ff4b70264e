import type { Activity, TextExtractor } from "@carillon/core"
import { Effect } from "effect"

type Extractor = typeof TextExtractor.Service

/**
 * An extractor that works outside of the world. While it does, the upload waits as a parked request does, so that others are let in
 * and time can pass; with its answer it takes a turn like any other input.
 */
export const outsideExtractor = (
  extractor: Extractor,
  activity: Activity["Service"],
  /** Runs a job when its turn has come. */
  turn: (job: () => void) => void,
): Extractor => ({
  extract: (file) =>
    Effect.callback((resume) => {
      let isAwaited = true
      const fiber = Effect.runFork(extractor.extract(file))
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
    }),
})
