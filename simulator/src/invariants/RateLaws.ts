import type { RateStore } from "@carillon/core"
import { Effect } from "effect"
import type { Invariants } from "./Invariants.ts"

const windowMs = 60_000

/** Counters that are followed; the others go unchecked. */
const maxFollowed = 1_000

interface Counted {
  window: number
  current: number
  previous: number
}

/** The request rate, counted a second time by the formula of the specification. */
export const rateLaws = (invariants: Invariants, store: RateStore["Service"]): RateStore["Service"] => {
  const s12 = invariants.open({ name: "S12", description: "The request limiter equals its formula to the integer." })
  const followed = new Map<string, Counted>()

  const counted = (key: string, window: number): Counted | undefined => {
    let counters = followed.get(key)
    if (counters === undefined) {
      if (followed.size >= maxFollowed) return undefined
      counters = { window, current: 0, previous: 0 }
      followed.set(key, counters)
    }
    if (window > counters.window) {
      counters.previous = window === counters.window + 1 ? counters.current : 0
      counters.current = 0
      counters.window = window
    }
    return counters
  }

  return {
    ...store,
    hit: (organizationId, bucket, limit, now) =>
      Effect.tap(store.hit(organizationId, bucket, limit, now), (hit) =>
        Effect.sync(() => {
          const counters = counted(`${organizationId} ${bucket}`, Math.floor(now / windowMs))
          if (counters === undefined) return
          const left = windowMs - (now % windowMs)
          const estimate = counters.previous * left + counters.current * windowMs
          const allowed = estimate < limit * windowMs
          s12(
            hit.allowed === allowed,
            () =>
              `${organizationId} ${bucket}: ${hit.allowed ? "passed" : "refused"} at ${estimate / windowMs} of ${limit}`,
          )
          if (hit.allowed) counters.current += 1
        }),
      ),
  }
}
