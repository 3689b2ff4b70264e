import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import { DependencyUnavailable, type PortError } from "../Errors.ts"
import { TimedCache } from "../limits/rules/TimedCache.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { formatUtc } from "../time/Timestamp.ts"
import type { DiallingHold } from "../organizations/rules/Organization.ts"
import { installation } from "../organizations/steps/Installation.ts"
import { holdDialling, releaseDialling } from "./steps/HoldDialling.ts"

interface DiallingShape {
  /** The hold that is in force, as this process has known it for five seconds at most; null while dialling goes on. */
  readonly standing: Effect.Effect<DiallingHold | null, PortError>
  /** Fails as an absent carrier does while dialling is held. */
  readonly expected: Effect.Effect<void, PortError>
  /** Holds dialling in every process on these rows; a hold that stands stays as it is. */
  readonly hold: (reason: string) => Effect.Effect<DiallingHold, PortError>
  /** Lets it go on in every process, within 35 seconds; returns the hold that stood, or null. */
  readonly release: Effect.Effect<DiallingHold | null, PortError>
}

/**
 * Whether anything may be dialled at all. A hold is a field of the installation's row, so every process sees it and it outlives them;
 * rows that were put back from a backup must not ring people again who were rung since. What is live goes on: reports are taken, and
 * the carrier is asked.
 */
export class Dialling extends Context.Service<Dialling, DiallingShape>()("@carillon/core/telephony/Dialling") {
  static readonly layer = Layer.effect(
    Dialling,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const steps = yield* Steps
      const clock = yield* DomainClock
      const known = new TimedCache<DiallingHold | null>(1, limits.diallingCacheMs)

      let told: DiallingHold | null = null
      /** A process says once that dialling is held, whoever holds it, and once that it goes on. */
      const remember = (hold: DiallingHold | null) =>
        Effect.suspend(() => {
          known.set(installation.organization_id, hold, clock.now())
          const before = told
          told = hold
          if (hold !== null && hold.since !== before?.since) {
            return Effect.logWarning(`Nothing is dialled before it is released: ${hold.reason}`).pipe(
              Effect.annotateLogs({ since: formatUtc(hold.since) }),
            )
          }
          return hold === null && before !== null ? Effect.logInfo("Dialling was released, and goes on.") : Effect.void
        })

      const standing = Effect.suspend(() => {
        const cached = known.get(installation.organization_id, clock.now())
        if (cached !== undefined) return Effect.succeed(cached)
        return Effect.flatMap(accounts.platform, (platform) => {
          const hold = platform?.hold ?? null
          return Effect.as(remember(hold), hold)
        })
      })

      return Dialling.of({
        standing,
        expected: Effect.flatMap(standing, (hold) =>
          hold === null ? Effect.void : Effect.fail(new DependencyUnavailable({ dependency: "telephony_service" })),
        ),
        hold: (reason) => Effect.tap(steps.take(holdDialling, { ...installation, reason }), remember),
        release: Effect.tap(steps.take(releaseDialling, installation), () => remember(null)),
      })
    }),
  )
}
