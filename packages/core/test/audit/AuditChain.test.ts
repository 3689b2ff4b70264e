import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  append,
  type AuditRecord,
  beginVerification,
  emptyChain,
  endVerification,
  type ExpectedTail,
  headOf,
  verifyChain,
  verifyNext,
} from "../../src/audit/rules/AuditChain.ts"
import type { AuditEntry } from "../../src/engine/rules/AuditEntry.ts"

const text = fc.string({ unit: "grapheme", maxLength: 8 })
const entry: fc.Arbitrary<Omit<AuditEntry, "event_id">> = fc.record({
  organization_id: fc.constant("org_1"),
  actor: fc.oneof(
    fc.constant({ type: "system" as const, key_id: null }),
    fc.record({ type: fc.constant("api_key" as const), key_id: text }),
  ),
  action: fc.constantFrom("call.create", "agent.update", "scope.denied"),
  resource: fc.record({ type: fc.constantFrom("call", "agent"), id: fc.option(text) }),
  outcome: fc.constantFrom("allowed", "denied", "failed"),
  error_code: fc.option(fc.constantFrom(1102, 1201)),
  http_status: fc.option(fc.integer({ min: 200, max: 599 })),
  request_id: fc.option(text),
  details: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(text, fc.integer(), fc.boolean())),
  created_at: fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
})

const chainOf = (entries: ReadonlyArray<Omit<AuditEntry, "event_id">>, prefix = "aud"): ReadonlyArray<AuditRecord> => {
  let head = emptyChain
  return entries.map((each, index) => {
    const record = append(head, { ...each, event_id: `${prefix}_${index + 1}` })
    head = headOf(record)
    return record
  })
}

const chain = fc.array(entry, { minLength: 1, maxLength: 12 }).map((entries) => chainOf(entries))
const longChain = fc.array(entry, { minLength: 3, maxLength: 12 }).map((entries) => chainOf(entries))

/** The item at an index that is known to be there. */
const at = <A>(items: ReadonlyArray<A>, index: number): A => {
  const item = items[index]
  assert.isDefined(item)
  return item
}

/** An independent hash of a record: members sorted at each level while JSON is written. */
const hashByHand = (record: AuditRecord): string => {
  const canonical = JSON.stringify(record, (name, value: unknown) => {
    if (name === "hash") return undefined
    if (typeof value !== "object" || value === null) return value
    const members = new Map(Object.entries(value))
    return Object.fromEntries([...members.keys()].sort().map((name) => [name, members.get(name)]))
  })
  return createHash("sha256").update(canonical).digest("hex")
}

describe("append", () => {
  it("numbers from 1, links each record to the one before, and hashes all but the hash", () => {
    fc.assert(
      fc.property(chain, (records) => {
        let previous = "0".repeat(64)
        for (const [index, record] of records.entries()) {
          assert.strictEqual(record.sequence, index + 1)
          assert.strictEqual(record.prev_hash, previous)
          assert.strictEqual(record.hash, hashByHand(record))
          previous = record.hash
        }
      }),
    )
  })

  it("has the fields of the published record and no others", () => {
    const [record] = chainOf([
      {
        organization_id: "org_1",
        actor: { type: "api_key", key_id: "key_1" },
        action: "call.create",
        resource: { type: "call", id: "exec_1" },
        outcome: "allowed",
        error_code: null,
        http_status: 201,
        request_id: "req_1",
        details: {},
        created_at: Date.UTC(2026, 0, 5, 9),
      },
    ])
    assert.deepEqual(record, {
      event_id: "aud_1",
      sequence: 1,
      organization_id: "org_1",
      actor: { type: "api_key", key_id: "key_1" },
      action: "call.create",
      resource: { type: "call", id: "exec_1" },
      outcome: "allowed",
      error_code: null,
      http_status: 201,
      request_id: "req_1",
      details: {},
      created_at: "2026-01-05T09:00:00.000Z",
      prev_hash: "0".repeat(64),
      hash: "33e1009efd62270cfa71555b9b5df3dbc6a0648768a5f3dcf8fa2cc0edd62205",
    })
  })
})

describe("verifyChain", () => {
  it("accepts what append made, whatever order its members come back in", () => {
    fc.assert(
      fc.property(chain, (records) => {
        const stored = records.map(reordered)
        const last = at(records, records.length - 1)
        const expected = { expectedHead: last.hash, expectedCount: records.length }
        for (const report of [verifyChain(records), verifyChain(stored), verifyChain(stored, expected)]) {
          assert.deepEqual(report, {
            valid: true,
            checked: records.length,
            first_event_id: "aud_1",
            last_event_id: last.event_id,
            head_hash: last.hash,
            broken_at: null,
            reason: null,
          })
        }
      }),
    )
  })

  it("goes on from the head of records that are no longer kept, and knows what it cannot look at", () => {
    fc.assert(
      fc.property(chain, fc.nat(), fc.nat(), (records, nth, remembered) => {
        const forgotten = nth % records.length
        const origin = forgotten === 0 ? emptyChain : headOf(at(records, forgotten - 1))
        const earlier = headOf(at(records, remembered % records.length))
        const expected = { expectedHead: earlier.hash, expectedCount: earlier.sequence }
        const verify = (kept: ReadonlyArray<AuditRecord>, tail: ExpectedTail) => {
          let state = beginVerification(tail, origin)
          for (const record of kept) state = verifyNext(state, record)
          return endVerification(state)
        }
        const kept = records.slice(forgotten)
        const report = verify(kept, expected)
        assert.deepInclude(report, { valid: true, checked: records.length })
        const found = { expectedHead: report.head_hash, expectedCount: report.checked }
        assert.isTrue(verify(kept, found).valid)
        assert.strictEqual(verify(kept, { ...found, expectedHead: flipped(report.head_hash) }).reason, "head_mismatch")
        assert.isTrue(verify(kept, { expectedHead: earlier.hash }).valid)
        const more = { expectedCount: records.length + 1 }
        assert.strictEqual(verify(kept, more).reason, "tail_missing")
        if (kept.length > 1) assert.strictEqual(verify(kept.slice(1), expected).reason, "gap")
      }),
    )
  })

  it("accepts an empty chain, unless something is expected of it", () => {
    const empty = {
      valid: true,
      checked: 0,
      first_event_id: null,
      last_event_id: null,
      head_hash: "0".repeat(64),
      broken_at: null,
      reason: null,
    }
    assert.deepEqual(verifyChain([]), empty)
    assert.deepEqual(verifyChain([], { expectedHead: "0".repeat(64), expectedCount: 0 }), empty)
    assert.deepEqual(verifyChain([], { expectedCount: 1 }), { ...empty, valid: false, reason: "tail_missing" })
    assert.deepEqual(verifyChain([], { expectedHead: "f".repeat(64) }), {
      ...empty,
      valid: false,
      reason: "head_mismatch",
    })
  })

  it("finds an edit of any field at its record", () => {
    const edits: ReadonlyArray<(record: AuditRecord) => AuditRecord> = [
      (record) => ({ ...record, event_id: `${record.event_id}x` }),
      (record) => ({ ...record, actor: { ...record.actor, key_id: `${record.actor.key_id}x` } }),
      (record) => ({
        ...record,
        actor: { ...record.actor, type: record.actor.type === "system" ? "api_key" : "system" },
      }),
      (record) => ({ ...record, action: `${record.action}x` }),
      (record) => ({ ...record, resource: { ...record.resource, type: `${record.resource.type}x` } }),
      (record) => ({ ...record, resource: { ...record.resource, id: `${record.resource.id}x` } }),
      (record) => ({ ...record, outcome: record.outcome === "denied" ? "allowed" : "denied" }),
      (record) => ({ ...record, error_code: (record.error_code ?? 0) + 1 }),
      (record) => ({ ...record, http_status: (record.http_status ?? 0) + 1 }),
      (record) => ({ ...record, request_id: `${record.request_id}x` }),
      (record) => ({ ...record, details: { ...record.details, added: true } }),
      (record) => ({ ...record, details: { lone: "\ud800" } }),
      (record) => ({ ...record, created_at: record.created_at.replace("Z", "1Z") }),
      (record) => ({ ...record, hash: flipped(record.hash) }),
    ]
    fc.assert(
      fc.property(chain, fc.nat(), fc.constantFrom(...edits), (records, where, edit) => {
        const index = where % records.length
        const edited = edit(at(records, index))
        const report = verifyChain(records.with(index, edited))
        assert.isFalse(report.valid)
        assert.strictEqual(report.reason, "edited")
        assert.strictEqual(report.broken_at, edited.event_id)
        assert.strictEqual(report.checked, index)
        assert.strictEqual(report.head_hash, index === 0 ? "0".repeat(64) : at(records, index - 1).hash)
        assert.strictEqual(report.last_event_id, index === 0 ? null : `aud_${index}`)
        assert.strictEqual(report.first_event_id, index === 0 ? null : "aud_1")
      }),
      { numRuns: 300 },
    )
  })

  it("finds an edit that was hashed anew at the record after it", () => {
    fc.assert(
      fc.property(longChain, fc.nat(), (records, where) => {
        const index = where % (records.length - 1)
        const edited = { ...at(records, index), action: "forged" }
        const forged = { ...edited, hash: hashByHand(edited) }
        const report = verifyChain(records.with(index, forged))
        assert.strictEqual(report.reason, "broken_link")
        assert.strictEqual(report.broken_at, `aud_${index + 2}`)
      }),
    )
  })

  it("finds a missing record", () => {
    fc.assert(
      fc.property(longChain, fc.nat(), (records, where) => {
        const index = where % (records.length - 1)
        const report = verifyChain(records.toSpliced(index, 1))
        assert.strictEqual(report.reason, "gap")
        assert.strictEqual(report.broken_at, `aud_${index + 2}`)
        assert.strictEqual(report.checked, index)
      }),
    )
  })

  it("finds a repeated record, two that changed places, and one inserted", () => {
    fc.assert(
      fc.property(longChain, fc.nat(), entry, (records, where, extra) => {
        const index = where % (records.length - 1)
        const [here, next] = [at(records, index), at(records, index + 1)]
        const repeated = verifyChain(records.toSpliced(index, 0, here))
        assert.deepEqual([repeated.reason, repeated.checked], ["out_of_order", index + 1])
        const swapped = verifyChain(records.with(index, next).with(index + 1, here))
        assert.deepEqual([swapped.reason, swapped.checked], ["gap", index])
        const inserted = append(headOf(here), { ...extra, event_id: "aud_new" })
        const report = verifyChain(records.toSpliced(index + 1, 0, inserted))
        assert.deepEqual([report.reason, report.broken_at], ["out_of_order", next.event_id])
      }),
    )
  })

  it("finds records renumbered to hide a gap", () => {
    fc.assert(
      fc.property(longChain, (records) => {
        const renumbered = records.toSpliced(1, 1).map((record, index) => ({ ...record, sequence: index + 1 }))
        assert.strictEqual(verifyChain(renumbered).reason, "broken_link")
        const relinked = renumbered.with(1, { ...at(renumbered, 1), prev_hash: at(renumbered, 0).hash })
        assert.strictEqual(verifyChain(relinked).reason, "edited")
      }),
    )
  })

  it("finds a record of another organization, even one that would fit", () => {
    fc.assert(
      fc.property(chain, entry, (records, extra) => {
        const foreign = append(headOf(at(records, records.length - 1)), {
          ...extra,
          organization_id: "org_2",
          event_id: "aud_foreign",
        })
        const report = verifyChain([...records, foreign])
        assert.deepEqual([report.reason, report.broken_at], ["other_organization", "aud_foreign"])
      }),
    )
  })

  it("finds a cut tail by the count, by the head, and by both", () => {
    fc.assert(
      fc.property(chain, fc.nat(), (records, where) => {
        const kept = where % records.length
        const cut = records.slice(0, kept)
        const expectedHead = at(records, records.length - 1).hash
        const expectedCount = records.length
        assert.isTrue(verifyChain(cut).valid)
        assert.strictEqual(verifyChain(cut, { expectedCount }).reason, "tail_missing")
        assert.strictEqual(verifyChain(cut, { expectedHead }).reason, "head_mismatch")
        const report = verifyChain(cut, { expectedHead, expectedCount })
        assert.deepEqual([report.valid, report.reason], [false, "tail_missing"])
        assert.isNull(report.broken_at)
      }),
    )
  })

  it("accepts a chain that has grown since it was last looked at", () => {
    fc.assert(
      fc.property(chain, fc.nat(), (records, where) => {
        const count = 1 + (where % records.length)
        const head = at(records, count - 1).hash
        for (const expected of [
          { expectedHead: head },
          { expectedCount: count },
          { expectedHead: head, expectedCount: count },
        ]) {
          assert.isTrue(verifyChain(records, expected).valid)
        }
        if (count === records.length) return
        const elsewhere = { expectedHead: head, expectedCount: count + 1 }
        assert.strictEqual(verifyChain(records, elsewhere).reason, "head_mismatch")
      }),
    )
  })

  it("finds a chain that was written anew", () => {
    fc.assert(
      fc.property(chain, fc.nat(), (records, where) => {
        const index = where % records.length
        const entries = records.map((record) => ({ ...record, created_at: Date.parse(record.created_at) }))
        const rewritten = chainOf(entries.with(index, { ...at(entries, index), action: "forged" }))
        assert.isTrue(verifyChain(rewritten).valid)
        const expected = { expectedHead: at(records, records.length - 1).hash, expectedCount: records.length }
        const report = verifyChain(rewritten, expected)
        assert.deepEqual([report.reason, report.broken_at], ["head_mismatch", null])
      }),
    )
  })

  it("verifies in pieces as it does at once, and looks at nothing after the first fault", () => {
    fc.assert(
      fc.property(longChain, fc.nat(), fc.boolean(), (records, where, isBroken) => {
        const index = where % records.length
        const stored = isBroken ? records.with(index, { ...at(records, index), action: "forged" }) : records
        const expected = { expectedCount: records.length }
        const inPieces = endVerification(stored.reduce(verifyNext, beginVerification(expected)))
        let taken = 0
        const counting = function* () {
          for (const record of stored) {
            taken++
            yield record
          }
        }
        assert.deepEqual(inPieces, verifyChain(counting(), expected))
        assert.strictEqual(taken, isBroken ? index + 1 : records.length)
      }),
    )
  })
})

const flipped = (hash: string): string => (hash.startsWith("0") ? "1" : "0") + hash.slice(1)

const reordered = ({ event_id, sequence, action, details, ...rest }: AuditRecord): AuditRecord => ({
  ...rest,
  details,
  action,
  sequence,
  event_id,
})
