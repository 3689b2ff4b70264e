import { Effect } from "effect"
import { holdsLine } from "../calls/Call.ts"
import type { CallStore } from "../calls/CallStore.ts"
import type { DomainClock } from "../engine/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { rowOf } from "./Comparison.ts"
import { countedFence } from "./Holders.ts"
import type { SlotStore } from "./SlotStore.ts"

/** A line that was given back while the slot store could not hear it. */
export interface LostRelease {
  readonly execution_id: string
  readonly fence: number
  /** Who is told that a line is free; null where nobody is to be told. */
  readonly organization_id: string | null
}

/**
 * The releases that a process owes the slot store, sent again once it answers. The newest are kept; for what is dropped, and for
 * those of a process that died, there is the comparison with the rows.
 */
export class LostReleases {
  readonly #slots: SlotStore["Service"]
  readonly #calls: CallStore["Service"]
  readonly #clock: DomainClock["Service"]
  readonly #owed = new Map<string, LostRelease>()

  constructor(slots: SlotStore["Service"], calls: CallStore["Service"], clock: DomainClock["Service"]) {
    this.#slots = slots
    this.#calls = calls
    this.#clock = clock
  }

  keep(release: LostRelease): void {
    this.#owed.delete(release.execution_id)
    this.#owed.set(release.execution_id, release)
    for (const oldest of this.#owed.keys()) {
      if (this.#owed.size <= limits.lostReleases) return
      this.#owed.delete(oldest)
    }
  }

  /** Sends all of them, the oldest first, up to the first that fails; `onFreed` hears of each that was taken, and of the dials that got its line. */
  send(
    onFreed: (release: LostRelease, granted: ReadonlyArray<string>) => Effect.Effect<void>,
  ): Effect.Effect<void, PortError> {
    return Effect.gen({ self: this }, function* () {
      for (const release of [...this.#owed.values()]) {
        const { execution_id, fence } = release
        if (!(yield* this.#isTakenAgain(release))) {
          const granted = yield* this.#slots.release(execution_id, fence, this.#clock.now())
          yield* onFreed(release, granted)
        }
        if (this.#owed.get(execution_id) === release) this.#owed.delete(execution_id)
      }
    })
  }

  /** A counted line has no fence of its own: the call may hold one again by now. */
  #isTakenAgain({ execution_id, fence }: LostRelease): Effect.Effect<boolean, PortError> {
    if (fence !== countedFence) return Effect.succeed(false)
    return Effect.map(rowOf(this.#calls, execution_id), (row) => row !== null && holdsLine(row))
  }
}
