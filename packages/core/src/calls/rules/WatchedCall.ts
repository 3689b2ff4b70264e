import type { Call } from "./Call.ts"
import { type CallStatus, isRetryTrigger } from "./CallStatus.ts"

/** A call that has ended, as far as the breaker of its campaign looks at it. */
export interface WatchedCall {
  readonly status: CallStatus
  readonly voicemail: boolean
  readonly duration_seconds: number | null
  /** Epoch milliseconds. */
  readonly ended_at: number
}

/** How a call ended that a breaker counts; null while it has not, and of others. One that somebody stopped, or that nobody could pay, says nothing of its campaign. */
export const watchedCall = (call: Call): WatchedCall | null => {
  const { answered_by_voicemail, completed_at, duration_seconds, folded_into, status, watched } = call
  if (watched !== true || folded_into !== null || completed_at === null) return null
  return status === "completed" || isRetryTrigger(status)
    ? { status, voicemail: answered_by_voicemail === true, duration_seconds, ended_at: completed_at }
    : null
}
