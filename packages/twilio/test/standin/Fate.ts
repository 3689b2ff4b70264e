import type { FinalStatus } from "./Contract.ts"
import type { Asked } from "./Parameters.ts"
import type { StreamWays } from "./StreamWays.ts"

/** https://www.twilio.com/docs/voice/answering-machine-detection */
export const verdicts = [
  "human",
  "machine_start",
  "machine_end_beep",
  "machine_end_silence",
  "machine_end_other",
  "fax",
  "unknown",
] as const

export type Verdict = (typeof verdicts)[number]

/** What becomes of a call, if nobody hangs it up before. What is left out is in `standardFate`. */
export interface Fate {
  readonly outcome: FinalStatus
  /** From dialling to the first ring. A call that fails does not ring: it ends then. */
  readonly setup_s?: number
  /** From the first ring to the answer, to busy, or to the end. Never longer than the call's `Timeout`. */
  readonly ring_s?: number
  /** From the answer to the callee's hanging up. Never longer than the call's `TimeLimit`. */
  readonly talk_s?: number
  /** Who answered, as the detection finds, where it was asked for. */
  readonly answered_by?: Verdict
  /** How long the detection takes. Never longer than the call's `MachineDetectionTimeout`, and then it is `unknown`. */
  readonly detection_s?: number
  /** What an answered call costs, in the account's currency; null: nothing is ever charged. */
  readonly price?: number | null
  /** From the end to the price. */
  readonly priced_after_s?: number
  /** The error of the call's first stream. `StreamWays.ts` says for each whether it is never opened, breaks, is closed by its host, or goes on. */
  readonly stream_error?: number | null
  /** From the opening of its socket until the error. */
  readonly stream_s?: number
  /** What the pages leave open of streams. */
  readonly stream_ways?: Partial<StreamWays>
  readonly recording?: "completed" | "absent"
  /** From the end to the recording. */
  readonly recorded_after_s?: number
}

/** Twilio answers the dial with this error: there is no call. */
export interface Refusal {
  /** The code. */
  readonly refused: number
  /** The HTTP status, which a code that `Errors.ts` does not know must have. */
  readonly status?: number
  /** Sent as `Retry-After`. */
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

/** With all that was left out. The price is the vendor's usual one by the minute where the script names none. */
export type WholeFate = Required<Omit<Fate, "price">> & { readonly price: number | null | "by the minute" }

const pricePerMinute = 0.014

/** Seconds that were begun as minutes, as they are billed. */
export const minutesOf = (seconds: number): number => Math.ceil(seconds / 60)

const standardFate = {
  setup_s: 1,
  ring_s: 5,
  talk_s: 20,
  answered_by: "human",
  detection_s: 3,
  priced_after_s: 5,
  stream_error: null,
  stream_s: 2,
  stream_ways: {},
  recording: "completed",
  recorded_after_s: 3,
} as const

export const wholeFate = (fate: Fate): WholeFate => ({ ...standardFate, price: "by the minute", ...fate })

/** What a call of so many seconds costs. */
export const priceOf = ({ price }: WholeFate, seconds: number): number | null =>
  price === "by the minute" ? pricePerMinute * minutesOf(seconds) : price

/** Everybody answers and talks a little. */
export const everybodyAnswers: Script = () => ({ outcome: "completed" })
