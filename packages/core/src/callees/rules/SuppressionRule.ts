import type { TerminalCallStatus } from "../../calls/rules/CallStatus.ts"
import type { HangupReason } from "../../calls/rules/HangupReason.ts"
import type { SuppressionScope } from "./Callee.ts"

/** For which calls the end of a call suppresses its number. */
export const suppressFor = ["organization", "agent", "campaign"] as const

/** A value that a call's extracted data may have: texts are compared without their case, and without spaces around them. */
export interface ExtractedValue {
  readonly field: string
  readonly equals: ReadonlyArray<string | number | boolean>
}

/**
 * What must be known of a call that is over for its number to be suppressed: the calls that are looked at (`agent_id`, `campaign_id`; neither: all),
 * and of each list that is not empty one entry.
 */
export interface SuppressOn extends SuppressionScope {
  readonly outcomes: ReadonlyArray<TerminalCallStatus>
  readonly hangup_reasons: ReadonlyArray<HangupReason>
  readonly extracted: ReadonlyArray<ExtractedValue>
  readonly suppress_for: (typeof suppressFor)[number]
  /** For how many days of 24 hours; null: for good. */
  readonly days: number | null
  readonly reason: string | null
}
