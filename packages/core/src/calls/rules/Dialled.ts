import type { CallLimits } from "../../CallLimits.ts"
import { raised } from "../../engine/rules/Put.ts"
import { DependencyTimeout, LimitExceeded } from "../../Errors.ts"
import { limits } from "../../Limits.ts"
import { concurrencyMessage } from "../../limits/rules/SlotLevels.ts"
import type { Call } from "./Call.ts"
import type { Unasked } from "./DialErrand.ts"
import { applyDialOutcome, type DialEnding, type DialResult, isNobodysFault } from "./DialOutcomes.ts"

/** No line at any price: what the requester of a direct dial is told, and why a scheduled call is booked anew. */
export const noLine = (figures: { readonly used: number; readonly max: number } | null): LimitExceeded =>
  new LimitExceeded({ message: concurrencyMessage(figures), retryAfterSeconds: limits.directDialRetryAfterSeconds })

/** What whoever has asked for a dial is told that was taken back. */
export const refusalOf = (because: Unasked): LimitExceeded | DependencyTimeout =>
  because === "late" ? new DependencyTimeout({ dependency: "call_storage" }) : noLine(null)

/**
 * How a dial ended: it was taken, or at least asked for; it was refused, and its contact is held; or refused once more, which ended its attempt; or
 * its hours closed before it was asked for, and its contact waits as it did.
 */
export type DialEnd = "dialled" | "held" | "burned" | "closed"

/** What became of a call that was to be dialled: its row says how that ended, or it was taken back as if it had never been made. */
export type Dialled =
  | { readonly _tag: "Settled"; readonly result: DialResult; readonly end: DialEnd }
  | { readonly _tag: "TakenBack"; readonly because: Unasked }

const dialEnd = (ending: DialEnding, isWithdrawn: boolean): DialEnd => {
  if (ending._tag === "Closed") return "closed"
  if (isWithdrawn) return "held"
  return isNobodysFault(ending) ? "burned" : "dialled"
}

/** What is told of a dial by the carrier's word, or by why it was not asked: of its call as it was written when it was to be dialled. */
export const settledDial = (
  placed: Call,
  ending: DialEnding,
  now: number,
  times: CallLimits,
  isWithdrawn = false,
): Dialled => {
  const result = applyDialOutcome(placed, ending, now, times)
  return {
    _tag: "Settled",
    result: { ...result, call: raised(placed, result.call) },
    end: dialEnd(ending, isWithdrawn),
  }
}
