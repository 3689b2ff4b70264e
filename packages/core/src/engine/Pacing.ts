import { Context, Effect } from "effect"
import { Rotation } from "./Rotation.ts"

/**
 * Whoever has much to do on the thread that all share does it in pieces, and waits for its turn before each. One engine gives its organizations
 * `PieceTurns`: however many requests are large at once, one piece is done in a turn of the event loop, and not one of each. Elsewhere others get
 * on between two pieces, and no more is promised.
 */
export const Pacing = Context.Reference<Effect.Effect<void>>("@carillon/core/engine/Pacing", {
  defaultValue: () => Effect.yieldNow,
})

/** A wait for one turn. */
interface Ticket {
  /** Ends the wait; null until somebody waits for it. */
  begin: (() => void) | null
}

/**
 * Turns that come one after another. The parties that wait go round, so before a piece of one comes at most one of each other, however many
 * requests another has; the requests of one party have theirs in order.
 */
export class PieceTurns {
  readonly #rotation = new Rotation<Ticket>()

  /** For how many parties a request waits. */
  get parties(): number {
    return this.#rotation.parties
  }

  /** Waits for the next turn of a party. */
  of(party: string): Effect.Effect<void> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const ticket: Ticket = { begin: null }
        this.#rotation.enter(party, ticket)
        return ticket
      }),
      // Whoever waits has its own turn of the event loop before it holds the others up no longer, and does its piece in it.
      (ticket) => Effect.andThen(this.#begun(ticket), Effect.yieldNow),
      (ticket) => Effect.sync(() => this.#rotation.leave(party, ticket)?.begin?.()),
    )
  }

  #begun(ticket: Ticket): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.#rotation.holder === ticket) resume(Effect.void)
      else ticket.begin = () => resume(Effect.void)
    })
  }
}

/** Waits for the turn of the next piece. */
export const nextTurn: Effect.Effect<void> = Effect.flatMap(Pacing, (turn) => turn)
