import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { Change } from "../engine/Commit.ts"
import { Store } from "../engine/Store.ts"
import { deliveryStatuses } from "../webhooks/Delivery.ts"
import { type DeliveryFilter, DeliveryStore } from "../webhooks/DeliveryStore.ts"
import { law } from "./Law.ts"
import { fresh, sampleCommit, sampleDelivery, sampleEpoch, sampleEvent } from "./Samples.ts"

const put = Effect.fnUntraced(function* (organizationId: string, ...changes: ReadonlyArray<Change>) {
  yield* (yield* Store).commit(sampleCommit(organizationId, { changes }))
})

// Few values each, so that filters meet rows.
const facts = fc.record({
  event_id: fc.constantFrom("evt_a", "evt_b"),
  event_type: fc.constantFrom("call_completed" as const, "call_started" as const),
  execution_id: fc.constantFrom("exec_a", "exec_b"),
  subscription_id: fc.constantFrom("sub_a", "sub_b", null),
  status: fc.constantFrom(...deliveryStatuses),
  created_at: fc.nat(4).map((n) => sampleEpoch + n),
  expires_at: fc.constantFrom(sampleEpoch + 100, sampleEpoch + 200),
})

const filters: fc.Arbitrary<DeliveryFilter> = fc.record(
  {
    event_id: fc.constantFrom("evt_a", "evt_b", "evt_none"),
    event_type: fc.constantFrom("call_completed" as const, "call_started" as const),
    execution_id: fc.constantFrom("exec_a", "exec_b"),
    subscription_id: fc.constantFrom("sub_a", "sub_b"),
    status: fc.constantFrom(...deliveryStatuses),
    from_date: fc.integer({ min: -1, max: 5 }).map((n) => sampleEpoch + n),
    to_date: fc.integer({ min: -1, max: 5 }).map((n) => sampleEpoch + n),
  },
  { requiredKeys: [] },
)

const equalities = ["event_id", "event_type", "execution_id", "subscription_id", "status"] as const

/** Lays down what every adapter of `DeliveryStore` must do. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | DeliveryStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("lists the ledger as a filter over all rows that have not expired would, newest first", () =>
      law(
        fc.record({
          rows: fc.array(facts, { maxLength: 12 }),
          filter: filters,
          page: fc.integer({ min: 1, max: 3 }),
          page_size: fc.integer({ min: 1, max: 5 }),
          now: fc.constantFrom(sampleEpoch + 50, sampleEpoch + 150),
        }),
        Effect.fnUntraced(function* ({ filter, now, page, page_size, rows }) {
          const deliveries = yield* DeliveryStore
          const organizationId = fresh("org_")
          const stored = rows.map((row) => sampleDelivery(organizationId, row))
          for (const row of stored) yield* put(organizationId, { put: "delivery", row })
          const expected = stored
            .filter((row) => equalities.every((field) => filter[field] === undefined || filter[field] === row[field]))
            .filter(
              (row) => row.created_at >= (filter.from_date ?? 0) && row.created_at <= (filter.to_date ?? Infinity),
            )
            .filter((row) => row.expires_at > now)
            .map((row, index) => ({ row, index }))
            .sort((a, b) => b.row.created_at - a.row.created_at || b.index - a.index)
            .map(({ row }) => row)
          const found = yield* deliveries.page(organizationId, filter, { page, page_size }, now)
          assert.strictEqual(found.total, expected.length)
          assert.deepStrictEqual(found.items, expected.slice((page - 1) * page_size, page * page_size))
        }),
        { numRuns: 200 },
      ),
    )

    it.effect("keeps an event's body to the byte, and knows what waits in the outbox", () =>
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const organizationId = fresh("org_")
        const event = sampleEvent(organizationId)
        yield* put(organizationId, { put: "event", row: event })
        assert.deepStrictEqual(yield* deliveries.event(event.event_id), event)
        const waits = Effect.map(deliveries.waiting(null, 1_000_000), (rows) =>
          rows.some(({ event_id }) => event_id === event.event_id),
        )
        assert.isTrue(yield* waits)
        const again = yield* Effect.exit(put(organizationId, { put: "event", row: event }))
        assert.strictEqual(again._tag, "Failure")
        yield* put(organizationId, { put: "event", row: { ...event, revision: 2, routed_at: sampleEpoch } })
        assert.isFalse(yield* waits)
      }),
    )

    it.effect("tells what is due and what has expired, until it is removed", () =>
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const organizationId = fresh("org_")
        const row = sampleDelivery(organizationId, { expires_at: sampleEpoch + 10 })
        const event = sampleEvent(organizationId, { expires_at: sampleEpoch + 20 })
        yield* put(organizationId, { put: "delivery", row }, { put: "event", row: event })
        assert.deepStrictEqual(yield* deliveries.find(organizationId, row.delivery_id), row)
        assert.deepStrictEqual(yield* deliveries.locate(row.delivery_id), row)
        assert.isNull(yield* deliveries.find(fresh("org_"), row.delivery_id))
        const isDue = Effect.map(deliveries.due(null, 1_000_000), (rows) =>
          rows.some(({ delivery_id }) => delivery_id === row.delivery_id),
        )
        assert.isTrue(yield* isDue)
        yield* put(organizationId, { put: "delivery", row: { ...row, revision: 2, status: "delivered", due_at: null } })
        assert.isFalse(yield* isDue)
        const expiredAt = (now: number) =>
          Effect.map(deliveries.expired(now, 1_000_000), (expired) => [
            expired.deliveries.some(({ delivery_id }) => delivery_id === row.delivery_id),
            expired.events.some(({ event_id }) => event_id === event.event_id),
          ])
        assert.deepStrictEqual(yield* expiredAt(sampleEpoch + 9), [false, false])
        assert.deepStrictEqual(yield* expiredAt(sampleEpoch + 10), [true, false])
        assert.deepStrictEqual(yield* expiredAt(sampleEpoch + 20), [true, true])
        const removal = (kind: "event" | "delivery", id: string) =>
          ({ put: "discard", organization_id: organizationId, kind, id }) as const
        yield* put(organizationId, removal("delivery", row.delivery_id), removal("event", event.event_id))
        assert.deepStrictEqual(yield* expiredAt(sampleEpoch + 20), [false, false])
        assert.isNull(yield* deliveries.locate(row.delivery_id))
        assert.isNull(yield* deliveries.event(event.event_id))
      }),
    )
  })
