import type { Call, DialCommand, LegEnd, LegFacts } from "@carillon/core"
import { isTerminal } from "@carillon/core/domain"
import { type Desk, Newest, type NotTaken, rowOf } from "@carillon/core/carrier"
import { Effect } from "effect"
import { bounds } from "./Bounds.ts"

type TerminalStatus = LegEnd["status"]

/** What is known of a leg without asking LiveKit. */
export interface KnownLeg {
  readonly execution_id: string
  readonly record: boolean
  /** Dialled by this process, which hears of it first. */
  readonly isOwn: boolean
  readonly call_sid: string | null
  /** When the callee answered, in epoch milliseconds; null: not yet, or nobody here has heard. */
  readonly answeredAt: number | null
  /** Whether a machine answered; null while nobody has said. */
  readonly machine: boolean | null
  /** The request that waits for the answer is open, so that its SIP code is still to come. */
  readonly pending: boolean
  /** That the leg has left its room, heard while its request was open. */
  readonly left: { readonly reason: number; readonly at: number } | null
  /** Until when the end of a leg that another process dialled is left to that one, in epoch milliseconds; null: nobody has heard of its end. */
  readonly codeUntil: number | null
  /** Somebody wants it ended, perhaps before it was there. */
  readonly unwanted: boolean
  /** Why the leg was taken out of its room although it was not over: nobody spoke with the callee. Null where it was not. */
  readonly unspoken: string | null
  readonly end: LegEnd | null
  readonly facts: LegFacts
  /** The final report was given and taken. */
  readonly isFinal: boolean
}

const noFacts: LegFacts = { recording_url: null, cost: null, media: null }

const unheard = {
  isOwn: false,
  call_sid: null,
  answeredAt: null,
  machine: null,
  pending: false,
  left: null,
  codeUntil: null,
  unwanted: false,
  unspoken: null,
  end: null,
  facts: noFacts,
  isFinal: false,
} as const

const endOfRow = (call: Call, status: TerminalStatus): LegEnd => ({
  status,
  duration_seconds: call.duration_seconds,
  answered_by_voicemail: call.answered_by_voicemail,
  hangup_by: call.hangup_by,
  hangup_reason: call.hangup_reason,
  error: call.error,
})

const factsOfRow = ({ cost, recording_url }: Call): LegFacts => ({
  recording_url,
  cost: cost === null ? null : { total: cost.total, breakdown: cost.breakdown },
  media: null,
})

/** What the engine's row knows of a leg: it outlives every process, and LiveKit, which forgets a leg when it ends. */
const legOfRow = (call: Call): KnownLeg => {
  const { status } = call
  // A call that was stopped may have a leg that is still to end.
  const isOver = isTerminal(status) && (status !== "stopped" || call.final_report_at !== null)
  return {
    ...unheard,
    execution_id: call.execution_id,
    record: call.record,
    call_sid: call.call_sid,
    answeredAt: call.answered_at,
    machine: call.answered_by_voicemail,
    end: isOver && isTerminal(status) ? endOfRow(call, status) : null,
    facts: factsOfRow(call),
    isFinal: call.final_report_at !== null,
  }
}

/** What this process has dialled and heard by itself: faster than the rows, and forgotten with the process. */
export class LegBook {
  readonly #legs = new Newest<KnownLeg>(bounds.rememberedLegs)
  readonly #settled = new Map<string, Array<() => void>>()

  dialled({ execution_id, record }: DialCommand): void {
    this.#keep({ ...unheard, execution_id, record, isOwn: true, unwanted: this.find(execution_id)?.unwanted ?? false })
  }

  /** Takes over what the rows know of a leg that was dialled elsewhere, beside what was heard of it here. */
  learn(row: KnownLeg): KnownLeg {
    const heard = this.find(row.execution_id)
    const leg =
      heard === null
        ? row
        : {
            ...heard,
            call_sid: heard.call_sid ?? row.call_sid,
            answeredAt: heard.answeredAt ?? row.answeredAt,
            machine: heard.machine ?? row.machine,
            end: heard.end ?? row.end,
            isFinal: heard.isFinal || row.isFinal,
          }
    this.#keep(leg)
    return leg
  }

  heard(executionId: string, news: Partial<Omit<KnownLeg, "execution_id">>): void {
    const leg = this.find(executionId)
    if (leg === null) return
    this.#keep({ ...leg, ...news })
    if (news.pending === false) this.#settle(executionId)
  }

  forget(executionId: string): void {
    this.#legs.forget(executionId)
    this.#settle(executionId)
  }

  find(executionId: string): KnownLeg | null {
    return this.#legs.find(executionId)
  }

  /** Waits until the request of a leg is answered, in the machine's own time; false where it was not answered in time. */
  async settled(executionId: string, ms: number): Promise<boolean> {
    if (this.find(executionId)?.pending !== true) return true
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms)
      const waiting = this.#settled.get(executionId) ?? []
      this.#settled.set(executionId, [
        ...waiting,
        () => {
          clearTimeout(timer)
          resolve(true)
        },
      ])
    })
  }

  #settle(executionId: string): void {
    const waiting = this.#settled.get(executionId) ?? []
    this.#settled.delete(executionId)
    for (const done of waiting) done()
  }

  #keep(leg: KnownLeg): void {
    const gone = this.#legs.keep(leg.execution_id, leg)
    if (gone !== null) this.#settle(gone)
  }
}

/**
 * What is known of a leg, here or in the rows; null: this engine has no such call. Failing: the rows could not be asked, and whoever asks
 * comes again.
 */
export const knownLeg = (book: LegBook, desk: Desk, executionId: string): Effect.Effect<KnownLeg | null, NotTaken> => {
  const leg = book.find(executionId)
  if (leg?.isOwn === true) return Effect.succeed(leg)
  return Effect.map(rowOf(desk, executionId), (row) => (row === null ? leg : book.learn(legOfRow(row))))
}
