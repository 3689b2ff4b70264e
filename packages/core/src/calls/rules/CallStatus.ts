/** The execution status of a call: its 15 values, its moves and its query filter (specification, "Execution status"). */

/** The six in-flight statuses, in the specification's order. */
export const inFlightStatuses = ["queued", "scheduled", "rescheduled", "initiated", "ringing", "in-progress"] as const

/** The nine terminal statuses, in the specification's order; `is_terminal` is true exactly for these. */
export const terminalStatuses = [
  "completed",
  "failed",
  "busy",
  "no-answer",
  "canceled",
  "stopped",
  "balance-low",
  "error",
  "call-disconnected",
] as const

/** All 15 statuses, in the specification's order. */
export const callStatuses = [...inFlightStatuses, ...terminalStatuses] as const

export type InFlightCallStatus = (typeof inFlightStatuses)[number]

export type TerminalCallStatus = (typeof terminalStatuses)[number]

export type CallStatus = InFlightCallStatus | TerminalCallStatus

/** The terminal statuses that the specification marks as failures. */
export const failureStatuses = [
  "failed",
  "busy",
  "no-answer",
  "error",
  "call-disconnected",
] as const satisfies ReadonlyArray<TerminalCallStatus>

const terminal: ReadonlySet<CallStatus> = new Set(terminalStatuses)

const retried: ReadonlySet<CallStatus> = new Set(failureStatuses)

/** True once the status will never change. */
export const isTerminal = (status: CallStatus): status is TerminalCallStatus => terminal.has(status)

/** True for the endings that spend an attempt and may be followed by another: every failure, and nothing that is not one. */
export const isRetryTrigger = (status: CallStatus): boolean => retried.has(status)

const beforeDial = ["queued", "rescheduled", "canceled", "balance-low", "error"] as const

const terminalButCanceled = [
  "completed",
  "failed",
  "busy",
  "no-answer",
  "stopped",
  "balance-low",
  "error",
  "call-disconnected",
] as const

const none: ReadonlyArray<CallStatus> = []

/** From each status, every status it may move to. A booked call may be booked anew; no other status moves to itself. */
export const callTransitions: Readonly<Record<CallStatus, ReadonlyArray<CallStatus>>> = {
  scheduled: beforeDial,
  rescheduled: beforeDial,
  queued: ["initiated", "ringing", "in-progress", ...terminalStatuses],
  initiated: ["ringing", "in-progress", ...terminalButCanceled],
  ringing: ["in-progress", ...terminalButCanceled],
  // "no-answer" after an answer: a voicemail box was recognised.
  "in-progress": ["completed", "failed", "no-answer", "stopped", "error", "call-disconnected", "balance-low"],
  completed: none,
  failed: none,
  busy: none,
  "no-answer": none,
  canceled: none,
  stopped: none,
  "balance-low": none,
  error: none,
  "call-disconnected": none,
}

/** Whether a call may move from one status to another. */
export const canMove = (from: CallStatus, to: CallStatus): boolean => callTransitions[from].includes(to)

/**
 * The answer to a reported status. A refused report is kept in the call's history and changes nothing: `terminal` tells a
 * late report on an ended call, which may still complete its facts, from one that the state machine does not know.
 */
export type CallMove =
  | { readonly ok: true; readonly to: CallStatus }
  | {
      readonly ok: false
      readonly reason: "terminal" | "not_a_move"
      readonly from: CallStatus
      readonly to: CallStatus
    }

/** Moves a call, or says why it stays. */
export const move = (from: CallStatus, to: CallStatus): CallMove => {
  if (canMove(from, to)) return { ok: true, to }
  return { ok: false, reason: isTerminal(from) ? "terminal" : "not_a_move", from, to }
}

const voicemailSpellings: ReadonlySet<string> = new Set(["voicemail", "voice-mail", "voice_mail"])

/** What the query filter `status` accepts, in the order in which its refusal lists them. */
export const statusFilterValues = [...callStatuses, "voicemail"] as const

/** A call matches when its status is one of `statuses`, or when `voicemail` is asked for and a voicemail box answered it. */
export interface StatusFilter {
  readonly statuses: ReadonlySet<CallStatus>
  readonly voicemail: boolean
}

export type StatusFilterResult =
  | { readonly ok: true; readonly filter: StatusFilter }
  | { readonly ok: false; readonly unknown: string }

const statusOf: ReadonlyMap<string, CallStatus> = new Map(callStatuses.map((status) => [status, status]))

/**
 * Reads the comma-separated query filter `status`, or names its first unknown value. Spaces around a value do not count;
 * an empty value is unknown, so that a slip of the pen never lists every call.
 */
export const parseStatusFilter = (text: string): StatusFilterResult => {
  const statuses = new Set<CallStatus>()
  let voicemail = false
  for (const item of text.split(",")) {
    const value = item.trim()
    const status = statusOf.get(value)
    if (status !== undefined) statuses.add(status)
    else if (voicemailSpellings.has(value)) voicemail = true
    else return { ok: false, unknown: value }
  }
  return { ok: true, filter: { statuses, voicemail } }
}
