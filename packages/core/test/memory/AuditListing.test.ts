import { auditOutcomes } from "@carillon/core/domain"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { append, type AuditRecord, emptyChain, headOf } from "../../src/audit/rules/AuditChain.ts"
import type { AuditFilter } from "../../src/audit/ports/AuditStore.ts"
import { AuditTable } from "../../src/memory/AuditTable.ts"
import { sampleAudit } from "../../src/testing/Samples.ts"

const one = <A>(...values: ReadonlyArray<A>) => fc.constantFrom(...values)

const written = fc.record({
  action: one("call.create", "call.stop"),
  actor: one("key_a", "key_b", null),
  resource: one("call", "agent"),
  id: one("one", "two", null),
  outcome: one(...auditOutcomes),
  /** A clock may be set back. */
  later: one(1, 1, 1, 5, 0, -7),
})

const filters: fc.Arbitrary<AuditFilter> = fc.record(
  {
    action: one("call.create", "call.stop", "nothing"),
    actor: one("key_a", "key_b"),
    resource_type: one("call", "agent"),
    resource_id: one("one", "two"),
    outcome: one(...auditOutcomes),
    from_date: fc.nat(40),
    to_date: fc.nat(40),
  },
  { requiredKeys: [] },
)

const matches = (record: AuditRecord, filter: AuditFilter): boolean => {
  const at = Date.parse(record.created_at)
  return (
    [filter.action ?? record.action, filter.resource_type ?? record.resource.type].join() ===
      [record.action, record.resource.type].join() &&
    (filter.actor ?? record.actor.key_id) === record.actor.key_id &&
    (filter.resource_id ?? record.resource.id) === record.resource.id &&
    (filter.outcome ?? record.outcome) === record.outcome &&
    at >= (filter.from_date ?? 0) &&
    at <= (filter.to_date ?? Infinity)
  )
}

describe("the audit trail in memory", () => {
  it("lists what looking at all of it would, however its clock was set and however much of it was forgotten", () => {
    fc.assert(
      fc.property(
        fc.array(written, { maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        filters,
        fc.record({ page: fc.integer({ min: 1, max: 4 }), page_size: fc.integer({ min: 1, max: 9 }) }),
        (entries, kept, filter, request) => {
          const table = new AuditTable()
          let records: Array<AuditRecord> = []
          let at = 10
          for (const { action, actor, id, later, outcome, resource } of entries) {
            at = Math.max(0, at + later)
            const last = records.at(-1)
            const entry = sampleAudit("org_one", {
              action,
              actor: { type: actor === null ? "system" : "api_key", key_id: actor },
              resource: { type: resource, id },
              outcome,
              created_at: at,
            })
            records.push(append(last === undefined ? emptyChain : headOf(last), entry))
          }
          for (const record of records) table.push(record)
          const [gone] = records
          table.keep("org_one", kept)
          records = records.slice(-kept)
          if (gone !== undefined && gone !== records[0]) assert.isNull(table.find("org_one", gone.event_id))
          for (const record of records) assert.strictEqual(table.find("org_one", record.event_id), record)
          const all = records.filter((record) => matches(record, filter)).toReversed()
          const skip = (request.page - 1) * request.page_size
          assert.deepStrictEqual(table.page("org_one", filter, request), {
            items: all.slice(skip, skip + request.page_size),
            total: all.length,
          })
        },
      ),
    )
  })

  it("costs a page and no more where one field or dates are asked for", () => {
    const table = new AuditTable()
    let looked = 0
    let head = emptyChain
    for (let nth = 0; nth < 1_000; nth++) {
      const outcome = nth % 2 === 0 ? "allowed" : "denied"
      const record = append(head, sampleAudit("org_one", { created_at: nth, outcome }))
      head = headOf(record)
      const { created_at, ...rest } = record
      table.push(
        Object.defineProperty({ ...rest, created_at }, "created_at", {
          get: () => ((looked += 1), created_at),
          enumerable: true,
        }),
      )
    }
    looked = 0
    for (const filter of [
      {},
      { outcome: "denied" },
      { from_date: 200 },
      { outcome: "allowed", to_date: 700 },
    ] as const) {
      assert.lengthOf(table.page("org_one", filter, { page: 2, page_size: 20 }).items, 20)
    }
    assert.strictEqual(looked, 0)
  })
})
