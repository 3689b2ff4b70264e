import { Clock, Effect } from "effect"
import { type Calling, type CarrierPace, type Place, Turns, type Waiting } from "./rules/Turns.ts"

/** The turns of a carrier as time goes on: whoever waits is told when its turn has come. */
export class PacedTurns {
  readonly #turns: Turns
  /** When somebody looks next whose turn has come. */
  #looksAt: number | null = null

  constructor(pace: CarrierPace) {
    this.#turns = new Turns(pace)
  }

  /** Asks for a turn. Whoever gets a place waits in it with `come`, and leaves it whatever becomes of that. */
  ask(calling: Calling, now: number, patienceMs: number): Place {
    return this.#turns.ask(calling, now, patienceMs)
  }

  /** Waits for a turn, so long at most. Answers 0 where it has come, else how long a wait for the next one would be. */
  come(waiting: Waiting, patienceMs: number): Effect.Effect<number> {
    const begun = Effect.callback<void>((resume) => {
      // Many may have their turn at once: each goes on by itself, and not within the one before it.
      if (waiting.hasTurn) resume(Effect.void)
      else waiting.begin = () => resume(Effect.yieldNow)
    })
    const later = Effect.suspend(() =>
      // It may come at the very end.
      waiting.hasTurn ? Effect.void : Effect.andThen(Effect.timeoutOption(begun, patienceMs), this.#look),
    )
    const end = Effect.map(Clock.currentTimeMillis, (now) => (waiting.hasTurn ? 0 : this.#turns.giveUp(waiting, now)))
    return Effect.andThen(Effect.andThen(this.#look, later), end)
  }

  /** Leaves the place of a turn, whether it has come or not. */
  leave(waiting: Waiting): void {
    this.#turns.leave(waiting)
  }

  /** Gives all turns that have come, and does so again when the next one comes. */
  readonly #look: Effect.Effect<void> = Effect.suspend(() =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const next = this.#turns.begin(now)
      if (next === null) return Effect.void
      // One that is past by now was never begun: whoever was to look then is gone.
      const isLookedAt = this.#looksAt !== null && this.#looksAt >= now && this.#looksAt <= next
      if (isLookedAt) return Effect.void
      this.#looksAt = next
      const again = Effect.suspend(() => {
        if (this.#looksAt === next) this.#looksAt = null
        return this.#look
      })
      // Of those who wait anybody may leave, so none of them looks for the others.
      return Effect.asVoid(Effect.forkDetach(Effect.delay(again, Math.ceil(next - now))))
    }),
  )
}
