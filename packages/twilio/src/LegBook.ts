import { type Call, type DialCommand, limits } from "@carillon/core"
import { Newest } from "@carillon/core/carrier"
import { bounds } from "./Bounds.ts"

/** What is known of a dial without asking Twilio. */
export interface KnownLeg {
  readonly execution_id: string
  readonly to_number: string
  /** When it was dialled, at the earliest, and at the latest where that is known; epoch milliseconds. */
  readonly since: number
  readonly until: number | null
  readonly record: boolean
  /** Null while Twilio has not named it. */
  readonly call_sid: string | null
  /** What Twilio said of who answered, where it did. */
  readonly answeredBy: string | null
}

/** A booked call is dialled at its time, any other one when it is made. */
const plannedAt = (call: Call): number => Math.max(call.created_at, call.scheduled_at ?? 0)

/** What the engine's row knows of a leg: it outlives every process. */
export const legOfRow = (call: Call): KnownLeg => ({
  execution_id: call.execution_id,
  to_number: call.to_number,
  since: call.answer_lost_at === undefined ? plannedAt(call) : call.answer_lost_at - limits.dialAcknowledgementMs,
  until: call.answer_lost_at ?? null,
  record: call.record,
  call_sid: call.call_sid,
  answeredBy: call.answered_by_voicemail === true ? "machine" : null,
})

/** What this process has dialled and heard by itself: faster than the rows, and forgotten with the process. */
export class LegBook {
  readonly #legs = new Newest<KnownLeg>(bounds.rememberedLegs)

  dialled({ execution_id, record, to_number }: DialCommand, since: number): void {
    this.#keep({ execution_id, to_number, since, until: null, record, call_sid: null, answeredBy: null })
  }

  /** Twilio names the leg of an execution, in its answer or in a callback whose signature was checked. */
  heard(executionId: string, news: Partial<Pick<KnownLeg, "call_sid" | "answeredBy">>): void {
    const leg = this.#legs.find(executionId)
    if (leg !== null) this.#keep({ ...leg, ...news })
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
