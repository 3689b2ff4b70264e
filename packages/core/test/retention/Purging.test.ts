import { assert, describe, it } from "vitest"
import type { Call } from "@carillon/core"
import type { Batch, Delivery, Purge } from "@carillon/core/ports"
import type { RowChange } from "../../src/engine/rules/Outcome.ts"
import { limits } from "../../src/Limits.ts"
import {
  isBatchDue,
  isCallDue,
  isDoneWith,
  isSettled,
  nothingGone,
  restAfter,
  type SeenCall,
  stepOf,
  walkAt,
  walkFrom,
} from "../../src/retention/steps/Purging.ts"
import { untouched } from "../../src/contacts/rules/ContactProgress.ts"
import { sampleBatch, sampleCall, sampleDelivery, sampleEpoch as now, sampleEvent } from "../../src/testing/Samples.ts"

const organization_id = "org_one"
const day = 24 * 3_600_000
const before = now - 30 * day

const over = (changes: Partial<Call> = {}): Call =>
  sampleCall(organization_id, {
    status: "completed",
    dial: "accepted",
    completed_at: before - 1,
    final_report_at: before - 1,
    ...changes,
  })

const finished = (changes: Partial<Batch> = {}): Batch =>
  sampleBatch(organization_id, { status: "completed", completed_at: before - 1, ...changes })

describe("when a walk begins", () => {
  const begun = walkFrom(null, organization_id, { days: 30, before }, now)
  const ended: Purge = { ...begun, place: null }

  it("is a day after the last one began, at once for other days, and never in the middle of one", () => {
    assert.deepStrictEqual(walkAt(null, organization_id, 30, now), begun)
    assert.strictEqual(walkAt(begun, organization_id, 30, now + 9 * day), begun)
    assert.strictEqual(walkAt(ended, organization_id, 30, now + day - 1), now + day)
    assert.deepStrictEqual(walkAt(ended, organization_id, 30, now + day), {
      ...begun,
      began_at: now + day,
      before: before + day,
    })
    for (const known of [begun, ended]) {
      assert.deepInclude(walkAt(known, organization_id, 7, now + 1), { days: 7, before: now + 1 - 7 * day })
    }
  })

  it("tells what the last one has not told, and passes over what is purged at the front", () => {
    const settled = { created_at: 5, sequence: 9 }
    const gone = { ...nothingGone, calls: 3 }
    const next = walkFrom({ ...begun, settled, gone, calls_before: 9 }, organization_id, { days: 7, before }, now)
    assert.deepInclude(next, { settled, gone, calls_before: 9, place: { of: "batches", after: settled } })
  })
})

describe("what goes", () => {
  it("is a call that ended before, of which nothing more is to come", () => {
    assert.isTrue(isCallDue(over(), before))
    const kept: ReadonlyArray<Partial<Call>> = [
      { completed_at: before },
      { status: "in-progress" },
      { due_at: now },
      { processing: { ...over().processing, due_at: now } },
    ]
    for (const changes of kept) assert.isFalse(isCallDue(over(changes), before), JSON.stringify(changes))
  })

  it("is settled, and its contact done with", () => {
    const event = { event_id: "evt_one", is_waiting: false, kept: null }
    const delivery = sampleDelivery(organization_id, { status: "failed", due_at: null })
    const seen: SeenCall = { records: [over()], events: [event], deliveries: [delivery], isMore: false }
    assert.isTrue(isSettled(seen))
    const waiting = { ...event, is_waiting: true }
    const retrying: Delivery = { ...delivery, status: "retrying" }
    assert.isFalse(isSettled({ ...seen, events: [event, waiting] }))
    assert.isFalse(isSettled({ ...seen, deliveries: [delivery, retrying] }))
    assert.isFalse(isSettled({ ...seen, isMore: true }))
    const contact = untouched(finished(), "con_one_0", 0)
    assert.isTrue(isDoneWith(null))
    for (const status of ["completed", "failed"] as const) assert.isTrue(isDoneWith({ ...contact, status }))
    for (const status of ["pending", "in_progress", "retry_scheduled", "follow_up_scheduled"] as const) {
      assert.isFalse(isDoneWith({ ...contact, status }))
    }
  })

  it("is a batch that has ended before and still has contacts", () => {
    assert.isTrue(isBatchDue(finished(), before))
    assert.isTrue(isBatchDue(finished({ purging_since: now }), before))
    assert.isFalse(isBatchDue(finished({ purged_at: now }), before))
    assert.isFalse(isBatchDue(finished({ completed_at: before }), before))
    assert.isFalse(isBatchDue(finished({ status: "paused", completed_at: null }), before))
  })
})

describe("a walk", () => {
  const removed = (changes: ReadonlyArray<RowChange>) =>
    changes.flatMap((change) => (change.put === "removal" || change.put === "discard" ? [change.id] : []))

  it("says first that the contacts of a batch are going, takes them page by page, and says when they are gone", () => {
    const batch = finished({ batch_id: "bat_two", total_contacts: limits.purgedContacts + 1, created_at: 2 })
    const begun = walkFrom(null, organization_id, { days: 30, before }, now)
    const purged = finished({ batch_id: "bat_one", created_at: 1, purged_at: 1 })
    const first = { created_at: 1, sequence: 3 }
    const second = { created_at: 2, sequence: 2 }
    const rows = [
      { place: first, row: purged },
      { place: second, row: batch },
    ]
    const page = { of: "batches", rows } as const
    const marked = stepOf(begun, { ...page, due: batch }, now)
    assert.deepStrictEqual(marked.walk.place, { of: "contacts", after: first, batch_id: "bat_two", row: 0 })
    assert.deepStrictEqual(marked.walk.settled, first)
    assert.deepInclude(marked.changes[0], { put: "batch" })
    const some = stepOf(marked.walk, { of: "contacts", batch }, now)
    assert.lengthOf(removed(some.changes), limits.purgedContacts)
    assert.deepStrictEqual(some.walk.gone, nothingGone)
    const all = stepOf(some.walk, { of: "contacts", batch }, now)
    assert.lengthOf(removed(all.changes), 1)
    assert.deepStrictEqual(all.walk.gone, { ...nothingGone, contacts: limits.purgedContacts + 1 })
    assert.deepStrictEqual(all.walk.place, { of: "batches", after: first })
    const passed = stepOf(
      all.walk,
      { of: "batches", rows: [{ place: second, row: { ...batch, purged_at: now } }], due: null },
      now,
    )
    assert.deepStrictEqual(passed.walk.place, { of: "batches", after: second })
    assert.deepStrictEqual(passed.walk.settled, second)
    const ended = stepOf(passed.walk, { of: "batches", rows: [], due: null }, now)
    assert.deepStrictEqual(ended.walk, { ...passed.walk, place: { of: "calls", after: null } })
  })

  it("looks again at a batch that it passed, and at all behind it", () => {
    const open = finished({ batch_id: "bat_open", created_at: 1, status: "paused" })
    const behind = finished({ batch_id: "bat_behind", created_at: 2, purged_at: 1 })
    const begun = walkFrom(null, organization_id, { days: 30, before }, now)
    const rows = [open, behind].map((row, sequence) => ({ place: { created_at: row.created_at, sequence }, row }))
    const passed = stepOf(begun, { of: "batches", rows, due: null }, now)
    assert.isNull(passed.walk.settled)
    assert.deepStrictEqual(passed.walk.place, { of: "batches", after: { created_at: 2, sequence: 1 } })
  })

  it("takes a call away with all that is its own, keeps the place of an event that is kept, and says how far it has come", () => {
    const call = over({ execution_id: "exec_new", folded_from: "exec_old", created_at: 7 })
    const old = over({ execution_id: "exec_old", folded_into: "exec_new", created_at: 7 })
    const kept = sampleEvent(organization_id, { event_id: "evt_kept", kept: true })
    const event = { event_id: "evt_one", is_waiting: false, kept: null }
    const delivery = sampleDelivery(organization_id, { delivery_id: "dlv_one" })
    const seen: SeenCall = {
      records: [call, old],
      events: [{ event_id: "evt_kept", is_waiting: false, kept }, event],
      deliveries: [delivery],
      isMore: false,
    }
    const begun: Purge = {
      ...walkFrom(null, organization_id, { days: 30, before }, now),
      place: { of: "calls", after: null },
    }
    const passed = over({ execution_id: "exec_passed", created_at: 8 })
    const rows = [call, passed].map((row, sequence) => ({ place: { created_at: row.created_at, sequence }, row }))
    const { changes, walk } = stepOf(begun, { of: "calls", rows, done: [seen] }, now)
    assert.sameMembers(removed(changes), ["exec_new", "exec_new", "exec_old", "exec_old", "evt_one", "dlv_one"])
    const left = changes.flatMap((change) => (change.put === "event" ? [change.row] : []))
    assert.deepInclude(left[0], { event_id: "evt_kept", erased: true })
    assert.deepStrictEqual(walk.gone, { calls: 1, contacts: 0, events: 2, deliveries: 1 })
    assert.strictEqual(walk.calls_before, 8)
    assert.deepStrictEqual(walk.place, { of: "calls", after: { created_at: 8, sequence: 1 } })
    const ended = stepOf(walk, { of: "calls", rows: [], done: [] }, now)
    assert.deepStrictEqual(ended.walk.place, { of: "callees", after: null })
    const known = { callees: [], last: null }
    assert.isNull(stepOf(ended.walk, { of: "callees", known }, now).walk.place)
    assert.strictEqual(ended.walk.calls_before, 8)
  })

  const seenOf = (call: Call): SeenCall => ({ records: [call], events: [], deliveries: [], isMore: false })

  const placeOf = ({ created_at }: Call) => ({ created_at, sequence: created_at })

  const callsFrom = (walk: Purge, calls: ReadonlyArray<Call>, gone: ReadonlyArray<Call>) => {
    const rows = calls.map((row) => ({ place: placeOf(row), row }))
    return stepOf(walk, { of: "calls", rows, done: gone.map(seenOf) }, now).walk
  }

  it("begins after the calls at the front that are gone, and never after one that it passed", () => {
    const [first = over(), second = over(), third = over(), fourth = over()] = [1, 2, 3, 4].map((nth) =>
      over({ execution_id: `exec_${nth}`, created_at: nth }),
    )
    const begun: Purge = {
      ...walkFrom(null, organization_id, { days: 30, before }, now),
      place: { of: "calls", after: null },
    }
    const all = callsFrom(begun, [first, second], [first, second])
    assert.deepStrictEqual(all.calls_settled, { created_at: 2, sequence: 2 })
    const some = callsFrom(all, [third, fourth], [fourth])
    assert.deepStrictEqual(some.place, { of: "calls", after: { created_at: 4, sequence: 4 } })
    assert.deepStrictEqual(some.calls_settled, { created_at: 2, sequence: 2 })
    const later = over({ execution_id: "exec_5", created_at: 5 })
    assert.deepStrictEqual(callsFrom(some, [later], [later]).calls_settled, { created_at: 2, sequence: 2 })
    assert.isNull(callsFrom(begun, [first, second], [second]).calls_settled)
    assert.isNull(callsFrom(begun, [], []).calls_settled)
    const next = walkFrom(some, organization_id, { days: 30, before }, now)
    const atCalls = stepOf(next, { of: "batches", rows: [], due: null }, now).walk
    assert.deepStrictEqual(atCalls.place, { of: "calls", after: { created_at: 2, sequence: 2 } })
    assert.deepStrictEqual(callsFrom(atCalls, [third], [third]).calls_settled, { created_at: 3, sequence: 3 })
  })

  it("looks again at the time of which a call may still be committed", () => {
    const begun: Purge = {
      ...walkFrom(null, organization_id, { days: null, before: now }, now),
      place: { of: "calls", after: null },
    }
    const old = over({ execution_id: "exec_old", created_at: now - day - 1 })
    const young = over({ execution_id: "exec_young", created_at: now - day })
    assert.deepStrictEqual(callsFrom(begun, [old, young], [old, young]).calls_settled, placeOf(old))
  })

  it("rests longer after a step that took longer", () => {
    assert.strictEqual(restAfter(0), limits.purgeRestMs)
    assert.strictEqual(restAfter(-1), limits.purgeRestMs)
    assert.strictEqual(restAfter(1_000), 1_000 * limits.purgeRestTimes)
  })
})
