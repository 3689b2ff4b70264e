import type { Call } from "@carillon/core"
import type { Change, Contact } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { settlesBatch } from "../../src/batches/rules/BatchErrand.ts"
import { type Callee, calleeId } from "../../src/callees/rules/Callee.ts"
import { contactId } from "../../src/contacts/rules/Contact.ts"
import { untouched } from "../../src/contacts/rules/ContactProgress.ts"
import { draftOf } from "../../src/engine/steps/Drafting.ts"
import { Grounds } from "../../src/engine/steps/Grounds.ts"
import type { RowChange } from "../../src/engine/rules/Outcome.ts"
import { asks, put, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import { eraseCall } from "../../src/erasure/steps/EraseCall.ts"
import { overwritesContact } from "../../src/contacts/rules/ContactErrands.ts"
import { erasedEntry } from "../../src/erasure/rules/Erased.ts"
import { eraseContact } from "../../src/erasure/steps/EraseContact.ts"
import { eraseWords } from "../../src/erasure/steps/EraseWords.ts"
import { recordErasure } from "../../src/erasure/steps/RecordErasure.ts"
import { sampleBatch, sampleCall, sampleDelivery, sampleEpoch, sampleEvent } from "../../src/testing/Samples.ts"
import { eventIdsOf } from "../../src/webhooks/rules/WebhookEvent.ts"
import { momentAt, readOn, sourcesOn, replied } from "../StepInPieces.ts"

const organization_id = "org_one"
const ada = "+15555552010"
const now = sampleEpoch + 5_000
const at = momentAt(now)

describe("a call", () => {
  const over = (changes: Partial<Call>): Call =>
    sampleCall(organization_id, {
      to_number: ada,
      status: "completed",
      dial: "accepted",
      completed_at: sampleEpoch,
      final_report_at: sampleEpoch,
      call_sid: "CA1",
      ...changes,
    })
  const folded = over({ execution_id: "exec_folded", folded_into: "exec_one", revision: 4, dial: "none" })
  const call = over({ execution_id: "exec_one", folded_from: "exec_folded", revision: 2 })
  const [first = "", second = ""] = eventIdsOf(call)
  const routed = { execution_id: "exec_one", routed_at: sampleEpoch }
  const kept = sampleEvent(organization_id, { ...routed, event_id: first, kept: true, revision: 3 })
  const told = sampleEvent(organization_id, { ...routed, event_id: second })
  const rows: ReadonlyArray<Change> = [
    { put: "call", row: folded },
    { put: "call", row: call },
    { put: "event", row: kept },
    { put: "event", row: told },
  ]
  const input = { organization_id, execution_id: "exec_one", at: now }

  const erased = (changes: ReadonlyArray<Change>, of = input) => {
    const { expected, view } = Result.getOrThrow(readOn(sourcesOn(...rows, ...changes), eraseCall.reads(of)))
    return { expected, outcome: eraseCall.decide(of, view, at) }
  }

  it("goes with what was folded into it and its events; a kept one keeps its place", () => {
    const { expected, outcome } = erased([])
    const { answer, changes } = outcome
    assert.deepStrictEqual(expected, [
      { kind: "call", id: "exec_one", revision: 2 },
      { kind: "call_media", id: "exec_one", revision: 0 },
    ])
    assert.deepStrictEqual(Result.getOrThrow(replied(answer)), {
      _tag: "Erased",
      events: 2,
      elsewhere: { execution_id: "exec_one", call_sid: "CA1", recording_url: call.recording_url },
    })
    const { changes: drafted, expect } = draftOf(organization_id, changes ?? [], new Grounds(), now)
    assert.deepStrictEqual(expect, [])
    assert.deepStrictEqual(
      drafted.flatMap((one) => ("row" in one ? [[one.put, one.row.revision]] : [])),
      [
        ["call", 3],
        ["call", 5],
        ["event", 4],
      ],
    )
    assert.deepInclude(drafted, { put: "discard", organization_id, kind: "event", id: second })
    assert.notInclude(JSON.stringify(drafted), ada)
  })

  it("stays as it is while it, or a webhook of it or of what was folded into it, is under way", () => {
    const pending = (execution_id: string, expires_at = now + 1) =>
      ({
        put: "delivery",
        row: sampleDelivery(organization_id, { execution_id, status: "retrying", expires_at }),
      }) as const
    const underWay: ReadonlyArray<Change> = [
      { put: "call", row: { ...call, status: "in-progress" } },
      { put: "call", row: { ...call, due_at: now } },
      { put: "event", row: { ...told, routed_at: null } },
      pending("exec_one"),
      pending("exec_folded"),
    ]
    for (const change of underWay) {
      const { answer, changes } = erased([change]).outcome
      assert.deepStrictEqual(Result.getOrThrow(replied(answer)), { _tag: "UnderWay" }, JSON.stringify(change))
      assert.isNull(changes)
    }
    // What has expired is in no list any more.
    assert.isNotNull(erased([pending("exec_one", now)]).outcome.changes)
  })

  it("is erased once, and only in its organization", () => {
    const nothing = unchanged({ _tag: "Nothing" })
    const before = { put: "call", row: { ...call, erased_at: 1 } } as const
    for (const [changes, of] of [
      [[before], input],
      [[], { ...input, organization_id: "org_two" }],
      [[], { ...input, execution_id: "exec_unknown" }],
    ] as const) {
      assert.deepStrictEqual(erased(changes, of).outcome, nothing)
    }
  })
})

describe("a contact", () => {
  const batch = sampleBatch(organization_id, { batch_id: "bat_one", total_contacts: 1 })
  const contact_id = contactId("bat_one", 0)
  const input = { organization_id, batch, place: 0, number: ada }
  const look = { set: { kind: "dispatch", subject: organization_id, at: now } } as const

  const erased = (contact: Contact | null, to_number = ada) => {
    const sources = sourcesOn({ put: "batch", row: batch })
    Effect.runSync(sources.contacts.fill("bat_one", 0, [{ to_number, variables: {} }]))
    const stored = contact === null ? null : ({ put: "contact", row: contact } as const)
    if (stored !== null) Effect.runSync(sources.store.commit({ ...nobody, changes: [stored] }))
    const { expected, view } = Result.getOrThrow(readOn(sources, eraseContact.reads(input)))
    assert.deepStrictEqual(expected, [{ kind: "contact", id: contact_id, revision: contact?.revision ?? 0 }])
    return eraseContact.decide(input, view, at)
  }
  const nobody = { id: "cmt_one", organization_id, expect: [], wakeups: [], events: [], audit: [] }
  const fresh = untouched(batch, contact_id, 0)
  const overwriting = overwritesContact({ subject: contact_id, batch_id: "bat_one", place: 0, entry: erasedEntry })
  const waiting: Contact = {
    ...fresh,
    revision: 1,
    status: "retry_scheduled",
    eligible_at: now,
    reached: true,
    holds: 2,
  }

  it("that waits is dialled no more: it is over with what it has come to, and its batch is looked at", () => {
    const errands = [settlesBatch(batch)]
    const of = (before: Contact | null, after: Contact) =>
      asks(overwriting, [put("contact", before, after)], { errands, wakeups: [look] })
    assert.deepStrictEqual(erased(null), of(null, { ...fresh, status: "failed" }))
    const over: Contact = { ...waiting, status: "completed", eligible_at: null, holds: 0 }
    assert.deepStrictEqual(erased(waiting), of(waiting, over))
  })

  it("that is over is left as it is, one in a call is under way, and another's is none of it", () => {
    assert.deepStrictEqual(erased({ ...waiting, status: "completed" }), asks(overwriting))
    assert.deepStrictEqual(erased({ ...waiting, status: "in_progress" }), unchanged("UnderWay"))
    assert.deepStrictEqual(erased(null, "+15555552020"), unchanged("Nothing"))
  })

  it("that is over does not say any more in which zone it was", () => {
    const over: Contact = { ...waiting, status: "completed", eligible_at: null }
    const placed: Contact = { ...over, hours_of: "Europe/Berlin" }
    assert.deepStrictEqual(erased(placed), asks(overwriting, [put("contact", placed, over)]))
  })
})

describe("what was said of a number", () => {
  const input = { organization_id, number: ada }
  const callee: Callee = {
    organization_id,
    to_number: ada,
    revision: 2,
    suppressions: [
      {
        agent_id: null,
        campaign_id: null,
        reason: "Ada asked.",
        source: null,
        note: null,
        expires_at: null,
        created_at: 1,
      },
    ],
  }
  const decided = (row: Callee | null): ReadonlyArray<RowChange> | null => {
    const stored = row === null ? [] : [{ put: "callee", row } as const]
    const { expected, view } = Result.getOrThrow(readOn(sourcesOn(...stored), eraseWords.reads(input)))
    assert.deepStrictEqual(expected, [
      { kind: "callee", id: calleeId(organization_id, ada), revision: row?.revision ?? 0 },
    ])
    return eraseWords.decide(input, view, at).changes
  }

  it("goes, and that it must not be called stays; where nothing was said nothing is written", () => {
    const silent = { ...callee, suppressions: callee.suppressions.map((each) => ({ ...each, reason: null })) }
    assert.deepStrictEqual(decided(callee), [put("callee", callee, silent)])
    assert.isNull(decided(silent))
    assert.isNull(decided(null))
  })
})

it("an erasure is recorded with how much it was", () => {
  const input = { organization_id, calls: 1, contacts: 2, events: 3 }
  const resource = { type: "organization", id: organization_id }
  assert.deepStrictEqual(
    recordErasure.decide(input, [], at),
    write([], { audit: [{ resource, details: { calls: 1, contacts: 2, events: 3 } }], reply: undefined }),
  )
})
