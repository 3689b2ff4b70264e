/** When a campaign pauses itself: where more than so many of a hundred calls of a window ended so. Null: however many. */
export interface BreakerSetting {
  /** The last so many calls are looked at. */
  readonly window_calls: number
  /** Of these, the ones that ended at most so many minutes before the last. */
  readonly window_minutes: number | null
  /** With fewer calls than that nothing is decided. */
  readonly minimum_calls: number
  /** Calls that ended in a failure: `failed`, `busy`, `no-answer`, `error` or `call-disconnected`. */
  readonly failed_percent: number | null
  /** Calls that ended `failed` or `error`: nobody's phone is to blame. */
  readonly error_percent: number | null
  /** Calls that completed within `short_call_seconds`, and that no voicemail box answered. */
  readonly short_call_percent: number | null
  readonly short_call_seconds: number
  /** Calls that a voicemail box answered. */
  readonly voicemail_percent: number | null
  /** So long after it has paused itself the campaign goes on. Null: once somebody resumes it. */
  readonly resume_after_minutes: number | null
}

/** What a breaker counts, in the order in which it looks. */
export const breakerRates = ["error", "failed", "short_call", "voicemail"] as const

export type BreakerRate = (typeof breakerRates)[number]

/** What a window of calls was like that paused its campaign. */
export interface Overrun {
  readonly rate: BreakerRate
  /** Of so many calls, so many were like that. */
  readonly calls: number
  readonly counted: number
  /** More than so many of a hundred are too many. */
  readonly percent: number
}

/** How a breaker has paused its campaign. */
export interface Trip extends Overrun {
  /** Epoch milliseconds. */
  readonly at: number
  /** When the campaign goes on by itself; null: once somebody resumes it. */
  readonly resume_at: number | null
}

/** The breaker of a campaign. Times are epoch milliseconds. */
export interface Breaker extends BreakerSetting {
  /** When it was written. */
  readonly updated_at: number
  /** Calls count that ended from then on: since it was written, or since the campaign last went on. */
  readonly since: number
  /** Null unless it is this breaker that keeps the campaign paused. */
  readonly trip: Trip | null
}
