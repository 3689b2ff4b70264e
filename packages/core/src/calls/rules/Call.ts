import type { AuditEntry } from "../../engine/rules/AuditEntry.ts"
import type { Json, JsonObject } from "../../Json.ts"
import type { SlotLevel } from "../../limits/rules/SlotLevels.ts"
import type { CallStatus } from "./CallStatus.ts"
import type { HangupReason } from "./HangupReason.ts"

/** What a call cost, by part; `total` is their sum, in the organization's currency. */
export interface CallCost {
  readonly total: number
  readonly currency: string
  readonly breakdown: CostBreakdown
}

export interface CostBreakdown {
  readonly llm: number
  readonly network: number
  readonly platform: number
  readonly synthesizer: number
  readonly telephony: number
  readonly transcriber: number
}

/**
 * How far the dial itself has come. `intended` is committed before the carrier is asked, so that a crash in between is found
 * and asked about; `unconfirmed` means that the carrier's word never came. Neither is ever dialled again, unless the carrier says that
 * there is no leg and never will be: then the dial counts as `refused`.
 */
export type DialState = "none" | "intended" | "accepted" | "unconfirmed" | "refused"

/** The line a call holds. */
export interface HeldSlot {
  /** The id under which the line is registered: the call's own, or that of the record which was folded into it. */
  readonly member: string
  /** Null where the slot store was away and the line was admitted by count; the reconciler registers it later. */
  readonly fence: number | null
  readonly levels: ReadonlyArray<{ readonly level: SlotLevel; readonly key: string }>
}

/** How far the processing of an ended call has come. Times are epoch milliseconds. */
export interface CallProcessing {
  /** When the analysis came in. */
  readonly analysed_at: number | null
  /** When the call counts as processed whatever is still missing: ten minutes after its end. Null: it has not ended, or is processed. */
  readonly due_at: number | null
  /** When everything was there, or the deadline passed. */
  readonly completed_at: number | null
  /** How often a fact was corrected that customers may have been told already. */
  readonly corrections: number
}

/** The facts that a carrier may correct after it told them. */
export type CorrectedFact = "duration_seconds" | "hangup_by" | "recording_url" | "cost"

/** One phone call made by one agent. Times are epoch milliseconds. */
export interface Call {
  readonly execution_id: string
  readonly organization_id: string
  readonly revision: number
  readonly status: CallStatus
  readonly direction: "inbound" | "outbound"
  readonly agent_id: string
  /** The agent's name when the call was made; events tell it, whatever the agent is called later. */
  readonly agent_name: string | null
  readonly batch_id: string | null
  readonly campaign_id: string | null
  readonly contact_id: string | null
  readonly parent_execution_id: string | null
  readonly retry_count: number
  readonly is_follow_up: boolean
  /** The prompt that this call runs with instead of its agent's own; only follow-ups have one. */
  readonly prompt: string | null
  /** The experiment that routed the call, and whether to its challenger; both null outside of one. */
  readonly ab_version_id: string | null
  readonly ab_is_variant: boolean | null
  readonly to_number: string
  readonly from_number: string | null
  readonly call_sid: string | null
  readonly duration_seconds: number | null
  readonly answered_by_voicemail: boolean | null
  readonly hangup_by: "agent" | "customer" | null
  readonly hangup_reason: HangupReason | null
  readonly recording_url: string | null
  readonly cost: CallCost | null
  readonly summary: string | null
  readonly sentiment: "positive" | "neutral" | "negative" | null
  readonly extracted_data: JsonObject | null
  readonly custom_analytics: ReadonlyArray<Json> | null
  readonly variables: JsonObject
  readonly error: string | null
  readonly scheduled_at: number | null
  readonly deferred_by_calling_guard: boolean
  readonly record: boolean
  readonly timeout_seconds: number
  readonly created_at: number
  readonly updated_at: number
  readonly completed_at: number | null
  readonly ringing_at: number | null
  readonly answered_at: number | null
  readonly stop: { readonly requested_at: number; readonly reason: string } | null
  readonly dial: DialState
  /** When the carrier's answer to the dial was given up, where it was. */
  readonly answer_lost_at?: number
  readonly slot: HeldSlot | null
  /** When the carrier's last word of the leg, with recording and cost, landed: from then on the call holds no line. */
  readonly final_report_at: number | null
  /** When to look at the call next: its booked time, or the moment to ask the carrier. Null: nothing is due. */
  readonly due_at: number | null
  readonly processing: CallProcessing
  /** The carrier's own time of the correction that each fact comes from; an older one that comes after it does not undo it. */
  readonly corrected_at?: Readonly<Partial<Record<CorrectedFact, number>>>
  /** What the wallet has paid for the call, once its cost was corrected: the highest cost so far, for nothing is given back. Absent: its cost. */
  readonly debited?: number
  /** How often the carrier has been asked without a final word, for the back-off. */
  readonly questions: number
  /** Set when the dispatch record was folded into a surviving record; such a row is not listed, and its id answers with the other. */
  readonly folded_into: string | null
  /** The record that was folded into this one. */
  readonly folded_from?: string
  /** The audit entry of a direct dial whose answer is not known yet (`DialAudit.ts`). */
  readonly unaudited?: AuditEntry
  /** Reports that the state machine refused, newest last, bounded. */
  readonly refused_reports: ReadonlyArray<{ readonly at: number; readonly from: CallStatus; readonly to: CallStatus }>
  /** Set where it is made though its number is suppressed. */
  readonly overrides_suppression?: true
  /** Set where it is made though the hours of its callee are closed. */
  readonly overrides_callee_hours?: true
  /** It was asked for though its number was called as often as call caps allow. */
  readonly overrides_call_caps?: true
  /** Its campaign had a breaker when it was dialled, which looks at how it ends. */
  readonly watched?: true
  /** When all that it says of the person called was erased (`Erasure.ts`), where it was. */
  readonly erased_at?: number
}

/** Whether a call holds a line: dialled, and the carrier's last word not yet heard. Calls that arrive take none. */
export const holdsLine = (call: Call): boolean =>
  call.direction === "outbound" && call.dial !== "none" && call.dial !== "refused" && call.final_report_at === null

/** Whether a call waits for a time that was agreed, and nobody has begun to dial it. */
export const isBooked = ({ status }: Call): boolean => status === "scheduled" || status === "rescheduled"

/** One turn of a conversation as the carrier hands it over. */
export interface TranscriptTurn {
  readonly role: string
  readonly content: string
  readonly start_ms: number | null
  readonly end_ms: number | null
}

/** The measured parts of one turn, in milliseconds; a part that was not measured is null. */
export interface TurnTiming {
  readonly final_transcript_ms: number | null
  readonly first_token_ms: number | null
  readonly last_token_ms: number | null
  readonly first_audio_ms: number | null
  readonly complete_ms: number | null
}

/** One-off connection costs before the conversation, in milliseconds. */
export interface SetupTiming {
  readonly stream_connect_ms: number | null
  readonly transcriber_connect_ms: number | null
  readonly language_model_connect_ms: number | null
  readonly synthesizer_connect_ms: number | null
  readonly time_to_first_audio_ms: number | null
}

/** What was said and how fast: kept apart from the call, so that lists stay small. */
export interface CallMedia {
  readonly execution_id: string
  readonly organization_id: string
  readonly revision: number
  readonly transcript: ReadonlyArray<TranscriptTurn> | string | null
  readonly setup: SetupTiming | null
  readonly turns: ReadonlyArray<TurnTiming> | null
  /** Set where the conversation was too large to be kept whole. */
  readonly truncated?: true
}
