import type { LegEnd, LegState } from "@carillon/core"
import type { Price } from "@carillon/core/carrier"
import { Schema } from "effect"

/** How far a leg is, in Twilio's words: those of the API (`call_enum_status`) and `initiated`, which only callbacks say. */
export const callStatuses = [
  "queued",
  "initiated",
  "ringing",
  "in-progress",
  "completed",
  "busy",
  "no-answer",
  "failed",
  "canceled",
] as const

export type TwilioCallStatus = (typeof callStatuses)[number]

/** Who answered, in the words of its answering-machine detection; empty or left out where it was off. */
export const answerers = [
  "human",
  "machine_start",
  "machine_end_beep",
  "machine_end_silence",
  "machine_end_other",
  "machine",
  "fax",
  "unknown",
] as const

type Phase = Extract<LegState, { readonly _tag: "Live" }>["phase"]

type Meaning =
  | { readonly phase: Phase }
  | { readonly status: LegEnd["status"]; readonly hangup_reason: LegEnd["hangup_reason"] }

/** What each status means. Twilio does not say who hung up, so a conversation that ended has no reason. */
const meanings: Readonly<Record<TwilioCallStatus, Meaning>> = {
  queued: { phase: "initiated" },
  initiated: { phase: "initiated" },
  ringing: { phase: "ringing" },
  "in-progress": { phase: "answered" },
  completed: { status: "completed", hangup_reason: null },
  busy: { status: "busy", hangup_reason: "dial_busy" },
  "no-answer": { status: "no-answer", hangup_reason: "dial_no_answer" },
  failed: { status: "failed", hangup_reason: "dial_failed" },
  // Somebody took the leg back before it was answered, be it we or an operator at Twilio's console. Not `canceled`: a call that has a leg cannot
  // end so.
  canceled: { status: "stopped", hangup_reason: "user_request" },
}

/** Final SIP answers that say that there is no such number. */
const noSuchNumber: ReadonlySet<string> = new Set(["404", "410", "484", "604"])

/** What is known of a leg besides its status. */
export interface LegWords {
  readonly status: TwilioCallStatus
  readonly seconds: number | null
  readonly answeredBy: string | null
  readonly sipCode: string | null
}

/** Whether a machine answered, for all that its name begins with; null while nobody can say. */
export const isMachine = (answeredBy: string | null): boolean | null => {
  if (answeredBy === null || answeredBy === "" || answeredBy === "unknown") return null
  return answeredBy.startsWith("machine")
}

/** The phase or the end that Twilio's words mean. A machine or a fax that answered is nobody who was reached. */
export const meaningOf = ({ answeredBy, seconds, sipCode, status }: LegWords): { phase: Phase } | { end: LegEnd } => {
  const meaning = meanings[status]
  if ("phase" in meaning) return { phase: meaning.phase }
  const end = { ...meaning, answered_by_voicemail: null, hangup_by: null, error: null }
  if (status === "failed" && sipCode !== null && noSuchNumber.has(sipCode)) {
    return { end: { ...end, hangup_reason: "invalid_destination", duration_seconds: 0 } }
  }
  if (status !== "completed") return { end: { ...end, duration_seconds: 0 } }
  const machine = isMachine(answeredBy)
  if (machine === true) {
    const found = { status: "no-answer", hangup_reason: "voicemail_reached", answered_by_voicemail: true } as const
    return { end: { ...end, ...found, duration_seconds: seconds } }
  }
  const reached = answeredBy === "fax" ? ("no-answer" as const) : end.status
  return { end: { ...end, status: reached, answered_by_voicemail: machine, duration_seconds: seconds } }
}

const Text = Schema.NullOr(Schema.String)

/** A call as Twilio's API shows it (schema `api.v2010.account.call`): of its fields those that are used here. */
export const VendorCall = Schema.Struct({
  sid: Schema.String,
  status: Schema.Literals(callStatuses),
  direction: Schema.optional(Text),
  date_created: Schema.optional(Text),
  date_updated: Schema.optional(Text),
  end_time: Schema.optional(Text),
  duration: Schema.optional(Text),
  price: Schema.optional(Text),
  price_unit: Schema.optional(Text),
  answered_by: Schema.optional(Text),
})
export type VendorCall = typeof VendorCall.Type

/** What Twilio charges is told as a negative number, as text, and some time after the end. */
export const priceOf = ({ price, price_unit }: VendorCall): Price | null => {
  if (price === null || price === undefined || price === "") return null
  const amount = Math.abs(Number(price))
  return Number.isFinite(amount) ? { amount, currency: (price_unit ?? "USD").toUpperCase() } : null
}

/** Whole seconds as Twilio writes them: as text, null or empty where there are none. */
export const secondsOf = (text: string | null | undefined): number | null => {
  if (text === null || text === undefined || text === "") return null
  const seconds = Number(text)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null
}

/** A time as Twilio writes it (RFC 2822), in epoch milliseconds. */
export const timeOf = (text: string | null | undefined): number | null => {
  const time = Date.parse(text ?? "")
  return Number.isNaN(time) ? null : time
}

/** When a leg ended, null while it goes on. One that nobody answered may be shown without an end: then it is when it changed last. */
export const endOfLeg = ({ date_updated, end_time, status }: VendorCall): number | null =>
  timeOf(end_time) ?? ("phase" in meanings[status] ? null : timeOf(date_updated))

/** The words of a call as the API shows it; what was heard of its answerer meanwhile counts where the call does not say. */
export const wordsOf = (call: VendorCall, heard: string | null): LegWords => ({
  status: call.status,
  seconds: secondsOf(call.duration),
  answeredBy: call.answered_by ?? heard,
  sipCode: null,
})
