import { Context, Effect, Semaphore } from "effect"

/**
 * Whoever has much to do on the thread that all share does it in pieces, and waits for its turn before each. One engine makes them
 * `oneByOne`: however many requests are large at once, one piece is done in a turn of the event loop, and not one of each. Elsewhere others get
 * on between two pieces, and no more is promised.
 */
export const Pacing = Context.Reference<Effect.Effect<void>>("@carillon/core/engine/Pacing", {
  defaultValue: () => Effect.yieldNow,
})

/** Turns that come one after another, in the order in which they were asked for. */
export const oneByOne = (): Effect.Effect<void> =>
  // Whoever waits has its own turn of the event loop before it holds the others up no longer, and does its piece in it.
  Semaphore.makeUnsafe(1).withPermit(Effect.yieldNow)

/** Waits for the turn of the next piece. */
export const nextTurn: Effect.Effect<void> = Effect.flatMap(Pacing, (turn) => turn)
