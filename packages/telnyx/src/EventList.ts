import { type Desk, mistaken } from "@carillon/core/carrier"
import { Clock, Effect } from "effect"
import { bounds } from "./Bounds.ts"

/** How Telnyx's list of events was had. `refusal`: it will not give it, and says so; null where it gave it, or said nothing of the kind. */
export interface ListReading {
  readonly isWhole: boolean
  readonly refusal: string | null
}

/**
 * What became of Telnyx's list of events so far. One that is refused, and not only away, is told as a mistake once when that begins, for only an
 * operator can mend it. It is waited for in bounded time: then what is known without it is all that there is.
 */
export class EventList {
  #refusedSince: number | null = null

  /** Whether nothing more is to be had of the list than was read. */
  isAllThere(desk: Desk, { isWhole, refusal }: ListReading): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      const since = this.#refusedSince
      if (refusal === null) {
        if (!isWhole) return false
        this.#refusedSince = null
        if (since !== null) yield* Effect.logInfo("Telnyx gives the list of events again.")
        return true
      }
      const now = yield* Clock.currentTimeMillis
      this.#refusedSince = since ?? now
      if (since === null) {
        const line = `Telnyx refuses the list of events (${refusal}). An end that it alone would tell will be an error.`
        yield* mistaken(desk, "find", line)
      }
      return now - this.#refusedSince >= bounds.causeWaitMs
    })
  }
}
