import { assert, describe, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import type { Delivery } from "@carillon/core/ports"
import type { HeaderList } from "../../src/webhooks/rules/DeliveryHeaders.ts"
import { Effect } from "effect"
import { sampleDelivery, sampleEvent, sampleSubscription } from "../../src/testing/Samples.ts"
import { organization, World } from "../../src/testing/world/World.ts"

const mebibyte = 1024 * 1024

/** A row as earlier versions wrote it. */
const withoutBytes = (row: Delivery): Delivery => {
  const old: Delivery & { body_bytes?: number } = { ...row }
  delete old.body_bytes
  return old
}

/** Deliveries of an organization that are due now, one at each of its endpoints, every one with a body of so many bytes. */
const dueAt = (
  world: World,
  id: string,
  endpoints: ReadonlyArray<string>,
  bytes: number,
  {
    headers = [],
    written = (row) => row,
  }: { readonly headers?: HeaderList; readonly written?: (row: Delivery) => Delivery } = {},
): void => {
  world.write({ put: "organization", row: { ...organization, organization_id: id } })
  const body = "x".repeat(bytes)
  for (const [nth, callback_url] of endpoints.entries()) {
    const subscription = sampleSubscription(id, `agt_${id}`, { callback_url, headers, secret: null })
    const event = sampleEvent(id, { body, event_type: "call_completed", routed_at: world.now })
    const { subscription_id } = subscription
    const { event_id } = event
    const delivery = sampleDelivery(id, {
      event_id,
      subscription_id,
      body_bytes: bytes,
      due_at: world.now,
      created_at: world.now,
      expires_at: world.now + limits.ledgerRetentionMs,
      execution_id: `exec_${id}_${nth}`,
    })
    world.write(
      { put: "subscription", row: subscription },
      { put: "event", row: event },
      { put: "delivery", row: written(delivery) },
    )
    world.tables.wakeups.set({ kind: "delivery", subject: delivery.delivery_id, at: world.now })
  }
}

const endpointsOf = (name: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, nth) => `https://${name}${nth}.inbox.test/hook`)

/** Bytes of the bodies that were sent to hosts with the name up to now. */
const sentTo = (world: World, name: string): number =>
  world.endpoints.received.reduce(
    (sum, { request }) => sum + (request.destination.hostname.startsWith(name) ? request.body.length : 0),
    0,
  )

const hanging = Effect.gen(function* () {
  const world = new World()
  world.endpoints.react = ({ destination }) => ({
    answer: { _tag: "Answered", http_status: 204 },
    afterMs: destination.hostname.startsWith("hog") ? Infinity : 0,
  })
  yield* world.start()
  return world
})

describe("bodies of webhooks that are under way", () => {
  it.effect("take half of their bytes at most for one organization, and a neighbour's go out beside them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const world = yield* hanging
        dueAt(world, "org_hog", endpointsOf("hog", 100), mebibyte)
        yield* world.advance(1_000)
        const half = limits.webhookInFlightBytes / 2
        assert.isAtMost(sentTo(world, "hog"), half)
        assert.isAtLeast(sentTo(world, "hog"), half - mebibyte)
        dueAt(world, "org_quiet", endpointsOf("quiet", 8), mebibyte)
        yield* world.advance(0)
        assert.strictEqual(sentTo(world, "quiet"), 8 * mebibyte)
        world.endpoints.react = () => ({ answer: { _tag: "Answered", http_status: 204 } })
        yield* world.advance(120_000)
        const hosts = new Set(world.endpoints.received.map(({ request }) => request.destination.hostname))
        assert.strictEqual(hosts.size, 108, "and whoever waited has had a turn")
      }),
    ),
  )

  it.effect("count as the largest that there may be where their rows do not say what they take", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const world = yield* hanging
        dueAt(world, "org_hog", endpointsOf("hog", 100), 10, { written: withoutBytes })
        yield* world.advance(1_000)
        assert.strictEqual(sentTo(world, "hog"), (limits.webhookInFlightBytes / 2 / limits.rowBytes) * 10)
      }),
    ),
  )

  it.effect("count with the headers that go out with them, which lie in memory as long", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const world = yield* hanging
        // As they may be once they are sealed.
        const headers = Array.from({ length: 10 }, (_, nth) => [`x-${nth}`, "x".repeat(4_093)] as const)
        dueAt(world, "org_hog", endpointsOf("hog", 1_000), 1_000, { headers })
        yield* world.advance(0)
        const sent = world.endpoints.received.length
        const share = limits.webhookInFlightBytes / 2 / (1_000 + 10 * 4_096)
        assert.isAtMost(sent, Math.ceil(share))
        assert.isAtLeast(sent, Math.floor(share))
        dueAt(world, "org_quiet", endpointsOf("quiet", 8), 1_000, { headers })
        yield* world.advance(0)
        assert.strictEqual(world.endpoints.received.length, sent + 8)
      }),
    ),
  )
})
