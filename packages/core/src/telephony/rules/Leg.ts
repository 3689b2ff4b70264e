import type { CallMedia, CallCost } from "../../calls/rules/Call.ts"
import type { HangupReason } from "../../calls/rules/HangupReason.ts"
import type { TerminalCallStatus } from "../../calls/rules/CallStatus.ts"
import type { JsonObject } from "../../Json.ts"

/** How a leg ended, as far as the carrier says. */
export interface LegEnd {
  readonly status: TerminalCallStatus
  readonly duration_seconds: number | null
  readonly answered_by_voicemail: boolean | null
  readonly hangup_by: "agent" | "customer" | null
  readonly hangup_reason: HangupReason | null
  readonly error: string | null
}

/** The facts of the final report: what only the end of the leg can tell. */
export interface LegFacts {
  /** An absolute http or https address of at most `recordingAddressCharacters`; what is none is told as an error and left out. */
  readonly recording_url: string | null
  readonly cost: Omit<CallCost, "currency"> | null
  readonly media: Pick<CallMedia, "transcript" | "setup" | "turns"> | null
}

/** The outcome of the analysis, which comes after the final report and holds no line. */
export interface LegAnalysis {
  readonly summary: string | null
  readonly sentiment: "positive" | "neutral" | "negative" | null
  readonly extracted_data: JsonObject | null
}

/** What a carrier reports of a leg. Reports may be late, doubled or out of order; `at` is the carrier's own time. */
export type CarrierReport = {
  readonly execution_id: string
  readonly at: number
  readonly call_sid: string | null
} & (
  | { readonly type: "initiated" | "ringing" | "answered" }
  | { readonly type: "ended"; readonly end: LegEnd }
  | { readonly type: "final"; readonly end: LegEnd; readonly facts: LegFacts }
  | { readonly type: "analysis"; readonly analysis: LegAnalysis }
  | { readonly type: "corrected"; readonly facts: Partial<LegFacts>; readonly end: Partial<LegEnd> }
  /** Telephony lost the leg's state and goes on under a new record: the dispatch record folds into it. */
  | { readonly type: "recovered"; readonly surviving_execution_id: string }
)

/**
 * What became of a report: it changed the call, it brought nothing that was not known, or no call has its id. Each of them is an answer for
 * good: the report need not be sent again.
 */
export type ReportReceipt = "applied" | "repeated" | "unknown_execution"

/**
 * The carrier's answer when it is asked about an execution. `Unknown`: it knows no leg of it, but a dial may still be on its way to it.
 * `NeverDialled`: there is none, and it will take no dial under this id any more; only a carrier that refuses such a dial may say so.
 */
export type LegState =
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "NeverDialled" }
  | {
      readonly _tag: "Live"
      readonly call_sid: string | null
      readonly phase: "initiated" | "ringing" | "answered"
    }
  | { readonly _tag: "Ended"; readonly call_sid: string | null; readonly end: LegEnd; readonly facts: LegFacts }

/** The carrier could not be asked. */
export type Asked = { readonly _tag: "NoAnswer" } | LegState
