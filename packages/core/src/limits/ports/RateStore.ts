import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Bucket } from "../rules/Buckets.ts"
import type { RateHit } from "../rules/SlidingWindow.ts"

/** The shared counters of the request rate, per organization and bucket. `now` is the engine's, in epoch milliseconds. */
export class RateStore extends Context.Service<
  RateStore,
  {
    /** Checks, then counts: one atomic step of the sliding window. A refused request consumes nothing. */
    readonly hit: (
      organizationId: string,
      bucket: Bucket,
      limit: number,
      now: number,
    ) => Effect.Effect<RateHit, PortError>
    /** The same figures without consuming anything. */
    readonly peek: (
      organizationId: string,
      bucket: Bucket,
      limit: number,
      now: number,
    ) => Effect.Effect<RateHit, PortError>
  }
>()("@carillon/core/limits/RateStore") {}
