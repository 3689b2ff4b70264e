import { NotFound, StateConflict } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { settlesBatch } from "../../src/batches/rules/BatchErrand.ts"
import type { Call } from "../../src/calls/rules/Call.ts"
import { hangsUp } from "../../src/calls/rules/CallErrands.ts"
import { hangUpCall, stopCall } from "../../src/calls/steps/StopCall.ts"
import { contactId } from "../../src/contacts/rules/Contact.ts"
import { untouched } from "../../src/contacts/rules/ContactProgress.ts"
import { asks, put, refused, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import { limits } from "../../src/Limits.ts"
import { sampleBatch, sampleCall, sampleCaller, sampleCampaign, sampleCommit } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const organization_id = "org_one"
const caller = sampleCaller(organization_id)
const reason = "user_request"
const at = momentAt(5_000)
const stop = { requested_at: 5_000, reason }

const viewOf = <View, Refusal>(read: Result.Result<{ readonly view: View }, Refusal>) => Result.getOrThrow(read).view

describe("a call is stopped", () => {
  const booked = sampleCall(organization_id, { status: "scheduled", due_at: 9_000, revision: 2 })
  const asked = { caller, execution_id: booked.execution_id, reason }

  it("before it is dialled, at the moment of the decision", () => {
    const after = {
      ...booked,
      status: "canceled",
      stop,
      hangup_reason: "user_request",
      completed_at: 5_000,
      updated_at: 5_000,
      due_at: null,
    } as const
    const change = put("call", booked, after)
    const audit = [{ action: "call.stop", resource: { type: "call", id: booked.execution_id }, http_status: 200 }]
    assert.deepStrictEqual(
      stopCall.decide(asked, booked, at),
      write([change], { audit, reply: { _tag: "Canceled", call: change.row, scheduled_at: booked.scheduled_at } }),
    )
  })

  it("by hanging up, once it has been dialled", () => {
    for (const status of ["initiated", "ringing", "in-progress"] as const) {
      const call = { ...booked, status }
      assert.deepStrictEqual(stopCall.decide(asked, call, at), asks(hangsUp(caller, call, reason)))
    }
  })

  it("neither while it is placed, nor once it has ended", () => {
    const placing = new StateConflict({
      message: "The call is still being placed. Retry in a moment.",
      retryAfterSeconds: 2,
    })
    assert.deepStrictEqual(stopCall.decide(asked, { ...booked, status: "queued" }, at), refused(placing))
    const ended = new StateConflict({ message: "This call already ended (status=completed)." })
    assert.deepStrictEqual(stopCall.decide(asked, { ...booked, status: "completed" }, at), refused(ended))
  })

  it("under any of its ids, by nobody else, and rests on nothing that it does not write", () => {
    const folded = sampleCall(organization_id, { folded_into: booked.execution_id })
    const sources = sourcesOn({ put: "call", row: booked }, { put: "call", row: folded })
    for (const execution_id of [booked.execution_id, folded.execution_id]) {
      assert.deepStrictEqual(
        readOn(sources, stopCall.reads({ ...asked, execution_id })),
        Result.succeed({ view: booked, expected: [] }),
      )
    }
    const noSuchCall = Result.fail(new NotFound({ message: "Call not found." }))
    const stranger = { ...asked, caller: sampleCaller("org_two") }
    assert.deepStrictEqual(readOn(sources, stopCall.reads(stranger)), noSuchCall)
    assert.deepStrictEqual(readOn(sources, stopCall.reads({ ...asked, execution_id: "exec_none" })), noSuchCall)
  })
})

describe("a call that was hung up is stopped", () => {
  const campaign = sampleCampaign(organization_id)
  const { campaign_id } = campaign
  const batch = sampleBatch(organization_id, { batch_id: "bat_1", campaign_id })
  const { batch_id } = batch
  const contact_id = contactId(batch_id, 0)
  const live = sampleCall(organization_id, {
    status: "in-progress",
    dial: "accepted",
    batch_id,
    campaign_id,
    contact_id,
  })
  const contact = {
    ...untouched(batch, contact_id, 0),
    revision: 1,
    status: "in_progress",
    attempts: 1,
    last_execution_id: live.execution_id,
  } as const
  const asked = { caller, live, reason, answer: "Sent" } as const
  const sources = sourcesOn(
    { put: "campaign", row: campaign },
    { put: "batch", row: batch },
    { put: "call", row: live },
  )
  Effect.runSync(sources.contacts.fill(batch_id, 0, [{ to_number: live.to_number, variables: {} }]))
  Effect.runSync(sources.store.commit(sampleCommit(organization_id, { changes: [{ put: "contact", row: contact }] })))

  it("with its contact, whose attempt is over", () => {
    const { expected, view } = Result.getOrThrow(readOn(sources, hangUpCall.reads(asked)))
    assert.deepStrictEqual(view, [live, { contact, batch, campaign }])
    assert.deepStrictEqual(expected, [])
    const { answer, audit, changes, errands, events } = hangUpCall.decide(asked, view, at)
    const [first, second, ...others] = changes ?? []
    if (first?.put !== "call") throw new Error("The call is written first.")
    const after = first.row
    assert.deepStrictEqual(answer, Result.succeed({ _tag: "Stopped", call: after, requested_at: 5_000, reason }))
    // Its line stays until the last word of the carrier.
    assert.deepStrictEqual(errands, [settlesBatch({ batch_id, organization_id })])
    assert.deepInclude(after, { status: "stopped", stop, due_at: 5_000 + limits.questionDelayMs, questions: 0 })
    assert.deepStrictEqual(first, put("call", live, after))
    assert.isTrue(second?.put === "contact" && second.before === contact && second.row.last_status === "stopped")
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      ["call_completed"],
    )
    assert.deepStrictEqual(audit, [
      { action: "call.stop", resource: { type: "call", id: live.execution_id }, http_status: 202 },
    ])
  })

  it("by itself, where it is nobody's of a batch", () => {
    const direct = { ...live, batch_id: null, campaign_id: null, contact_id: null }
    const reading = hangUpCall.reads({ ...asked, live: direct })
    const view = viewOf(readOn(sourcesOn({ put: "call", row: direct }), reading))
    assert.deepStrictEqual(view, [direct, null])
    const { changes } = hangUpCall.decide(asked, view, at)
    assert.deepStrictEqual(
      changes?.map(({ put: kind }) => kind),
      ["call"],
    )
  })

  it("unless its leg ended meanwhile", () => {
    const call = { ...live, status: "completed" } as const
    const decided = (ended: Call) => hangUpCall.decide(asked, [ended, { contact, batch, campaign }], at)
    const ended = new StateConflict({ message: "This call already ended (status=completed)." })
    assert.deepStrictEqual(decided(call), refused(ended))
    // Somebody else has stopped it.
    const others = { ...call, stop: { requested_at: 4_000, reason: "other" } }
    assert.deepStrictEqual(decided(others), unchanged({ _tag: "Stopped", call: others, requested_at: 4_000, reason }))
  })

  it("unless the carrier refuses to hang up", () => {
    const refusing = { ...asked, answer: "Refused" } as const
    const message = "The telephony provider refused to hang up this call."
    const outcome = hangUpCall.decide(refusing, [live, { contact, batch, campaign }], at)
    assert.deepStrictEqual(outcome, refused(new StateConflict({ message })))
  })
})
