import type { Bucket } from "@carillon/core/domain"
import type { RateStore } from "@carillon/core/ports"
import { Effect } from "effect"
import type { Invariants } from "./Invariants.ts"

const windowMs = 60_000

/** Counters that are followed; the others go unchecked. */
const maxFollowed = 1_000

interface Counted {
  readonly organization_id: string
  readonly bucket: Bucket
  limit: number
  window: number
  current: number
  previous: number
}

/** How far a bucket of an organization is used up. */
export interface RateGauge {
  readonly organization_id: string
  readonly bucket: Bucket
  readonly limit: number
  readonly used: number
}

export interface RateLaws {
  /** The store, watched. */
  readonly watched: RateStore["Service"]
  /** The buckets that are followed, as they stand at `now`. */
  readonly gauges: (now: number) => ReadonlyArray<RateGauge>
}

const roll = (counters: Counted, window: number): void => {
  if (window <= counters.window) return
  counters.previous = window === counters.window + 1 ? counters.current : 0
  counters.current = 0
  counters.window = window
}

/** The request rate, counted a second time by the formula of the specification. */
export const rateLaws = (invariants: Invariants, store: RateStore["Service"]): RateLaws => {
  const s12 = invariants.open({ name: "S12", description: "The request limiter equals its formula to the integer." })
  const followed = new Map<string, Counted>()
  /** Up to this window the store may have counted otherwise: an answer was lost, and perhaps counters. */
  let unsureUntil = -Infinity

  const counted = (organization_id: string, bucket: Bucket, limit: number, window: number): Counted | undefined => {
    const key = `${organization_id} ${bucket}`
    let counters = followed.get(key)
    if (counters === undefined) {
      if (followed.size >= maxFollowed) return undefined
      counters = { organization_id, bucket, limit, window, current: 0, previous: 0 }
      followed.set(key, counters)
    }
    counters.limit = limit
    roll(counters, window)
    return counters
  }

  return {
    watched: {
      ...store,
      hit: (organizationId, bucket, limit, now) =>
        store.hit(organizationId, bucket, limit, now).pipe(
          Effect.tapError(() =>
            Effect.sync(() => {
              followed.clear()
              unsureUntil = Math.floor(now / windowMs) + 1
            }),
          ),
          Effect.tap((hit) =>
            Effect.sync(() => {
              const window = Math.floor(now / windowMs)
              const counters = counted(organizationId, bucket, limit, window)
              if (counters === undefined) return
              const left = windowMs - (now % windowMs)
              const estimate = counters.previous * left + counters.current * windowMs
              const allowed = estimate < limit * windowMs
              s12(
                hit.allowed === allowed || window <= unsureUntil,
                () =>
                  `${organizationId} ${bucket}: ${hit.allowed ? "passed" : "refused"} at ${estimate / windowMs} of ${limit}`,
              )
              if (hit.allowed) counters.current += 1
            }),
          ),
        ),
    },
    gauges: (now) =>
      [...followed.values()].map((counters) => {
        roll(counters, Math.floor(now / windowMs))
        const { bucket, current, limit, organization_id, previous } = counters
        const used = current + (previous * (windowMs - (now % windowMs))) / windowMs
        return { organization_id, bucket, limit, used: Math.floor(used) }
      }),
  }
}
