import { Result } from "effect"
import { isRetryTrigger } from "../../calls/rules/CallStatus.ts"
import type { WatchedCall } from "../../calls/rules/WatchedCall.ts"
import { type Breaker, type BreakerRate, breakerRates, type BreakerSetting, type Overrun } from "./BreakerSetting.ts"
import { InvalidField, Malformed } from "../../Errors.ts"

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
