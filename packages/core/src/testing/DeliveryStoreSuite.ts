import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { Change } from "../engine/rules/Commit.ts"
import { Store } from "../engine/ports/Store.ts"
import { limits } from "../Limits.ts"
import type { ListPlace, Placed } from "../Pagination.ts"
import { type Delivery, deliveryStatuses } from "../webhooks/rules/Delivery.ts"
import { type DeliveryFilter, DeliveryStore } from "../webhooks/ports/DeliveryStore.ts"
import type { PlacedEvent, WebhookEvent } from "../webhooks/rules/WebhookEvent.ts"
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

/** Events of one commit: which of them are kept. */
const commits = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })

/** Commits that come together, again and again: each begins when all those before it are written. */
const waves = fc.array(commits, { minLength: 1, maxLength: 4 })

interface Wave {
  readonly wave: number
  readonly rows: ReadonlyArray<WebhookEvent>
}

const wavesOf = (organizationId: string, shape: ReadonlyArray<ReadonlyArray<ReadonlyArray<boolean>>>) =>
  shape.map((together, wave) =>
    together.map((flags): Wave => ({
      wave,
      rows: flags.map((isKept) => sampleEvent(organizationId, isKept ? { kept: true } : {})),
    })),
  )

/** Everything after a place, so much at once. */
const keptFrom = Effect.fnUntraced(function* (place: number, limit: number) {
  const { kept } = yield* DeliveryStore
  const found: Array<PlacedEvent> = []
  for (;;) {
    const page = yield* kept(found.at(-1)?.place ?? place, limit)
    assert.isAtMost(page.length, limit)
    if (page.length === 0) return found
    found.push(...page)
  }
})

/** That a reader got exactly the kept events, in places without a gap, in the order in which their commits could know of each other. */
const assertInOrder = (start: number, read: ReadonlyArray<PlacedEvent>, written: ReadonlyArray<Wave>) => {
  assert.deepStrictEqual(
    read.map(({ place }) => place),
    read.map((_, nth) => start + 1 + nth),
  )
  const got = read.map(({ event }) => event.event_id)
  const kept = written.map(({ rows, wave }) => ({
    wave,
    ids: rows.filter((row) => row.kept).map((row) => row.event_id),
  }))
  assert.sameMembers(
    got,
    kept.flatMap(({ ids }) => ids),
  )
  const waveOf = new Map(kept.flatMap(({ ids, wave }) => ids.map((id) => [id, wave] as const)))
  const order = got.map((id) => waveOf.get(id) ?? -1)
  assert.deepStrictEqual(
    order,
    order.toSorted((a, b) => a - b),
  )
  for (const { ids } of kept) {
    assert.deepStrictEqual(
      got.filter((id) => ids.includes(id)),
      ids,
    )
  }
}

/** Lays down what every adapter of `DeliveryStore` must do. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | DeliveryStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("tells how events and deliveries stand, expired ones too, and so many of each call", () =>
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const [own, other] = [fresh("org_"), fresh("org_")]
        const [one, two, strange] = [fresh("exec_"), fresh("exec_"), fresh("exec_")]
        const waiting = sampleEvent(own, { routed_at: null })
        const kept = sampleEvent(own, { kept: true, routed_at: sampleEpoch })
        const foreign = sampleEvent(other)
        const sent = [one, one, one, two].map((execution_id, nth) =>
          sampleDelivery(own, {
            execution_id,
            created_at: sampleEpoch + nth,
            expires_at: sampleEpoch,
            status: nth === 0 ? "failed" : "delivered",
          }),
        )
        for (const row of [waiting, kept]) yield* put(own, { put: "event", row })
        for (const row of sent) yield* put(own, { put: "delivery", row })
        yield* put(other, { put: "event", row: foreign })
        yield* put(other, { put: "delivery", row: sampleDelivery(other, { execution_id: strange }) })
        const found = yield* deliveries.standings(own, {
          event_ids: [waiting, kept, foreign].map(({ event_id }) => event_id).concat("evt_none"),
          execution_ids: [one, two, strange, "exec_none"],
          deliveries_of_call: 2,
        })
        assert.sameDeepMembers(
          [...found.events],
          [
            { event_id: waiting.event_id, is_waiting: true, is_kept: false },
            { event_id: kept.event_id, is_waiting: false, is_kept: true },
          ],
        )
        assert.sameDeepMembers(
          [...found.deliveries],
          [sent[0], sent[1], sent[3]].flatMap((row) =>
            row === undefined
              ? []
              : [{ delivery_id: row.delivery_id, execution_id: row.execution_id, status: row.status }],
          ),
        )
        assert.deepStrictEqual(
          yield* deliveries.standings(own, { event_ids: [], execution_ids: [], deliveries_of_call: 2 }),
          { events: [], deliveries: [] },
        )
      }),
    )

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

    it.effect("goes through the ledger of an organization, oldest first, expired rows too", () =>
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const organizationId = fresh("org_")
        const rows = [1, 0, 1, 0, 2].map((nth) =>
          sampleDelivery(organizationId, { created_at: sampleEpoch + nth, expires_at: sampleEpoch + 100 * nth }),
        )
        const other = fresh("org_")
        yield* put(organizationId, ...rows.map((row) => ({ put: "delivery", row }) as const))
        yield* put(other, { put: "delivery", row: sampleDelivery(other) })
        const found: Array<string> = []
        for (let after: ListPlace | null = null; ;) {
          const page: ReadonlyArray<Placed<Delivery>> = yield* deliveries.oldest(organizationId, { after, limit: 2 })
          assert.isAtMost(page.length, 2)
          found.push(...page.map(({ row }) => row.delivery_id))
          after = page.at(-1)?.place ?? null
          if (after === null) break
        }
        const { items } = yield* deliveries.page(organizationId, {}, { page: 1, page_size: 100 }, 0)
        assert.lengthOf(found, rows.length)
        assert.deepStrictEqual(
          found,
          items.toReversed().map(({ delivery_id }) => delivery_id),
        )
      }),
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

    it.effect("gives kept events places without a gap, in the order of their commits, which they keep", () =>
      law(
        fc.record({ shape: waves, limit: fc.integer({ min: 1, max: 4 }), readsBetween: fc.boolean() }),
        Effect.fnUntraced(function* ({ limit, readsBetween, shape }) {
          const { lastKept } = yield* DeliveryStore
          const organizationId = fresh("org_")
          // What others have committed has its places first.
          yield* keptFrom(yield* lastKept, 100)
          const start = yield* lastKept
          const written = wavesOf(organizationId, shape)
          for (const together of written) {
            yield* Effect.forEach(
              together,
              ({ rows }) => put(organizationId, ...rows.map((row) => ({ put: "event", row }) as const)),
              { concurrency: "unbounded" },
            )
            if (readsBetween) yield* keptFrom(start, limit)
          }
          const read = yield* keptFrom(start, limit)
          assertInOrder(start, read, written.flat())
          assert.strictEqual(yield* lastKept, start + read.length)
          // The row may be written again, when its deliveries are; its place stays.
          for (const { event } of read) {
            const row = { ...event, revision: 2, routed_at: sampleEpoch }
            yield* put(organizationId, { put: "event", row })
          }
          const again = yield* keptFrom(start, 100)
          assert.deepStrictEqual(
            again.map(({ event, place }) => [place, event.event_id]),
            read.map(({ event, place }) => [place, event.event_id]),
          )
          for (const [nth, { place }] of read.entries()) {
            assert.deepStrictEqual(yield* keptFrom(place, limit), again.slice(nth + 1))
          }
        }),
        { numRuns: 25 },
      ),
    )

    it.effect("shows every kept event once to a reader that reads on while others commit", () =>
      law(
        fc.record({ shape: waves, limit: fc.integer({ min: 1, max: 4 }) }),
        Effect.fnUntraced(function* ({ limit, shape }) {
          const { lastKept } = yield* DeliveryStore
          const organizationId = fresh("org_")
          yield* keptFrom(yield* lastKept, 100)
          const start = yield* lastKept
          const written = wavesOf(organizationId, shape)
          let isOver = false
          const writing = Effect.forEach(written, (together) =>
            Effect.forEach(
              together,
              ({ rows }) => put(organizationId, ...rows.map((row) => ({ put: "event", row }) as const)),
              { concurrency: "unbounded" },
            ),
          ).pipe(Effect.andThen(Effect.sync(() => (isOver = true))))
          const reading = Effect.gen(function* () {
            const read: Array<PlacedEvent> = []
            for (;;) {
              const wasOver = isOver
              read.push(...(yield* keptFrom(read.at(-1)?.place ?? start, limit)))
              if (wasOver) return read
              yield* Effect.yieldNow
            }
          })
          const [, read, other] = yield* Effect.all([writing, reading, reading], { concurrency: "unbounded" })
          assertInOrder(start, read, written.flat())
          assert.deepStrictEqual(other, read)
        }),
        { numRuns: 25 },
      ),
    )

    it.effect(
      "reads kept events by no more bytes than a page may carry, but one at least; one that is removed leaves its place empty",
      () =>
        Effect.gen(function* () {
          const { kept, lastKept } = yield* DeliveryStore
          const organizationId = fresh("org_")
          yield* keptFrom(yield* lastKept, 100)
          const start = yield* lastKept
          const body = "x".repeat(limits.rowBytes - 4096)
          const rows = [0, 1, 2].map(() => sampleEvent(organizationId, { kept: true, body }))
          for (const row of rows) yield* put(organizationId, { put: "event", row })
          const page = yield* kept(start, 100)
          assert.isAtLeast(page.length, 1)
          const read = yield* keptFrom(start, 100)
          assert.deepStrictEqual(
            read.map(({ event }) => event),
            rows,
          )
          const [first, second] = rows
          const discard = (id = "") => ({ put: "discard", organization_id: organizationId, kind: "event", id }) as const
          yield* put(organizationId, discard(second?.event_id))
          const left = yield* keptFrom(start, 1)
          assert.deepStrictEqual(
            left.map(({ place }) => place),
            [start + 1, start + 3],
          )
          yield* put(organizationId, discard(first?.event_id), discard(rows[2]?.event_id))
          assert.deepStrictEqual(yield* kept(start, 100), [])
          assert.strictEqual(yield* lastKept, start + 3)
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
