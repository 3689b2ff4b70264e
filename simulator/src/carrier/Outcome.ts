import type { CostBreakdown, TurnTiming } from "@carillon/core/domain"

/** How a leg can go (simulator control contract, "Telephony"). */
export const outcomeResults = [
  "completed",
  "busy",
  "no-answer",
  "voicemail",
  "failed",
  "error",
  "call-disconnected",
  "rejected",
  "invalid",
  "unreachable",
  "unconfirmed",
  "silent",
] as const

export type OutcomeResult = (typeof outcomeResults)[number]

export type Sentiment = "positive" | "neutral" | "negative"

/** One measured turn; a part left out was not measured. */
export interface OutcomeTurn {
  readonly heard_ms?: number
  readonly first_token_ms?: number
  readonly last_token_ms?: number
  readonly first_audio_ms?: number
  readonly audio_end_ms?: number
}

/** How one leg goes. Whatever is left out is drawn from the seed. */
export interface Outcome {
  readonly result: OutcomeResult
  readonly ring_ms?: number
  readonly talk_ms?: number
  readonly processing_ms?: number
  readonly hangup_by?: "agent" | "customer"
  readonly recording?: boolean
  readonly sentiment?: Sentiment
  readonly transcript?: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly cost?: { readonly total?: number; readonly breakdown?: Partial<CostBreakdown> }
  readonly turns?: ReadonlyArray<OutcomeTurn>
  readonly duplicate_reports?: boolean
  readonly reorder_reports?: boolean
  readonly hangup_refused?: boolean
  readonly ack_delay_ms?: number
}

/** An outcome and the oddities that only magic numbers bring about. */
export interface Script extends Omit<Outcome, "result"> {
  readonly result: OutcomeResult | "throttled" | "never-dialled"
  /** From the dial to the first report; drawn otherwise. */
  readonly leg_report_ms?: number
  /** What a throttling carrier asks for; null: nothing. */
  readonly retry_after_seconds?: number | null
  /** From the end of the leg to its analysis. */
  readonly analysis_ms?: number
  /** The carrier loses the leg's state in the middle of the talk. */
  readonly state_lost?: boolean
  /** A fact is corrected after everything was reported. */
  readonly corrected?: boolean
  readonly transcript_as_text?: boolean
}

/** The parts of a turn as the engine stores them. */
export const turnTiming = (turn: OutcomeTurn): TurnTiming => ({
  final_transcript_ms: turn.heard_ms ?? null,
  first_token_ms: turn.first_token_ms ?? null,
  last_token_ms: turn.last_token_ms ?? null,
  first_audio_ms: turn.first_audio_ms ?? null,
  complete_ms: turn.audio_end_ms ?? null,
})
