import * as fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { limits } from "../../src/Limits.ts"
import { OrderedIndex } from "../../src/memory/OrderedIndex.ts"
import { WebhookTable } from "../../src/memory/WebhookTable.ts"
import { sampleDelivery } from "../../src/testing/Samples.ts"
import { type Delivery, deliveryStatuses } from "../../src/webhooks/rules/Delivery.ts"
import type { DeliveryFilter } from "../../src/webhooks/ports/DeliveryStore.ts"
import type { EventType } from "../../src/webhooks/rules/EventType.ts"

const organization = "org_one"
const types: ReadonlyArray<EventType> = ["call_ringing", "call_completed"]

const deliveryOf = (nth: number, changes: Partial<Delivery>): Delivery =>
  sampleDelivery(organization, {
    delivery_id: `dlv_${nth}`,
    created_at: nth,
    expires_at: nth + limits.ledgerRetentionMs,
    ...changes,
  })

const drawn = fc.record({
  delivery: fc.nat({ max: 30 }),
  isGone: fc.boolean(),
  changes: fc.record({ status: fc.constantFrom(...deliveryStatuses) }),
  fixed: fc.record({
    event_id: fc.constantFrom("evt_1", "evt_2"),
    event_type: fc.constantFrom(...types),
    execution_id: fc.constantFrom("exec_1", "exec_2"),
    subscription_id: fc.constantFrom("sub_1", "sub_2", null),
    organization_id: fc.constantFrom(organization, "org_two"),
  }),
})

const maybe = <A>(value: fc.Arbitrary<A>) => fc.option(value, { nil: undefined })

const filters: fc.Arbitrary<DeliveryFilter> = fc
  .record({
    event_id: maybe(fc.constantFrom("evt_1", "evt_2", "evt_none")),
    event_type: maybe(fc.constantFrom(...types)),
    execution_id: maybe(fc.constantFrom("exec_1", "exec_2")),
    subscription_id: maybe(fc.constantFrom("sub_1", "sub_2")),
    status: maybe(fc.constantFrom(...deliveryStatuses)),
    from_date: maybe(fc.nat({ max: 30 })),
    to_date: maybe(fc.nat({ max: 30 })),
  })
  .map((filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)))

const fields = ["event_id", "event_type", "execution_id", "status", "subscription_id"] as const

const isAskedFor = (row: Delivery, filter: DeliveryFilter, now: number): boolean =>
  row.organization_id === organization &&
  row.expires_at > now &&
  row.created_at >= (filter.from_date ?? 0) &&
  row.created_at <= (filter.to_date ?? Infinity) &&
  fields.every((field) => filter[field] === undefined || filter[field] === row[field])

describe("WebhookTable", () => {
  it("lists of an organization what a filter asks for, whatever was written, changed and removed", () => {
    fc.assert(
      fc.property(fc.array(drawn), fc.array(filters), fc.nat({ max: 30 }), (writes, asked, expired) => {
        const table = new WebhookTable()
        const rows = new Map<number, Delivery>()
        for (const { changes, delivery: nth, fixed, isGone } of writes) {
          const known = rows.get(nth)
          const next = known === undefined ? deliveryOf(nth, { ...fixed, ...changes }) : { ...known, ...changes }
          if (known !== undefined && isGone) {
            table.removeDelivery(known.delivery_id)
            rows.delete(nth)
          } else {
            table.putDelivery(next, nth)
            rows.set(nth, next)
          }
        }
        const now = limits.ledgerRetentionMs + expired - 15
        for (const filter of asked) {
          const expected = [...rows.values()]
            .filter((row) => isAskedFor(row, filter, now))
            .toSorted((a, b) => b.created_at - a.created_at)
          for (const page of [1, 2]) {
            expect(table.page(organization, filter, { page, page_size: 4 }, now)).toStrictEqual({
              items: expected.slice((page - 1) * 4, page * 4),
              total: expected.length,
            })
          }
        }
      }),
    )
  })

  it("looks at a page of deliveries and not at all of them, whichever page is asked for", () => {
    const table = new WebhookTable()
    for (let nth = 0; nth < 20_000; nth++) {
      table.putDelivery(deliveryOf(nth, { status: nth % 2 === 0 ? "failed" : "delivered" }), nth)
    }
    const looked = vi.spyOn(OrderedIndex.prototype, "at")
    const asked: ReadonlyArray<DeliveryFilter> = [
      {},
      { status: "failed" },
      { event_type: "call_completed" },
      { subscription_id: "sub_sample" },
      { subscription_id: "sub_sample", status: "failed" },
      { from_date: 10, to_date: 19_000 },
    ]
    for (const filter of asked) {
      for (const page of [1, 90]) {
        looked.mockClear()
        expect(table.page(organization, filter, { page, page_size: 100 }, 0).items).toHaveLength(100)
        expect({ filter, page, looks: looked.mock.calls.length < 200 }).toStrictEqual({ filter, page, looks: true })
      }
    }
    looked.mockRestore()
  })
})
