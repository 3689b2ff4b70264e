import { assert, describe, it } from "@effect/vitest"
import type { Call } from "@carillon/core"
import type { Batch, Change, Purge } from "@carillon/core/ports"
import { Effect, Result } from "effect"
import { calleeId } from "../../src/callees/rules/Callee.ts"
import { contactId } from "../../src/contacts/rules/Contact.ts"
import { untouched } from "../../src/contacts/rules/ContactProgress.ts"
import { draftOf } from "../../src/engine/steps/Drafting.ts"
import type { Expectation } from "../../src/engine/rules/Commit.ts"
import { Grounds } from "../../src/engine/steps/Grounds.ts"
import { put, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import { limits } from "../../src/Limits.ts"
import { nothingGone, walkFrom } from "../../src/retention/steps/Purging.ts"
import { endWalk, purgeOn, sweepOn } from "../../src/retention/steps/WalkOn.ts"
import {
  sampleBatch,
  sampleCall,
  sampleCallee,
  sampleDelivery,
  sampleEpoch as now,
  sampleEvent,
  sampleSuppression,
} from "../../src/testing/Samples.ts"
import { eventIdsOf } from "../../src/webhooks/rules/WebhookEvent.ts"
import { momentAt, readOn, sourcesOn, replied } from "../StepInPieces.ts"

const organization_id = "org_one"
const day = 24 * 3_600_000
const before = now - 30 * day
const asked = { organization_id, days: 30, at: now }
const moment = momentAt(now + 1)

const begun: Purge = { ...walkFrom(null, organization_id, { days: 30, before }, now), revision: 2 }
const rests = (revision: number): Expectation => ({ kind: "purge", id: organization_id, revision })

const finished = (changes: Partial<Batch> = {}): Batch =>
  sampleBatch(organization_id, {
    batch_id: "bat_one",
    status: "completed",
    created_at: before - 2,
    completed_at: before - 1,
    ...changes,
  })

const over = (changes: Partial<Call> = {}): Call =>
  sampleCall(organization_id, {
    execution_id: "exec_one",
    status: "completed",
    dial: "accepted",
    completed_at: before - 1,
    created_at: before - 2,
    final_report_at: before - 1,
    ...changes,
  })

/** A step of a walk that stands so, among these rows. */
const walked = (known: Purge | null, ...rows: ReadonlyArray<Change>) => {
  const walk = known === null ? [] : [{ put: "purge", row: known } as const]
  const { expected, view } = Result.getOrThrow(readOn(sourcesOn(...walk, ...rows), sweepOn.reads(asked)))
  const { answer, audit, changes } = sweepOn.decide(asked, view, moment)
  return { expected, audit, changes, reply: Result.getOrThrow(replied(answer)) }
}

/** What is put, removed and discarded by a step, beside its walk. */
const gone = ({ changes }: ReturnType<typeof walked>) =>
  (changes ?? []).flatMap((change) => ("id" in change ? [`${change.put} ${change.kind} ${change.id}`] : []))

const written = ({ changes }: ReturnType<typeof walked>) =>
  (changes ?? []).flatMap((one) => ("row" in one ? [one] : []))

describe("a walk by the days of an organization", () => {
  it("begins where there was none, and rests until the next one is due", () => {
    const first = walked(null)
    assert.deepStrictEqual(first.expected, [rests(0)])
    const after = { ...begun, revision: 0, place: { of: "calls", after: null } } as const
    assert.deepStrictEqual(first.changes, [put("purge", null, after)])
    const ended = walked({ ...begun, place: null })
    assert.deepStrictEqual(ended.expected, [rests(2)])
    assert.isNull(ended.changes)
    assert.strictEqual(ended.reply, now + limits.purgeLookMs)
  })

  it("says of the first batch that has ended, and has nobody in a call, that its contacts are going", () => {
    const step = walked(begun, { put: "batch", row: finished() })
    const marked = finished({ purging_since: now + 1 })
    assert.deepInclude(written(step)[1], { put: "batch", before: finished(), row: { ...marked, revision: 2 } })
    const inCall = { put: "tally", subject: "bat_one", add: { "contact:in_progress": 1 } } as const
    for (const rows of [
      [{ put: "batch", row: finished({ completed_at: before }) } as const],
      [{ put: "batch", row: finished() } as const, inCall],
    ]) {
      assert.lengthOf(walked(begun, ...rows).changes ?? [], 1)
    }
  })

  it("takes the contacts of a batch away on the ground of its row", () => {
    const batch = finished({ total_contacts: 2, purging_since: 1, revision: 7 })
    const at: Purge = { ...begun, place: { of: "contacts", after: null, batch_id: "bat_one", row: 0 } }
    const step = walked(at, { put: "batch", row: batch })
    assert.deepStrictEqual(step.expected, [rests(2), { kind: "batch", id: "bat_one", revision: 7 }])
    assert.deepStrictEqual(
      gone(step),
      [0, 1].map((row) => `discard contact ${contactId("bat_one", row)}`),
    )
    assert.deepInclude(written(step)[1]?.row, { purged_at: now + 1, revision: 8 })
    const missing = walked(at)
    assert.deepStrictEqual(missing.expected, [rests(2), { kind: "batch", id: "bat_one", revision: 0 }])
    assert.lengthOf(missing.changes ?? [], 1)
  })

  const atCalls: Purge = { ...begun, place: { of: "calls", after: null } }

  it("takes calls away with what was folded into them, their events and deliveries, as they were read", () => {
    const folded = over({ execution_id: "exec_old", folded_into: "exec_one", dial: "none", revision: 4 })
    const call = over({ folded_from: "exec_old", revision: 2 })
    const [first = "", second = ""] = eventIdsOf(call)
    const told = sampleEvent(organization_id, { event_id: first, execution_id: "exec_one", routed_at: now })
    const kept = sampleEvent(organization_id, {
      event_id: second,
      execution_id: "exec_one",
      routed_at: now,
      kept: true,
    })
    const delivery = sampleDelivery(organization_id, {
      delivery_id: "dlv_one",
      execution_id: "exec_old",
      status: "failed",
      due_at: null,
    })
    const rows: ReadonlyArray<Change> = [
      { put: "call", row: folded },
      { put: "call", row: call },
      { put: "event", row: told },
      { put: "event", row: kept },
      { put: "delivery", row: delivery },
    ]
    const step = walked(atCalls, ...rows)
    assert.sameMembers(gone(step), [
      "removal call exec_one",
      "discard call_media exec_one",
      "removal call exec_old",
      "discard call_media exec_old",
      `discard event ${first}`,
      "discard delivery dlv_one",
    ])
    const { changes, expect } = draftOf(organization_id, step.changes ?? [], new Grounds(), now)
    assert.deepStrictEqual(expect, [])
    assert.deepInclude(changes, { put: "removal", organization_id, kind: "call", id: "exec_old", revision: 4 })
    assert.deepInclude(written(step)[1]?.row, { event_id: second, erased: true })
    const waiting: ReadonlyArray<Change> = [
      { put: "event", row: { ...told, routed_at: null } },
      { put: "delivery", row: { ...delivery, status: "retrying" } },
      { put: "call", row: { ...call, due_at: now } },
    ]
    for (const change of waiting) assert.isEmpty(gone(walked(atCalls, ...rows, change)))
  })

  it("passes over a call whose contact will be dialled again", () => {
    const contact = untouched(finished(), contactId("bat_one", 0), 0)
    const call = over({ contact_id: contact.contact_id, batch_id: "bat_one" })
    const passing = (status: "completed" | "retry_scheduled") => {
      const sources = sourcesOn({ put: "purge", row: atCalls }, { put: "call", row: call })
      Effect.runSync(sources.contacts.fill("bat_one", 0, [{ to_number: "+15555552010", variables: {} }]))
      const row = { ...contact, revision: 1, status }
      const commit = { id: "cmt_one", organization_id, expect: [], wakeups: [], events: [], audit: [] }
      Effect.runSync(sources.store.commit({ ...commit, changes: [{ put: "contact", row }] }))
      const { view } = Result.getOrThrow(readOn(sources, sweepOn.reads(asked)))
      return sweepOn.decide(asked, view, moment).changes?.length
    }
    assert.strictEqual(passing("retry_scheduled"), 1)
    assert.strictEqual(passing("completed"), 3)
  })

  const atCallees: Purge = { ...begun, place: { of: "callees", after: null } }

  it("takes away the numbers of which nothing counts any more, as they were read", () => {
    const dialled = (nth: number, ...at: ReadonlyArray<number>) =>
      sampleCallee(organization_id, {
        to_number: `+1555555300${nth}`,
        suppressions: [],
        attempts: at.map((each) => ({ execution_id: `exec_${each}`, at: each })),
        revision: nth + 1,
      })
    const rows = [
      dialled(0, now - 40 * day, now - 31 * day),
      dialled(1, now - 40 * day, now - 30 * day + 2),
      { ...dialled(2, now - 40 * day), suppressions: [sampleSuppression({ expires_at: now - 35 * day })] },
      dialled(3),
    ]
    const asChanges = rows.map((row): Change => ({ put: "callee", row, from: 0 }))
    const step = walked(atCallees, ...asChanges)
    const [first = "", , , last = ""] = rows.map(({ to_number }) => calleeId(organization_id, to_number))
    assert.deepStrictEqual(gone(step), [`removal callee ${first}`, `removal callee ${last}`])
    assert.deepInclude(written(step)[0]?.row, { gone: { ...nothingGone, callees: 2 } })
    const { changes } = draftOf(organization_id, step.changes ?? [], new Grounds(), now)
    assert.deepInclude(changes, { put: "removal", organization_id, kind: "callee", id: last, revision: 4 })
    assert.isEmpty(gone(walked({ ...atCallees, before: now - 50 * day }, ...asChanges.slice(0, 1))))
  })

  it("tells the audit trail once what has gone", () => {
    const counts = { ...nothingGone, calls: 3 }
    const last = walked({ ...atCallees, gone: counts })
    const resource = { type: "organization", id: organization_id }
    assert.deepStrictEqual(last.audit, [{ action: "retention.purge", resource, details: { ...counts, days: 30 } }])
    assert.deepInclude(last.reply, { told: counts })
    assert.deepInclude(written(last)[0]?.row, { place: null, gone: nothingGone })
    assert.isEmpty(walked(atCallees).audit)
    assert.deepInclude(written(walked({ ...atCalls, gone: counts }))[0]?.row, { place: atCallees.place, gone: counts })
  })
})

describe("a walk that somebody has asked for", () => {
  const by = { organization_id, before, at: now }
  const sources = sourcesOn({ put: "purge", row: { ...begun, place: { of: "callees", after: null } } })

  it("begins with its first step, and goes on from the row with the others", () => {
    const first = { ...by, begins: true }
    const { view } = Result.getOrThrow(readOn(sources, purgeOn.reads(first)))
    const outcome = Result.getOrThrow(replied(purgeOn.decide(first, view, moment).answer))
    assert.deepInclude(outcome.walk, { days: null, before, place: { of: "calls", after: null } })
    const next = { ...by, begins: false }
    const going = Result.getOrThrow(readOn(sources, purgeOn.reads(next))).view
    assert.isNull(Result.getOrThrow(replied(purgeOn.decide(next, going, moment).answer)).walk.place)
  })
})

describe("a walk whose organization keeps everything from now on", () => {
  it("ends, and tells what has gone; one that is over is left", () => {
    const input = { organization_id }
    const walk = { ...begun, gone: { ...nothingGone, contacts: 1 } }
    const over = { ...begun, place: null }
    const audit = [
      {
        action: "retention.purge",
        resource: { type: "organization", id: organization_id },
        details: { ...walk.gone, days: 30 },
      },
    ]
    const ended = put("purge", walk, over)
    assert.deepStrictEqual(
      endWalk.decide(input, walk, moment),
      write([ended], { audit, reply: { walk: ended.row, told: walk.gone } }),
    )
    assert.deepStrictEqual(endWalk.decide(input, over, moment), unchanged(null))
    assert.deepStrictEqual(endWalk.decide(input, null, moment), unchanged(null))
  })
})
