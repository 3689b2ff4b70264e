import { Effect } from "effect"
import type { Call } from "../calls/rules/Call.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import { CampaignRecovery } from "../campaigns/CampaignRecovery.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import type { WakeupKind } from "../engine/rules/Wakeup.ts"
import type { PortError } from "../Errors.ts"
import { expiredKeysWakeup } from "../idempotency/Idempotency.ts"
import { limits } from "../Limits.ts"
import { Retention } from "../retention/Retention.ts"
import { DeliveryStore } from "../webhooks/ports/DeliveryStore.ts"

const executionId = (call: Call): string => call.execution_id

/** Sets every wake-up anew from the rows; its effect returns how many. */
export const makeRebuiltWakeups = Effect.gen(function* () {
  const wakeups = yield* Wakeups
  const calls = yield* CallStore
  const ledger = yield* DeliveryStore
  const recovery = yield* CampaignRecovery
  const retention = yield* Retention
  const clock = yield* DomainClock

  /** Sets the wake-ups of all rows of one kind anew, a page at a time. */
  const rebuild = Effect.fnUntraced(function* <A extends { readonly organization_id: string }>(
    read: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<A>, PortError>,
    kind: WakeupKind,
    idOf: (row: A) => string,
    dueOf: (row: A) => number | null,
  ) {
    let count = 0
    for (let after: string | null = null; ;) {
      const page: ReadonlyArray<A> = yield* read(after, limits.reconcilePage)
      for (const row of page) {
        const at = dueOf(row)
        if (at === null) continue
        yield* wakeups.setAnew({ kind, subject: idOf(row), at, organization_id: row.organization_id })
        count += 1
      }
      const last = page.at(-1)
      if (last === undefined || page.length < limits.reconcilePage) return count
      after = idOf(last)
    }
  })

  return Effect.gen(function* () {
    const now = clock.now()
    const counts = [
      yield* rebuild(calls.due, "call", executionId, ({ due_at }) => due_at),
      yield* rebuild(calls.processing, "processing", executionId, ({ processing }) => processing.due_at),
      yield* rebuild(
        ledger.waiting,
        "event",
        ({ event_id }) => event_id,
        ({ raised_at }) => raised_at,
      ),
      yield* rebuild(
        ledger.due,
        "delivery",
        ({ delivery_id }) => delivery_id,
        ({ due_at }) => due_at,
      ),
      yield* recovery.rebuild,
      yield* retention.look(wakeups.setAnew),
    ]
    yield* wakeups.setAnew({ kind: "slots", subject: "platform", at: now })
    yield* wakeups.setAnew({ kind: "ledger", subject: "platform", at: now })
    yield* wakeups.setAnew(expiredKeysWakeup(now + limits.idempotencyMs))
    return counts.reduce((sum, count) => sum + count, 3)
  })
})
