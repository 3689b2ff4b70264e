import { DependencyTimeout, DependencyUnavailable, InsufficientCredits, LimitExceeded } from "../../Errors.ts"
import type { CallLimits } from "../../CallLimits.ts"
import { limits } from "../../Limits.ts"
import type { DialOutcome } from "../../telephony/rules/Dial.ts"
import type { Call } from "./Call.ts"

/** What a dial's outcome makes of the call, and what its requester is told besides the call. */
export interface DialResult {
  readonly call: Call
  readonly confirmed: boolean
  /** A definite refusal that the requester of a direct dial is answered with; the record stays either way. */
  readonly refusal: DependencyTimeout | DependencyUnavailable | InsufficientCredits | LimitExceeded | null
}

/** When to ask next about a dial whose answer was lost, while a carrier that knows no leg of it may not know it yet. */
export const questionDue = (lostAt: number, now: number): number =>
  lostAt + (limits.lostAnswerQuestionsMs.find((ms) => lostAt + ms > now) ?? limits.questionDelayMs)

/** The call was committed so late that the carrier was not asked any more. */
export const tooLate = { _tag: "TooLate" } as const

/** The hours in which the call might ring closed while it was committed, or its campaign ended: the carrier was not asked. */
export const closed = { _tag: "Closed" } as const

/** What became of a dial: the carrier's word, or why it was not asked. */
export type DialEnding = DialOutcome | typeof tooLate | typeof closed

/** A definite refusal that has nothing to do with who was dialled. */
export const isNobodysFault = (ending: DialEnding): boolean =>
  ending._tag === "TooLate" ||
  ending._tag === "Closed" ||
  (ending._tag === "Refused" && ending.kind !== "invalid_destination" && ending.kind !== "insufficient_funds")

/** Whether it ends the dial for good. */
export const isDefinite = (ending: DialEnding): boolean =>
  ending._tag === "TooLate" || ending._tag === "Closed" || ending._tag === "Refused"

const refused = (call: Call, now: number, changes: Partial<Call>): Call => ({
  ...call,
  dial: "refused",
  completed_at: now,
  final_report_at: now,
  due_at: null,
  updated_at: now,
  ...changes,
})

const carrierFault = (call: Call, now: number, error: string): Call =>
  refused(call, now, { status: "error", error, hangup_reason: "carrier_error" })

/** The call that nobody pays for, though the wallet is not empty: it ends, and is not a failure. */
export const unfunded = (call: Call, now: number): Call =>
  refused(call, now, { status: "balance-low", hangup_reason: "balance_low" })

/**
 * The call after the carrier answered the dial, or did not in time (decisions.md, "Calls"). A refused dial has no leg, so its line is
 * free at once; an unknown one holds its line, is asked about, and is never dialled again.
 */
export const applyDialOutcome = (
  call: Call,
  outcome: DialEnding,
  now: number,
  { ringGraceMs }: CallLimits,
): DialResult => {
  switch (outcome._tag) {
    case "TooLate":
    case "Closed":
      return {
        confirmed: false,
        refusal: new DependencyTimeout({ dependency: "call_storage" }),
        call: refused(call, now, { status: "error", error: "The call was stored too late to be placed." }),
      }
    case "Accepted":
      return {
        confirmed: true,
        refusal: null,
        call: {
          ...call,
          dial: "accepted",
          call_sid: call.call_sid ?? outcome.call_sid,
          from_number: call.from_number ?? outcome.from_number ?? null,
          due_at: now + call.timeout_seconds * 1000 + ringGraceMs,
          updated_at: now,
        },
      }
    case "Unknown":
      return {
        confirmed: false,
        refusal: null,
        call: {
          ...call,
          dial: "unconfirmed",
          answer_lost_at: now,
          due_at: questionDue(now, now),
          updated_at: now,
        },
      }
    case "Refused":
      switch (outcome.kind) {
        case "unreachable":
        case "rejected":
          return {
            confirmed: false,
            refusal: new DependencyUnavailable({ dependency: "telephony_service" }),
            call: carrierFault(call, now, "The telephony service is temporarily unavailable."),
          }
        case "throttled": {
          // `Retry-After` is in whole seconds, and "at once" is what was just refused.
          const seconds = Math.max(1, Math.ceil(outcome.retryAfterSeconds ?? 1))
          return {
            confirmed: false,
            refusal: new LimitExceeded({
              message: `The telephony service is busy. Retry in ${seconds}s.`,
              retryAfterSeconds: seconds,
            }),
            call: carrierFault(call, now, "The telephony service was busy."),
          }
        }
        case "insufficient_funds":
          return { confirmed: false, refusal: new InsufficientCredits(), call: unfunded(call, now) }
        case "invalid_destination":
          return {
            confirmed: true,
            refusal: null,
            call: refused(call, now, {
              status: "failed",
              error: "The destination is not a valid number.",
              hangup_reason: "invalid_destination",
            }),
          }
      }
  }
}
