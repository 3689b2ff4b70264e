import { Refusal } from "./errors.ts"
import type { Organization } from "./organization.ts"

/** Requests a minute, by bucket ("Request rate"). */
export const ceilings = {
  "calls.create": 600,
  "executions.list": 600,
  "knowledge.upload": 20,
  default: 1000,
} as const

export type Bucket = keyof typeof ceilings

export const buckets: ReadonlyArray<Bucket> = ["calls.create", "executions.list", "knowledge.upload", "default"]

const minuteMs = 60_000

/** The two counters of a bucket, rolled on to the present minute. */
const countsOf = ({ rates }: Organization, bucket: Bucket, now: number) => {
  const minute = Math.floor(now / minuteMs)
  const counts = rates.get(bucket) ?? { minute, current: 0, previous: 0 }
  rates.set(bucket, counts)
  if (counts.minute !== minute) {
    counts.previous = counts.minute === minute - 1 ? counts.current : 0
    counts.current = 0
    counts.minute = minute
  }
  return counts
}

/** `previous_count * (60 - seconds_into_current) / 60 + current_count` */
const estimateAt = (
  counts: { readonly minute: number; readonly current: number; readonly previous: number },
  at: number,
) => {
  const minutes = Math.floor(at / minuteMs) - counts.minute
  const [previous, current] =
    minutes === 0 ? [counts.previous, counts.current] : minutes === 1 ? [counts.current, 0] : [0, 0]
  return (previous * (minuteMs - (at % minuteMs))) / minuteMs + current
}

/** The figures of a bucket, without counting anything. */
export const figures = (organization: Organization | null, bucket: Bucket, now: number) => {
  const limit = ceilings[bucket]
  const estimate = organization === null ? 0 : estimateAt(countsOf(organization, bucket, now), now)
  return {
    limit,
    remaining: Math.max(0, Math.floor(limit - estimate)),
    reset: Math.ceil((minuteMs - (now % minuteMs)) / 1000),
    window_seconds: 60,
  }
}

/** The three headers that every answer has. */
export const rateHeaders = (organization: Organization | null, bucket: Bucket, now: number): Record<string, string> => {
  const { limit, remaining, reset } = figures(organization, bucket, now)
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(reset),
  }
}

/** Counts a request, or refuses it. */
export const count = (organization: Organization, bucket: Bucket, now: number): void => {
  const limit = ceilings[bucket]
  const counts = countsOf(organization, bucket, now)
  if (estimateAt(counts, now) < limit) {
    counts.current += 1
    return
  }
  let seconds = 1
  while (seconds < 60 && estimateAt(counts, now + seconds * 1000) >= limit) seconds += 1
  throw new Refusal(
    1300,
    `Rate limit exceeded: ${limit} requests per minute for this organization. Retry in ${seconds}s.`,
    { headers: { "Retry-After": String(seconds) } },
  )
}
