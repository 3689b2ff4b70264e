import type { HangupCause, HangupSource } from "./Contract.ts"
import type { Asked } from "./Parameters.ts"

/** How a leg ends that nobody hangs up here. */
export type Outcome = "answered" | "busy" | "rejected" | "no_answer" | "not_found" | "failed"

/** What the detection finds; each kind of detection has its own words for it. */
export type Verdict = "human" | "machine" | "not_sure" | "fax" | "silence"

/** What becomes of a call, if nobody hangs it up before. What is left out is in `standardFate`. */
export interface Fate {
  readonly outcome: Outcome
  /** From the dial to the answer, or to the end of a leg that is not answered. Never longer than the call's `timeout_secs`. */
  readonly ring_s?: number
  /** From the answer to the callee's hanging up. Never longer than the call's `time_limit_secs`. */
  readonly talk_s?: number
  readonly answered_by?: Verdict
  readonly detection_s?: number
  /** Whether a machine's greeting ends with a beep, where its end is listened for. */
  readonly beep?: boolean
  /** From what was found to the end of the greeting. */
  readonly greeting_s?: number
  /** What an answered call costs; null: nothing is ever told of it. By the minute where it is left out. */
  readonly cost?: number | null
  readonly costed_after_s?: number
  /** Whether there is a recording in the end, where one was asked for. */
  readonly recorded?: boolean
  readonly recorded_after_s?: number
  /** Other words for the end than those that the outcome has. */
  readonly hangup_cause?: HangupCause
  readonly hangup_source?: HangupSource
  readonly sip_hangup_cause?: string
}

/** Telnyx answers the dial with this error: there is no call. */
export interface Refusal {
  readonly refused: number
  readonly status?: number
  readonly retry_after_s?: number
}

/** What the script knows of a call when it decides. */
export interface Wanted {
  readonly to: string
  readonly from: string
  /** Which call to this number it is, from 0. */
  readonly nth: number
  readonly asked: Asked
}

export type Script = (call: Wanted) => Fate | Refusal

type Kept = "hangup_cause" | "hangup_source" | "sip_hangup_cause" | "cost"
export type WholeFate = Required<Omit<Fate, Kept>> & Pick<Fate, Kept>

const standardFate = {
  ring_s: 6,
  talk_s: 20,
  answered_by: "human",
  detection_s: 3,
  beep: true,
  greeting_s: 4,
  costed_after_s: 5,
  recorded: true,
  recorded_after_s: 3,
} as const

export const wholeFate = (fate: Fate): WholeFate => ({ ...standardFate, ...fate })

/** The rate of the example in https://apispec.telnyx.com/call-cost-received-event-7389933d0 and a usual one of a trunk, together. */
export const ratePerMinute = 0.008

/** What a call of so many billed seconds costs; null: nobody is told. */
export const costOf = ({ cost }: WholeFate, seconds: number): number | null =>
  cost === undefined ? Number((ratePerMinute * Math.ceil(seconds / 60)).toFixed(6)) : cost

/** Everybody answers and talks a little. */
export const everybodyAnswers: Script = () => ({ outcome: "answered" })
