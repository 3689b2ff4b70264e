import { Context, Effect } from "effect"
import { Rotation } from "../rules/Rotation.ts"

/**
 * Whoever has much to do on the thread that all share does it in pieces, and waits for its turn before each. One engine gives its organizations
 * `PieceTurns`: however many requests are large at once, one piece is done in a turn of the event loop, and not one of each. Elsewhere others get
 * on between two pieces, and no more is promised.
 */
export const Pacing = Context.Reference<Effect.Effect<void>>("@carillon/core/engine/Pacing", {
  defaultValue: () => Effect.yieldNow,
})

/** The time by which pieces are measured, on the machine that does them. */
export interface PieceClock {
  /** Milliseconds since some moment. */
  readonly now: () => number
  /** Calls back when this turn of the event loop is over. */
  readonly afterTurn: (work: () => void) => void
  /** Calls back so many milliseconds later. */
  readonly later: (ms: number, work: () => void) => void
}

/** The clock by which parties rest between pieces; null, as in a world with a clock of its own, where nobody rests. */
export const CurrentPieceClock = Context.Reference<PieceClock | null>("@carillon/core/engine/PieceClock", {
  defaultValue: () => null,
})

/** How much longer than its piece took a party rests, and how long at most. */
const restFactor = 2
const restMaxMs = 100

/** A wait for one turn. */
interface Ticket {
  /** Ends the wait; null until somebody waits for it. */
  begin: (() => void) | null
}

/**
 * Turns that come one after another. The parties that wait go round, so before a piece of one comes at most one of each other, however many
 * requests another has; the requests of one party have theirs in order. While others are served a party rests after each piece, so that those who do
 * their work in pieces have a third of the time together.
 */
export class PieceTurns {
  readonly #rotation = new Rotation<Ticket>()
  readonly #served = new Map<string, number>()
  readonly #clock: PieceClock | null

  constructor(clock: PieceClock | null = null) {
    this.#clock = clock
  }

  /** For how many parties a request waits. */
  get parties(): number {
    return this.#rotation.parties
  }

  /** Serves a party: while that lasts the others rest between their pieces. */
  serving<A, E, R>(party: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => void this.#served.set(party, (this.#served.get(party) ?? 0) + 1)),
      () => work,
      () =>
        Effect.sync(() => {
          const left = (this.#served.get(party) ?? 1) - 1
          if (left === 0) this.#served.delete(party)
          else this.#served.set(party, left)
        }),
    )
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
      (ticket) =>
        Effect.andThen(
          Effect.andThen(this.#begun(ticket), Effect.yieldNow),
          Effect.sync(() => this.#restAfter(party)),
        ),
      (ticket) => Effect.sync(() => this.#rotation.leave(party, ticket)?.begin?.()),
    )
  }

  /** What a party does in the rest of this turn of the event loop is its piece. */
  #restAfter(party: string): void {
    const clock = this.#clock
    const isAlone = this.#served.size === 0 || (this.#served.size === 1 && this.#served.has(party))
    if (clock === null || isAlone) return
    const began = clock.now()
    this.#rotation.rest(party)
    const wake = () => this.#rotation.wake(party)?.begin?.()
    clock.afterTurn(() => {
      const rest = Math.min(restMaxMs, (clock.now() - began) * restFactor * Math.max(1, this.#rotation.parties))
      if (rest < 1) wake()
      else clock.later(rest, wake)
    })
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
