import { Effect } from "effect"
import type { Waiting } from "../engine/Parking.ts"
import { limits } from "../Limits.ts"

/** Says what a process cuts off that ends: how much is open, and what waits. */
export const tellCutOff = (open: number, waiting: ReadonlyArray<Waiting>): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning("This process ends, and cuts off what had not ended in time."), {
    open,
    parked: waiting.length,
    waiting: waiting
      .slice(0, limits.cutOffTold)
      .map(({ key }) => key)
      .join(" "),
  })
