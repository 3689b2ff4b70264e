import { Context, type Effect } from "effect"
import type { CallMedia, CallCost } from "../calls/Call.ts"
import type { HangupReason } from "../calls/HangupReason.ts"
import type { TerminalCallStatus } from "../calls/CallStatus.ts"
import type { JsonObject } from "../Json.ts"

/** What the carrier needs to place one leg. `execution_id` is the key under which it can be asked about for ever. */
export interface DialCommand {
  readonly execution_id: string
  readonly organization_id: string
  readonly agent_id: string
  readonly campaign_id: string | null
  readonly contact_id: string | null
  readonly retry_count: number
  readonly is_follow_up: boolean
  /** Replaces the agent's own prompt where it is not null. */
  readonly prompt: string | null
  readonly to_number: string
  readonly from_number: string | null
  readonly timeout_seconds: number
  readonly record: boolean
  readonly variables: JsonObject
}

/**
 * The carrier's answer to a dial. `Unknown`: it may or may not be live, and is never dialled again. `Refused` is definite:
 * no leg exists. `insufficient_funds`: nobody pays for this call. `throttled` carries the carrier's own Retry-After in seconds where it gave one. An accepted dial
 * without a caller ID tells which registered number the carrier chose.
 */
export type DialOutcome =
  | { readonly _tag: "Accepted"; readonly call_sid: string | null; readonly from_number?: string }
  | {
      readonly _tag: "Refused"
      readonly kind: "unreachable" | "rejected" | "invalid_destination" | "insufficient_funds"
    }
  | { readonly _tag: "Refused"; readonly kind: "throttled"; readonly retryAfterSeconds: number | null }
  | { readonly _tag: "Unknown" }

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

/** The port to the carrier. Nothing here fails: each answer says what is known. Reports come in through `Engine.report`. */
export class Telephony extends Context.Service<
  Telephony,
  {
    readonly dial: (command: DialCommand) => Effect.Effect<DialOutcome>
    /** `Sent` also when it cannot be known whether the request arrived: hanging up is best effort. */
    readonly hangup: (executionId: string, callSid: string | null) => Effect.Effect<"Sent" | "Refused">
    readonly find: (executionId: string) => Effect.Effect<Asked>
  }
>()("@carillon/core/telephony/Telephony") {}
