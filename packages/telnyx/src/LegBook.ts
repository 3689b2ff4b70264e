import type { Call, DialCommand } from "@carillon/core"
import { Newest } from "@carillon/core/carrier"
import { bounds } from "./Bounds.ts"
import { joined, type Story, untold, type VendorEvent, withEvent } from "./Story.ts"

/** What is known of a dial without asking Telnyx. */
export interface KnownLeg {
  readonly execution_id: string
  readonly to_number: string
  readonly record: boolean
  readonly story: Story
}

/** What the engine's row knows of a leg: it outlives every process. */
export const legOfRow = ({
  answered_at,
  answered_by_voicemail,
  call_sid,
  execution_id,
  record,
  to_number,
}: Call): KnownLeg => ({
  execution_id,
  to_number,
  record,
  story: {
    ...untold,
    call_sid,
    answerKeptAt: answered_at,
    verdict: answered_by_voicemail === true ? "machine" : null,
  },
})

/** What this process has dialled and heard by itself: more than the rows keep, and forgotten with the process. */
export class LegBook {
  readonly #legs = new Newest<KnownLeg>(bounds.rememberedLegs)

  dialled({ execution_id, record, to_number }: DialCommand): void {
    this.#keep({ execution_id, to_number, record, story: this.#legs.find(execution_id)?.story ?? untold })
  }

  /** Something was learnt of a leg; one that this process has not dialled is kept all the same. */
  learnt(leg: KnownLeg): void {
    const before = this.#legs.find(leg.execution_id)
    this.#keep(before === null ? leg : { ...leg, story: joined(before.story, leg.story) })
  }

  /** Telnyx told of a leg, in a webhook whose signature was checked. */
  heard(executionId: string, event: VendorEvent): Story {
    const before = this.#legs.find(executionId)
    const story = withEvent(before?.story ?? untold, event)
    if (before !== null) this.#keep({ ...before, story })
    return story
  }

  forget(executionId: string): void {
    this.#legs.forget(executionId)
  }

  find(executionId: string): KnownLeg | null {
    return this.#legs.find(executionId)
  }

  #keep(leg: KnownLeg): void {
    this.#legs.keep(leg.execution_id, leg)
  }
}
