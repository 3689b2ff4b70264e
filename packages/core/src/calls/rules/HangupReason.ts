/** Why a call ended, as far as the carrier or the engine says. */
export const hangupReasons = [
  "user_hangup",
  "agent_hangup",
  "voicemail_reached",
  "inactivity_timeout",
  "max_duration_reached",
  "dial_busy",
  "dial_no_answer",
  "dial_failed",
  "invalid_destination",
  "user_request",
  "carrier_error",
  "balance_low",
] as const

export type HangupReason = (typeof hangupReasons)[number]
