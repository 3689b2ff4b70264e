import { Result } from "effect"
import { isRetryTrigger } from "../../calls/rules/CallStatus.ts"
import type { WatchedCall } from "../../calls/rules/WatchedCall.ts"
import { InvalidField, Malformed } from "../../Errors.ts"

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

const minuteMs = 60_000

/** A setting as it may be written. */
export const writtenBreaker = (setting: BreakerSetting): Result.Result<BreakerSetting, InvalidField | Malformed> => {
  if (thresholds(setting).length === 0) {
    const names = breakerRates.map((rate) => `'${rate}_percent'`).join(", ")
    return Result.fail(new Malformed({ message: `A breaker needs at least one of ${names}.` }))
  }
  return setting.minimum_calls > setting.window_calls
    ? Result.fail(new InvalidField({ field: "minimum_calls", reason: "must not be more than 'window_calls'" }))
    : Result.succeed(setting)
}

interface Threshold {
  readonly rate: BreakerRate
  readonly percent: number
}

const thresholds = (setting: BreakerSetting): ReadonlyArray<Threshold> =>
  breakerRates.flatMap((rate) => {
    const percent = setting[`${rate}_percent`]
    return percent === null ? [] : [{ rate, percent }]
  })

const isLike: { readonly [rate in BreakerRate]: (call: WatchedCall, setting: BreakerSetting) => boolean } = {
  error: ({ status }) => status === "error" || status === "failed",
  failed: ({ status }) => isRetryTrigger(status),
  short_call: ({ duration_seconds, status, voicemail }, { short_call_seconds }) =>
    status === "completed" && !voicemail && duration_seconds !== null && duration_seconds < short_call_seconds,
  voicemail: ({ voicemail }) => voicemail,
}

/** The calls by which a breaker decides, of the newest that it may look at. Whatever time it is, the last call is where the window ends. */
export const windowOf = (breaker: Breaker, newest: ReadonlyArray<WatchedCall>): ReadonlyArray<WatchedCall> => {
  const counted = newest.filter(({ ended_at }) => ended_at >= breaker.since)
  const last = Math.max(...counted.map(({ ended_at }) => ended_at))
  const from = breaker.window_minutes === null ? -Infinity : last - breaker.window_minutes * minuteMs
  return counted
    .filter(({ ended_at }) => ended_at >= from)
    .toSorted((one, other) => other.ended_at - one.ended_at)
    .slice(0, breaker.window_calls)
}

/** Why a breaker pauses its campaign; null where it does not. */
export const overrunOf = (breaker: Breaker, newest: ReadonlyArray<WatchedCall>): Overrun | null => {
  const calls = windowOf(breaker, newest)
  if (calls.length < breaker.minimum_calls) return null
  for (const { percent, rate } of thresholds(breaker)) {
    const counted = calls.filter((call) => isLike[rate](call, breaker)).length
    if (counted * 100 > percent * calls.length) return { rate, calls: calls.length, counted, percent }
  }
  return null
}

/** When a campaign goes on that was paused at a time. */
export const resumesAt = ({ resume_after_minutes }: BreakerSetting, at: number): number | null =>
  resume_after_minutes === null ? null : at + resume_after_minutes * minuteMs

/** The breaker of a campaign as it is written anew: its window begins anew, and what it keeps paused goes on by what it says now. */
export const breakerAnew = (before: Breaker | undefined, setting: BreakerSetting, now: number): Breaker => {
  const trip = before?.trip ?? null
  return {
    ...setting,
    updated_at: now,
    since: now,
    trip: trip === null ? null : { ...trip, resume_at: resumesAt(setting, trip.at) },
  }
}
