import { Effect } from "effect"
import { holdsLine } from "../calls/rules/Call.ts"
import type { CallStore } from "../calls/ports/CallStore.ts"
import type { DomainClock } from "../engine/ports/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { rowOf } from "./Comparison.ts"
import { countedFence } from "./Holders.ts"
import type { SlotStore } from "./ports/SlotStore.ts"

/** A line that was given back while the slot store could not hear it. */
interface LostRelease {
  readonly _tag: "Line"
  readonly execution_id: string
  readonly fence: number
  /** Who is told that a line is free; null where nobody is to be told. */
  readonly organization_id: string | null
}

/** A dial that asks no more: it may stand in line still, or be given a line that nobody would use. */
interface LostLeave {
  readonly _tag: "Place"
  readonly execution_id: string
}

/** Whether contacts of an organization wait for a line. */
interface LostWish {
  readonly _tag: "Wish"
  readonly organization_id: string
  readonly wanting: boolean
}

/** A word that the slot store could not hear. */
export type LostWord = LostRelease | LostLeave | LostWish

const nameOf = (word: LostWord): string =>
  `${word._tag} ${word._tag === "Wish" ? word.organization_id : word.execution_id}`

/**
 * What a process owes the slot store: the words that it could not hear, said again once it answers. The newest are kept; for a line that
 * is dropped, and for those of a process that died, there is the comparison with the rows, and a place lapses by itself.
 */
export class Owed {
  readonly #slots: SlotStore["Service"]
  readonly #calls: CallStore["Service"]
  readonly #clock: DomainClock["Service"]
  readonly #words = new Map<string, LostWord>()
  /** When to say them again. */
  #sayAt = -Infinity

  constructor(slots: SlotStore["Service"], calls: CallStore["Service"], clock: DomainClock["Service"]) {
    this.#slots = slots
    this.#calls = calls
    this.#clock = clock
  }

  /** Whether there is anything to say now; then not again for a while. */
  isToSay(): boolean {
    const now = this.#clock.now()
    if (this.#words.size === 0 || now < this.#sayAt) return false
    this.#sayAt = now + limits.releaseRetryMs
    return true
  }

  keep(word: LostWord): void {
    if (this.#words.size === 0) this.#sayAt = this.#clock.now() + limits.releaseRetryMs
    const name = nameOf(word)
    this.#words.delete(name)
    this.#words.set(name, word)
    for (const oldest of this.#words.keys()) {
      if (this.#words.size <= limits.lostWords) return
      this.#words.delete(oldest)
    }
  }

  /** The dial asks anew: what it gets from now on is its own. */
  asksAgain(executionId: string): void {
    this.#words.delete(nameOf({ _tag: "Place", execution_id: executionId }))
  }

  /** A newer word about the organization was heard. */
  hasHeard(organizationId: string): void {
    this.#words.delete(nameOf({ _tag: "Wish", organization_id: organizationId, wanting: false }))
  }

  /** Says all of them, the oldest first, up to the first that fails; `onFreed` hears of each line that was taken, and `granted` of the dials that got one. */
  say(
    onFreed: (organizationId: string) => Effect.Effect<void>,
    granted: (executionIds: ReadonlyArray<string>) => void,
  ): Effect.Effect<void, PortError> {
    return Effect.gen({ self: this }, function* () {
      for (const [name, word] of [...this.#words]) {
        // It may have been taken back while another was said.
        if (this.#words.get(name) !== word) continue
        if (word._tag !== "Line" || !(yield* this.#isTakenAgain(word))) {
          granted(yield* this.#sent(word))
          if (word._tag === "Line" && word.organization_id !== null) yield* onFreed(word.organization_id)
        }
        if (this.#words.get(name) === word) this.#words.delete(name)
      }
    })
  }

  #sent(word: LostWord): Effect.Effect<ReadonlyArray<string>, PortError> {
    const now = this.#clock.now()
    switch (word._tag) {
      case "Line":
        return this.#slots.release(word.execution_id, word.fence, now)
      case "Place":
        return this.#slots.leave(word.execution_id, now)
      case "Wish":
        return this.#slots.want(word.organization_id, word.wanting, now)
    }
  }

  /** A counted line has no fence of its own: the call may hold one again by now. */
  #isTakenAgain({ execution_id, fence }: LostRelease): Effect.Effect<boolean, PortError> {
    if (fence !== countedFence) return Effect.succeed(false)
    return Effect.map(rowOf(this.#calls, execution_id), (row) => row !== null && holdsLine(row))
  }
}
