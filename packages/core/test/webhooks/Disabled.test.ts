import { assert, it } from "@effect/vitest"
import { Subscriptions } from "@carillon/core"
import type { Delivery } from "@carillon/core/ports"
import { Effect } from "effect"
import { limits } from "../../src/Limits.ts"
import { sampleDelivery, sampleEvent } from "../../src/testing/Samples.ts"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"

/** How far the clock of another process may be from this one. */
const skewMs = 5_000

/** A row as earlier versions wrote it. */
const ofEarlierVersion = (row: Delivery): Delivery => {
  const { subscription_revision: _, ...old } = row
  return old
}

/** What comes of a delivery after its subscription was created, disabled and enabled, each a revision of it. */
const outcomeOf = (made: { readonly revision: number | null; readonly aheadMs: number }) =>
  Effect.scoped(
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      const created = { callback_url: "https://hooks.inbox.test/in", agent_id: agentId }
      const { subscription_id } = yield* world.run(Effect.flatMap(Subscriptions, (all) => all.create(caller, created)))
      for (const enabled of [false, true]) {
        yield* world.run(Effect.flatMap(Subscriptions, (all) => all.patch(caller, subscription_id, { enabled })))
      }
      const event = sampleEvent(organizationId, { agent_id: agentId, routed_at: world.now })
      const delivery = sampleDelivery(organizationId, {
        event_id: event.event_id,
        subscription_id,
        agent_id: agentId,
        due_at: world.now,
        expires_at: world.now + limits.ledgerRetentionMs,
        created_at: world.now + made.aheadMs,
        subscription_revision: made.revision,
      })
      const row = made.revision === null ? ofEarlierVersion(delivery) : delivery
      world.write({ put: "event", row: event }, { put: "delivery", row })
      world.tables.wakeups.set({ kind: "delivery", subject: delivery.delivery_id, at: world.now })
      yield* world.advance(0)
      const after = world.tables.webhooks.delivery(delivery.delivery_id)
      return [after?.status, after?.error_message]
    }),
  )

const stopped = ["failed", "The subscription was disabled."]
const sent = ["delivered", null]

it.effect("what was made before its subscription was disabled is stopped, whatever its maker's clock said", () =>
  Effect.gen(function* () {
    for (const aheadMs of [-skewMs, 0, skewMs]) {
      assert.deepStrictEqual(yield* outcomeOf({ aheadMs, revision: 1 }), stopped)
    }
  }),
)

it.effect("what was made after it was enabled again goes out, whatever its maker's clock said", () =>
  Effect.gen(function* () {
    for (const aheadMs of [-skewMs, 0, skewMs]) {
      assert.deepStrictEqual(yield* outcomeOf({ aheadMs, revision: 3 }), sent)
    }
  }),
)

it.effect("what an earlier version has made is stopped only while its subscription is disabled", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* outcomeOf({ aheadMs: -skewMs, revision: null }), sent)
  }),
)
