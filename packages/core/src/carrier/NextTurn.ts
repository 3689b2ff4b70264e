import { Effect } from "effect"

/** Waits for the next turn of the event loop. */
export const nextTurn = (): Promise<void> => Effect.runPromise(Effect.yieldNow)
