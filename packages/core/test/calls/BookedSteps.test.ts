import { InvalidField, limits, StateConflict } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { bookCall } from "../../src/calls/steps/BookCall.ts"
import { recordUnpaid } from "../../src/calls/steps/RecordUnpaid.ts"
import { restCall, undialCall } from "../../src/calls/steps/UndialledCall.ts"
import { calleeId } from "../../src/callees/rules/Callee.ts"
import { suppressedMessage } from "../../src/callees/rules/Suppression.ts"
import { callersFrom } from "../../src/engine/rules/Guards.ts"
import { joinSet, put, refused, unchanged } from "../../src/engine/rules/Outcome.ts"
import {
  sampleAgent,
  sampleCall,
  sampleCallee,
  sampleCaller,
  sampleCaps,
  sampleHours,
  samplePhoneNumber,
  sampleSuppression,
} from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const organization_id = "org_one"
const caller = sampleCaller(organization_id)
const now = 5_000_000_000
const at = momentAt(now)
const agent = sampleAgent(organization_id, { display_name: "Asked for" })
const booked = sampleCall(organization_id, { status: "scheduled", scheduled_at: now, due_at: now })
const { execution_id, to_number } = booked
const due = { organization_id, execution_id, to_number }
const id = calleeId(organization_id, to_number)
const barred = sampleCallee(organization_id, {
  to_number,
  suppressions: [sampleSuppression({ agent_id: null, campaign_id: null, expires_at: null })],
})

describe("a call that is booked", () => {
  it("is written with its record, and its caller ID is not given up unseen", () => {
    const number = samplePhoneNumber(organization_id, "+15555550199")
    const asked = { caller, call: { ...booked, from_number: number.phone_number } }
    const sources = sourcesOn({ put: "phone_number", row: number })
    const { expected, view } = Result.getOrThrow(readOn(sources, bookCall.reads(asked)))
    assert.deepStrictEqual(expected, [{ kind: "phone_number", id: number.phone_number_id, revision: number.revision }])
    const { audit, changes } = bookCall.decide(asked, view, at)
    assert.deepStrictEqual(changes, [put("call", null, asked.call), joinSet(callersFrom(number.phone_number_id))])
    assert.deepInclude(audit[0], { action: "call.create", http_status: 202, outcome: "allowed" })
  })

  it("is refused whose caller ID is none of the organization's", () => {
    const asked = { caller, call: { ...booked, from_number: "+15555550199" } }
    const read = readOn(sourcesOn(), bookCall.reads(asked))
    assert.isTrue(Result.isFailure(read) && read.failure instanceof InvalidField)
  })
})

describe("a booked call that is not dialled", () => {
  const scope = { campaign_id: null, agent_ids: [agent.agent_id] }
  const ends = {
    ...due,
    scope,
    instead: { _tag: "Ends", status: "error", error: "The agent was not active." },
  } as const
  const unpaid = { ...ends, instead: { _tag: "Ends", status: "balance-low", error: "" } } as const
  const later = { ...ends, instead: { _tag: "Rebooked", agent, at: now + 60_000 } } as const
  const writtenBy = (input: Parameters<typeof undialCall.decide>[0], callee: typeof barred | null) => {
    const [change] = undialCall.decide(input, [booked, callee], at).changes ?? []
    return change?.put === "call" ? change.row : null
  }

  it("rests on what is known of its number, which may be nothing", () => {
    const read = Result.getOrThrow(readOn(sourcesOn({ put: "call", row: booked }), undialCall.reads(ends)))
    assert.deepStrictEqual(read.view, [booked, null])
    assert.deepStrictEqual(read.expected[1], { kind: "callee", id, revision: 0 })
  })

  it("ends for what kept it from being dialled, or is booked anew", () => {
    assert.deepInclude(writtenBy(ends, null), { status: "error", error: "The agent was not active.", due_at: null })
    assert.deepInclude(writtenBy(unpaid, null), { status: "balance-low", error: null, hangup_reason: "balance_low" })
    assert.deepInclude(writtenBy(later, null), { status: "rescheduled", due_at: now + 60_000 })
  })

  it("ends for its number's suppression whatever else there was", () => {
    for (const input of [ends, unpaid, later]) {
      assert.deepInclude(writtenBy(input, barred), { status: "error", error: suppressedMessage })
    }
  })

  it("is left alone where it is booked no more", () => {
    for (const call of [null, { ...booked, status: "canceled" } as const]) {
      assert.deepStrictEqual(undialCall.decide(ends, [call, null], at), unchanged(false))
    }
  })
})

describe("a booked call whose number rests", () => {
  const resting = { ...due, agent, agents: [agent], binding: [] }
  const attempts = [{ execution_id: "exec_before", at: now - 1 }]
  const callee = sampleCallee(organization_id, { to_number, suppressions: [], attempts })
  const hoursWith = (minimum_rest_seconds: number) =>
    sampleHours(organization_id, {
      caps: { ...sampleCaps, per_day: null, per_thirty_days: null, minimum_rest_seconds },
    })
  const dueAfter = (seconds: number) => {
    const [change] = restCall.decide(resting, [[booked, callee], hoursWith(seconds)], at).changes ?? []
    return change?.put === "call" ? change.row.due_at : null
  }

  it("rests on the attempts and on the caps", () => {
    const read = Result.getOrThrow(readOn(sourcesOn({ put: "call", row: booked }), restCall.reads(resting)))
    assert.deepStrictEqual(read.expected.slice(1), [
      { kind: "callee", id, revision: 0 },
      { kind: "callee_hours", id: organization_id, revision: 0 },
    ])
  })

  it("is booked for when it may be called, and looked at within a day", () => {
    assert.strictEqual(dueAfter(3_600), now - 1 + 3_600_000)
    assert.strictEqual(dueAfter(72 * 3_600), now + limits.callCapLookMs)
  })
})

describe("a call that nobody pays for", () => {
  const call = sampleCall(organization_id, { agent_id: agent.agent_id })
  const asked = { caller, call: { ...call, to_number }, agent_ids: [agent.agent_id] }

  it("is kept on record, answered 402", () => {
    const read = Result.getOrThrow(readOn(sourcesOn(), recordUnpaid.reads(asked)))
    assert.deepStrictEqual(read, { view: [[null], undefined], expected: [{ kind: "callee", id, revision: 0 }] })
    const { audit, changes } = recordUnpaid.decide(asked, read.view, at)
    const [change] = changes ?? []
    assert.isTrue(change?.put === "call" && change.row.status === "balance-low" && change.row.completed_at === now)
    assert.deepInclude(audit[0], { action: "call.create", http_status: 402, error_code: 1400 })
  })

  it("rests on the key of its request", () => {
    const held = { organization_id, route: "POST /v2/calls", key: "k", expires_at: now, holding: 2 }
    const keyed = { ...asked, caller: { ...caller, keyed: { held, subject: call.execution_id } } }
    const { expected } = Result.getOrThrow(readOn(sourcesOn(), recordUnpaid.reads(keyed)))
    assert.deepInclude(expected, { held })
  })

  it("leaves no record where its number must not be called, unless that is overridden", () => {
    const conflict = new StateConflict({ message: suppressedMessage })
    assert.deepStrictEqual(recordUnpaid.decide(asked, [[barred], undefined], at), refused(conflict))
    const overridden = { ...asked, call: { ...asked.call, overrides_suppression: true as const } }
    const read = Result.getOrThrow(readOn(sourcesOn({ put: "callee", row: barred }), recordUnpaid.reads(overridden)))
    assert.deepStrictEqual(read, { view: [[], undefined], expected: [] })
    assert.isNotNull(recordUnpaid.decide(overridden, [[], undefined], at).changes)
  })
})
