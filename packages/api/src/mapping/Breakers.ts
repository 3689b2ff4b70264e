import { type BreakerRecord, type BreakerSetting, Timestamp } from "@carillon/core/domain"
import type { Breaker, BreakerPut } from "../Breakers.ts"

const { formatUtc } = Timestamp

const usual = { window_calls: 100, minimum_calls: 20, short_call_seconds: 10 }

/** A breaker as it is asked for: what is left out is as usual, and rates that are left out are not looked at. */
export const breakerAsked = (body: BreakerPut): BreakerSetting => {
  const window_calls = body.window_calls ?? usual.window_calls
  return {
    window_calls,
    window_minutes: body.window_minutes ?? null,
    minimum_calls: body.minimum_calls ?? Math.min(usual.minimum_calls, window_calls),
    failed_percent: body.failed_percent ?? null,
    error_percent: body.error_percent ?? null,
    short_call_percent: body.short_call_percent ?? null,
    short_call_seconds: body.short_call_seconds ?? usual.short_call_seconds,
    voicemail_percent: body.voicemail_percent ?? null,
    resume_after_minutes: body.resume_after_minutes ?? null,
  }
}

/** A breaker as it is answered. */
export const toWireBreaker = ({ since, trip, updated_at, ...breaker }: BreakerRecord): Breaker => ({
  ...breaker,
  updated_at: formatUtc(updated_at),
  since: formatUtc(since),
  trip:
    trip === null
      ? null
      : { ...trip, at: formatUtc(trip.at), resume_at: trip.resume_at === null ? null : formatUtc(trip.resume_at) },
})
