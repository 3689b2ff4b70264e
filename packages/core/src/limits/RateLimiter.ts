import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { type Bucket, ceilingFor, defaultPlans, type PlanTable } from "./rules/Buckets.ts"
import { RateStore } from "./ports/RateStore.ts"
import { emptyWindow, peek, type RateHit } from "./rules/SlidingWindow.ts"

/** What each plan of the host raises; one plan, `standard`, unless the host gives a table. */
export const Plans = Context.Reference<PlanTable>("@carillon/core/limits/Plans", { defaultValue: () => defaultPlans })

/** The figures of one bucket for one request. */
export interface RateFigures extends RateHit {
  readonly limit: number
}

interface RateLimiterShape {
  /** Judges one request and consumes one when it passes. Fails open: with the store away it passes with full figures. */
  readonly check: (organizationId: string, plan: string, bucket: Bucket) => Effect.Effect<RateFigures>
  /** The live figures of one bucket; consumes nothing. Fails open, as a judgement does. */
  readonly look: (organizationId: string, plan: string, bucket: Bucket) => Effect.Effect<RateFigures>
  /** The live figures of every bucket; consumes nothing. */
  readonly figures: (organizationId: string, plan: string) => Effect.Effect<Readonly<Record<Bucket, RateFigures>>>
  /** The figures for a caller of no organization: the full ceiling remains. An unknown caller has the default plan. */
  readonly untouched: (plan: string | null, bucket: Bucket) => RateFigures
}

/** The request rate per organization and bucket (specification, "Request rate"). The formula is in `SlidingWindow.ts`. */
export class RateLimiter extends Context.Service<RateLimiter, RateLimiterShape>()("@carillon/core/limits/RateLimiter") {
  static readonly layer = Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const store = yield* RateStore
      const clock = yield* DomainClock
      const plans = yield* Plans
      const meters = yield* CurrentMeters

      const untouched: RateLimiterShape["untouched"] = (plan, bucket) => {
        const limit = ceilingFor(plans, plan ?? "standard", bucket)
        return { limit, ...peek(emptyWindow, limit, clock.now()) }
      }

      const read = (organizationId: string, plan: string, bucket: Bucket, ask: typeof store.hit) => {
        const limit = ceilingFor(plans, plan, bucket)
        const isHit = ask === store.hit
        const decided = (decision: "allowed" | "refused" | "failed_open") => {
          if (isHit) meters?.count(metrics.rateDecisions, [bucket, decision])
        }
        return ask(organizationId, bucket, limit, clock.now()).pipe(
          Effect.map((hit): RateFigures => {
            decided(hit.allowed ? "allowed" : "refused")
            return { limit, ...hit }
          }),
          Effect.catch(() =>
            Effect.sync(() => {
              decided("failed_open")
              return { ...untouched(plan, bucket), allowed: true }
            }),
          ),
        )
      }

      const look: RateLimiterShape["look"] = (organizationId, plan, bucket) =>
        Effect.suspend(() => read(organizationId, plan, bucket, store.peek))

      return RateLimiter.of({
        check: (organizationId, plan, bucket) => Effect.suspend(() => read(organizationId, plan, bucket, store.hit)),
        look,
        figures: Effect.fnUntraced(function* (organizationId, plan) {
          const of = (bucket: Bucket) => look(organizationId, plan, bucket)
          return yield* Effect.all({
            "calls.create": of("calls.create"),
            "executions.list": of("executions.list"),
            "knowledge.upload": of("knowledge.upload"),
            default: of("default"),
          })
        }),
        untouched,
      })
    }),
  )
}
