import type { LegEnd } from "@carillon/core"
import type { HangupReason } from "@carillon/core/domain"

/** Why a leg ended, in Telnyx's words (`hangup_cause` of `call.hangup`). */
export const hangupCauses = [
  "normal_clearing",
  "time_limit",
  "timeout",
  "no_answer",
  "user_busy",
  "call_rejected",
  "not_found",
  "originator_cancel",
  "unspecified",
] as const

/** What Telnyx says of a leg that is over. */
export interface HangupWords {
  /** A word that nobody knows means as little as `unspecified`. */
  readonly cause: string
  /** Who ended it: `callee`, `caller` (that is Telnyx, for us), `unknown`. */
  readonly source: string | null
  /** The SIP answer of the callee's side; `unspecified` where there was none. */
  readonly sipCode: string | null
  /** Whether the callee answered; null where nobody has heard of it. */
  readonly wasAnswered: boolean | null
  readonly seconds: number | null
  /** Who answered, as the detection found. */
  readonly verdict: string | null
}

interface Meaning {
  readonly status: LegEnd["status"]
  readonly reason: HangupReason | null
}

const busy: Meaning = { status: "busy", reason: "dial_busy" }
const noAnswer: Meaning = { status: "no-answer", reason: "dial_no_answer" }
const failed: Meaning = { status: "failed", reason: "dial_failed" }
const noSuchNumber: Meaning = { status: "failed", reason: "invalid_destination" }
const completed: Meaning = { status: "completed", reason: null }

/** What the SIP answer of a leg means that was not answered; one that is not here is a failure. */
export const sipMeanings: Readonly<Record<string, Meaning>> = {
  "404": noSuchNumber,
  "408": noAnswer,
  "410": noSuchNumber,
  "480": noAnswer,
  "484": noSuchNumber,
  "486": busy,
  "487": noAnswer,
  "600": busy,
  "603": busy,
  "604": noSuchNumber,
  "607": busy,
  "608": busy,
}

const bySip = (sipCode: string | null): Meaning => sipMeanings[sipCode ?? ""] ?? failed

/** A callee who declines says so with these; another code is that of a network that did not let the call through. */
const declined: ReadonlySet<string> = new Set(["486", "600", "603", "607", "608", "unspecified", ""])

/** What each cause means of a leg that was not answered. `normal_clearing` is said of conversations alone. */
const unansweredMeaning = ({ cause, sipCode }: HangupWords): Meaning => {
  switch (hangupCauses.find((known) => known === cause)) {
    case "normal_clearing":
    case "time_limit":
      return completed
    case "timeout":
    case "no_answer":
      return noAnswer
    case "user_busy":
      return busy
    case "call_rejected":
      return declined.has(sipCode ?? "") ? busy : failed
    case "not_found":
      return noSuchNumber
    // Somebody took the leg back before it was answered, be it we or an operator.
    case "originator_cancel":
      return { status: "stopped", reason: "user_request" }
    case "unspecified":
    case undefined:
      return bySip(sipCode)
  }
}

/** Who hung up a conversation. Our side is the agent's: what the engine has stopped itself it knows already. */
const partyOf = ({ cause, source }: HangupWords): Pick<LegEnd, "hangup_by" | "hangup_reason"> => {
  if (cause === "time_limit") return { hangup_by: null, hangup_reason: "max_duration_reached" }
  if (source === "callee") return { hangup_by: "customer", hangup_reason: "user_hangup" }
  if (source === "caller") return { hangup_by: "agent", hangup_reason: "agent_hangup" }
  return { hangup_by: null, hangup_reason: null }
}

/** Whether a machine answered; null while nobody can say. Words of both kinds of detection. */
export const isMachine = (verdict: string | null): boolean | null => {
  switch (verdict) {
    case "machine":
      return true
    case "human":
    case "human_residence":
    case "human_business":
    case "fax_detected":
      return false
    default:
      return null
  }
}

/** How a leg ended. A machine or a fax that answered is nobody who was reached. */
export const endOf = (words: HangupWords): LegEnd => {
  const meaning = words.wasAnswered === true ? completed : unansweredMeaning(words)
  const nothing = { answered_by_voicemail: null, hangup_by: null, error: null }
  if (meaning.status !== "completed") {
    return { ...nothing, status: meaning.status, hangup_reason: meaning.reason, duration_seconds: 0 }
  }
  const end = { ...nothing, ...partyOf(words), duration_seconds: words.seconds }
  const machine = isMachine(words.verdict)
  if (machine === true) {
    return { ...end, status: "no-answer", hangup_reason: "voicemail_reached", answered_by_voicemail: true }
  }
  return {
    ...end,
    status: words.verdict === "fax_detected" ? "no-answer" : "completed",
    answered_by_voicemail: machine,
  }
}

/** A leg that is over, of which Telnyx no longer says how it ended. */
export const endUnknown: LegEnd = {
  status: "error",
  duration_seconds: null,
  answered_by_voicemail: null,
  hangup_by: null,
  hangup_reason: "carrier_error",
  error: "Telnyx does not say how the call ended.",
}
