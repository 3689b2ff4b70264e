import { Context, Effect, Layer, Semaphore } from "effect"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import type { Wakeup } from "../engine/rules/Wakeup.ts"
import { walkRows } from "../engine/Walk.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import type { Organization } from "../organizations/rules/Organization.ts"
import type { PurgedCounts } from "./rules/PurgeRow.ts"
import { purgeWakeup } from "./rules/PurgeWakeup.ts"
import { restAfter } from "./steps/Purging.ts"
import { endWalk, purgeOn, sweepOn } from "./steps/WalkOn.ts"

interface RetentionShape {
  /**
   * One small step on the walk that takes away what an organization has kept for its time. Returns when to look again; null where it keeps
   * everything.
   */
  readonly sweep: (organizationId: string) => Effect.Effect<number | null, PortError>
  /**
   * Takes away at once what has ended before a moment (epoch milliseconds), one step after the other, and returns what has gone. It is not for
   * an organization that is swept at the same time.
   */
  readonly purge: (organizationId: string, before: number) => Effect.Effect<PurgedCounts, PortError>
  /** Sets the wake-up of every organization that keeps rows for a time; returns how many. */
  readonly look: (set: (wakeup: Wakeup) => Effect.Effect<void, PortError>) => Effect.Effect<number, PortError>
}

/** Takes away what organizations have kept for their time, a little at a time, so that it holds up nobody (docs/guides/retention.md). */
export class Retention extends Context.Service<Retention, RetentionShape>()("@carillon/core/retention/Retention") {
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const activity = yield* Activity
      const steps = yield* Steps
      const clock = yield* DomainClock
      const turn = Semaphore.makeUnsafe(limits.purgesAtOnce)

      return Retention.of({
        sweep: Effect.fnUntraced(function* (organizationId) {
          const days = (yield* accounts.organization(organizationId))?.retention_days ?? null
          if (days === null) return yield* Effect.as(steps.take(endWalk, { organization_id: organizationId }), null)
          const timed = Effect.suspend(() => {
            const at = clock.now()
            const next = steps.take(sweepOn, { organization_id: organizationId, days, at })
            return Effect.map(next, (reply) => ({ reply, tookMs: clock.now() - at }))
          })
          const { reply, tookMs } = yield* activity.inTurn(turn, timed)
          if (typeof reply === "number") return reply
          const { began_at, place } = reply.walk
          return place === null ? began_at + limits.purgeLookMs : clock.now() + restAfter(tookMs)
        }),
        purge: Effect.fnUntraced(function* (organizationId, before) {
          const asked = { organization_id: organizationId, before, at: clock.now() }
          for (let begins = true; ; begins = false) {
            const { told, walk } = yield* steps.take(purgeOn, { ...asked, begins })
            if (walk.place === null) return told
          }
        }),
        look: Effect.fnUntraced(function* (set) {
          let count = 0
          const idOf = ({ organization_id }: Organization) => organization_id
          yield* walkRows(accounts.organizations, idOf, limits.organizationPage, (organization) => {
            if ((organization.retention_days ?? null) === null) return Effect.void
            count += 1
            return set(purgeWakeup(organization.organization_id, clock.now()))
          })
          return count
        }),
      })
    }),
  )
}
