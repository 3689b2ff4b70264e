import type { LegEnd, LegState } from "@carillon/core"

export type Phase = Extract<LegState, { readonly _tag: "Live" }>["phase"]

/** What an end means, before what only the conversation tells is added: its length, and whether a machine answered. */
export type Meaning = Pick<LegEnd, "status" | "hangup_reason" | "hangup_by"> & { readonly error?: string }

const busy: Meaning = { status: "busy", hangup_reason: "dial_busy", hangup_by: null }
const noAnswer: Meaning = { status: "no-answer", hangup_reason: "dial_no_answer", hangup_by: null }
export const failed: Meaning = { status: "failed", hangup_reason: "dial_failed", hangup_by: null }
const noSuchNumber: Meaning = { status: "failed", hangup_reason: "invalid_destination", hangup_by: null }
export const takenBack: Meaning = { status: "stopped", hangup_reason: "user_request", hangup_by: null }
const byCallee: Meaning = { status: "completed", hangup_reason: "user_hangup", hangup_by: "customer" }
const byAgent: Meaning = { status: "completed", hangup_reason: "agent_hangup", hangup_by: "agent" }
const broken: Meaning = { status: "call-disconnected", hangup_reason: "carrier_error", hangup_by: null }
export const operators = (error: string): Meaning => ({
  status: "error",
  hangup_reason: "carrier_error",
  hangup_by: null,
  error,
})

/**
 * What a final SIP code means for a leg that was never answered (RFC 3261, RFC 8197 for 607, RFC 8688 for 608). LiveKit folds codes into few
 * reasons: 404 into "unavailable", and what the trunk's operator must mend into "rejected". So a code counts for more than a reason.
 */
export const sipCodes: Readonly<Record<number, Meaning>> = {
  401: operators("The trunk wants other credentials (SIP 401)."),
  402: operators("The trunk wants a payment (SIP 402)."),
  403: operators("The trunk forbids the call (SIP 403)."),
  404: noSuchNumber,
  407: operators("The trunk wants other credentials (SIP 407)."),
  408: noAnswer,
  410: noSuchNumber,
  480: noAnswer,
  484: noSuchNumber,
  486: busy,
  487: noAnswer,
  488: operators("The trunk does not take the media (SIP 488)."),
  600: busy,
  603: busy,
  604: noSuchNumber,
  606: operators("The trunk does not take the media (SIP 606)."),
  607: busy,
  608: busy,
}

/** Request terminated: nobody answered in time, or the request was taken back. */
export const cancelled = 487

/** Any other code is a call that failed. */
export const meaningOfSip = (code: number): Meaning => sipCodes[code] ?? failed

/** `DisconnectReason` of LiveKit's protocol, by its numbers. */
export const disconnectReasons = {
  UNKNOWN_REASON: 0,
  CLIENT_INITIATED: 1,
  DUPLICATE_IDENTITY: 2,
  SERVER_SHUTDOWN: 3,
  PARTICIPANT_REMOVED: 4,
  ROOM_DELETED: 5,
  STATE_MISMATCH: 6,
  JOIN_FAILURE: 7,
  MIGRATION: 8,
  SIGNAL_CLOSE: 9,
  ROOM_CLOSED: 10,
  USER_UNAVAILABLE: 11,
  USER_REJECTED: 12,
  SIP_TRUNK_FAILURE: 13,
  CONNECTION_TIMEOUT: 14,
  MEDIA_FAILURE: 15,
  AGENT_ERROR: 16,
} as const

export const agentFailed = "The agent failed."

/** What each reason means, before the callee answered and after. */
export const reasons: Readonly<Record<number, { readonly unanswered: Meaning; readonly answered: Meaning }>> = {
  // LiveKit does not say why either: a leg that it dropped.
  [disconnectReasons.UNKNOWN_REASON]: { unanswered: failed, answered: broken },
  // A BYE of the callee's. Before the answer the far end took the call back.
  [disconnectReasons.CLIENT_INITIATED]: { unanswered: noAnswer, answered: byCallee },
  [disconnectReasons.DUPLICATE_IDENTITY]: {
    unanswered: operators("Another participant took the leg's identity."),
    answered: operators("Another participant took the leg's identity."),
  },
  [disconnectReasons.SERVER_SHUTDOWN]: { unanswered: failed, answered: broken },
  [disconnectReasons.PARTICIPANT_REMOVED]: { unanswered: takenBack, answered: byAgent },
  [disconnectReasons.ROOM_DELETED]: { unanswered: takenBack, answered: byAgent },
  [disconnectReasons.STATE_MISMATCH]: { unanswered: failed, answered: broken },
  [disconnectReasons.JOIN_FAILURE]: {
    unanswered: operators("The leg could not join its room."),
    answered: operators("The leg could not join its room."),
  },
  [disconnectReasons.MIGRATION]: { unanswered: failed, answered: broken },
  [disconnectReasons.SIGNAL_CLOSE]: { unanswered: failed, answered: broken },
  [disconnectReasons.ROOM_CLOSED]: { unanswered: takenBack, answered: byAgent },
  [disconnectReasons.USER_UNAVAILABLE]: { unanswered: noAnswer, answered: broken },
  [disconnectReasons.USER_REJECTED]: { unanswered: busy, answered: broken },
  [disconnectReasons.SIP_TRUNK_FAILURE]: { unanswered: failed, answered: broken },
  [disconnectReasons.CONNECTION_TIMEOUT]: { unanswered: failed, answered: broken },
  [disconnectReasons.MEDIA_FAILURE]: { unanswered: failed, answered: broken },
  [disconnectReasons.AGENT_ERROR]: {
    unanswered: operators(agentFailed),
    answered: operators(agentFailed),
  },
}

const dropped = { unanswered: failed, answered: broken }

/** A reason that is not known here is a leg that was dropped. */
export const meaningOfReason = (reason: number, wasAnswered: boolean): Meaning => {
  const { answered, unanswered } = reasons[reason] ?? dropped
  return wasAnswered ? answered : unanswered
}

/** Whoever is taken out because nobody speaks with them left for that, whatever LiveKit calls it. */
export const meaningOfLeaving = (
  { unspoken }: { readonly unspoken: string | null },
  reason: number,
  wasAnswered: boolean,
): Meaning => {
  const isTakenOut = reason === disconnectReasons.PARTICIPANT_REMOVED
  return unspoken !== null && isTakenOut ? operators(unspoken) : meaningOfReason(reason, wasAnswered)
}

/** `JobStatus` of LiveKit's protocol: the agent's program ended well, or with an error. */
export const jobSucceeded = 2
export const jobFailed = 3

/** `sip.callStatus` of a participant, as LiveKit's SIP service sets it; `hangup` is a leg that is about to go. */
export const callPhases: Readonly<Record<string, Phase>> = {
  dialing: "initiated",
  ringing: "ringing",
  automation: "answered",
  active: "answered",
}

/** Those of a leg that was answered: `hangup` is set where a talk ends, and on no leg that only rang (livekit/sip, `CallStatus.Attribute`). */
export const answeredStatuses: ReadonlySet<string> = new Set(["active", "automation", "hangup"])

export interface Talk {
  readonly answeredAt: number | null
  readonly endedAt: number
  readonly machine: boolean | null
}

/** The end of a leg. A machine that answered is nobody who was reached, unless the call ended by a fault. */
export const endOf = (meaning: Meaning, { answeredAt, endedAt, machine }: Talk): LegEnd => {
  const seconds = answeredAt === null ? 0 : Math.max(0, Math.round((endedAt - answeredAt) / 1000))
  const isAnswered = meaning.status === "completed" || meaning.status === "call-disconnected"
  const end: LegEnd = {
    status: meaning.status,
    hangup_reason: meaning.hangup_reason,
    hangup_by: meaning.hangup_by,
    error: meaning.error ?? null,
    duration_seconds: answeredAt === null && isAnswered ? null : seconds,
    answered_by_voicemail: answeredAt === null ? null : machine,
  }
  if (machine !== true || meaning.status !== "completed") return end
  return { ...end, status: "no-answer", hangup_reason: "voicemail_reached", answered_by_voicemail: true }
}
