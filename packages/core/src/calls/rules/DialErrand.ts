import type { Call } from "./Call.ts"
import { closed, type DialEnding, tooLate } from "./DialOutcomes.ts"

/** The line of a call is held, and the carrier is asked to dial it. */
export interface DialsCall {
  readonly errand: "call.dial"
  /** The id of the call. */
  readonly subject: string
  /** The call as it was written, with its line. */
  readonly placed: Call
  /** The booked call that it was; null where it was not there before. */
  readonly before: Call | null
  /** The reservation that was made for it, and until when it lasts (epoch milliseconds); null where its line is counted. */
  readonly reserved: { readonly fence: number; readonly until: number } | null
  /** From when on it may not ring any more (epoch milliseconds). */
  readonly until: number
  /** Since when it could have been dialled (epoch milliseconds). */
  readonly due_at: number
}

/** A call with the line that was taken for it, as it is to be written before it is dialled. */
export interface Lined extends Pick<DialsCall, "placed" | "reserved" | "due_at"> {}

/** Dials a call, once it is written. */
export const dialsCall = (dial: Omit<DialsCall, "errand" | "subject">): DialsCall => {
  const { before, due_at, placed, reserved, until } = dial
  return { errand: "call.dial", subject: placed.execution_id, placed, before, reserved, until, due_at }
}

/**
 * What is known of the line of a call that is to be dialled. `Late`: its reservation has ended by the clock, and may be somebody else's line by
 * now, even where the reconciler has restored this one. `Unknown`: the slot store did not answer.
 */
export type LineHeld = "Held" | "Lapsed" | "Late" | "Unknown"

/** Why the carrier is not asked to dial a call: its hours have closed, its line was held too late, or there is none, or nobody any more who waits. */
export type Unasked = "closed" | "late" | "no_line"

/** Why the carrier is not asked to dial a call; null where it is. Who is gone is not called at another hour instead. */
export const unaskedFor = (
  { until }: Pick<DialsCall, "until">,
  line: LineHeld,
  isGone: boolean,
  now: number,
): Unasked | null => {
  // A store may take its time, and the clock closes hours without a row that could conflict.
  if (now >= until && !isGone) return "closed"
  if (line === "Late") return "late"
  return line !== "Held" || isGone ? "no_line" : null
}

/** What a contact's dial ended with that was never asked for: its hours are no fault of the line. */
export const endingOf = (because: Unasked): DialEnding => (because === "closed" ? closed : tooLate)
