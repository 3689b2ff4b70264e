import { limits, NotFound, StateConflict } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { callLimits } from "../../src/CallLimits.ts"
import { dialsCall } from "../../src/calls/rules/DialErrand.ts"
import { takenBack, takingBack } from "../../src/calls/steps/TakeBackDial.ts"
import { concludeCall } from "../../src/calls/steps/ConcludeCall.ts"
import { countLine } from "../../src/calls/steps/CountLine.ts"
import { recoverCall } from "../../src/calls/steps/Folding.ts"
import { takeIn } from "../../src/calls/steps/TakeIn.ts"
import { rebookCall } from "../../src/calls/steps/RebookCall.ts"
import { recordDial } from "../../src/calls/steps/RecordDial.ts"
import { askSooner } from "../../src/calls/steps/AskSooner.ts"
import { asks, put, refused, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import { declinesLine } from "../../src/limits/rules/LineErrands.ts"
import {
  sampleAgent,
  sampleAudit,
  sampleCall,
  sampleInboundAgent,
  samplePhoneNumber,
  sampleSlot,
} from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn, replied } from "../StepInPieces.ts"

const organization_id = "org_one"
const now = 5_000_000
const at = momentAt(now)
const nothing = { events: [], kept: [] }

describe("a call whose missing facts are waited for", () => {
  const ended = sampleCall(organization_id, { status: "completed", revision: 3 })
  const waiting = { ...ended, processing: { ...ended.processing, due_at: now } }
  const asked = { organization_id: null, execution_id: ended.execution_id } as const

  it("is processed once that was long enough", () => {
    const change = put("call", waiting, { ...ended, processing: { ...ended.processing, completed_at: now } })
    const outcome = concludeCall.decide(asked, waiting, at)
    const { events } = outcome
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      ["all_processing_completed"],
    )
    assert.deepStrictEqual(outcome, write([change], { by: waiting, events, reply: null }))
  })

  it("is left as it is before, and where nothing is waited for", () => {
    assert.deepStrictEqual(concludeCall.decide(asked, waiting, momentAt(now - 1)), unchanged(now))
    assert.deepStrictEqual(concludeCall.decide(asked, ended, at), unchanged(null))
    assert.deepStrictEqual(concludeCall.decide(asked, null, at), unchanged(null))
  })
})

describe("a dial of which nobody knows how it was answered", () => {
  const unaudited = sampleAudit(organization_id, { action: "call.create", created_at: 1_000 })
  const { unaudited: _, ...over } = sampleCall(organization_id, { status: "completed", final_report_at: 2_000 })
  const call = { ...over, due_at: now, dial: "accepted", unaudited } as const
  const asked = { organization_id: null, execution_id: call.execution_id } as const

  it("is recorded by what became of it", () => {
    const { changes, kept } = recordDial.decide(asked, call, at)
    assert.deepStrictEqual(changes, [put("call", call, { ...over, dial: "accepted", due_at: null, updated_at: now })])
    assert.deepStrictEqual(kept, [
      { ...unaudited, outcome: "allowed", error_code: null, http_status: 201, created_at: now },
    ])
  })

  it("is left alone where its call goes on, or it is recorded", () => {
    for (const left of [null, { ...call, due_at: null }, { ...call, final_report_at: null }]) {
      assert.deepStrictEqual(recordDial.decide(asked, left, at), unchanged(undefined))
    }
  })
})

describe("a booked call", () => {
  const booked = sampleCall(organization_id, { status: "scheduled", scheduled_at: 1_000, due_at: 1_000 })
  const agent = sampleAgent(organization_id, { display_name: "Asked for" })
  const asked = { organization_id, execution_id: booked.execution_id, agent, at: now + 60_000 }

  it("is booked for another time, as its agent's", () => {
    const [change] = rebookCall.decide(asked, booked, at).changes ?? []
    assert.isTrue(change?.put === "call" && change.before === booked)
    if (change?.put !== "call") return
    assert.deepInclude(change.row, {
      status: "rescheduled",
      agent_id: agent.agent_id,
      scheduled_at: now + 60_000,
      due_at: now + 60_000,
      updated_at: now,
    })
  })

  it("is left as it is once it is booked no more", () => {
    for (const left of [null, { ...booked, status: "queued" } as const]) {
      assert.deepStrictEqual(rebookCall.decide(asked, left, at), unchanged(undefined))
    }
  })
})

describe("a line that the slot store did not answer for", () => {
  const placed = sampleCall(organization_id, { dial: "intended", revision: 1 })
  const slot = sampleSlot(placed, 7)
  const call = { ...placed, slot }
  const reserved = { fence: 7, until: now + 1_000 }
  const dial = { ...dialsCall({ placed: call, before: null, reserved, until: Infinity, due_at: now }), reserved }
  const asked = { organization_id, dial }

  it("is counted, and has no fence any more; the call is dialled on it", () => {
    const change = put("call", call, { ...call, slot: { ...slot, fence: null } })
    // Where its reservation is there yet it would stand beside the line that the reconciler enters.
    const errands = [declinesLine(organization_id, slot.member, 7)]
    assert.deepStrictEqual(
      countLine.decide(asked, [call, null], at),
      asks(dialsCall({ ...dial, placed: change.row, reserved: null }), [change], { ...nothing, errands }),
    )
  })

  it("is left to whoever has it: the dial is taken back, as far as there is one", () => {
    const taking = takingBack(dial, "no_line")
    const others = [
      null,
      placed,
      { ...call, slot: { ...slot, fence: 8 } },
      { ...call, dial: "accepted" },
      { ...call, status: "failed" },
    ] as const
    for (const left of others) {
      assert.deepStrictEqual(countLine.decide(asked, [left, null], at), takenBack(taking, left, null, now))
    }
  })
})

describe("a call that telephony goes on with under another id", () => {
  const unaudited = sampleAudit(organization_id)
  const original = sampleCall(organization_id, { status: "in-progress", dial: "accepted", due_at: now, unaudited })
  const asked = {
    organization_id: null,
    execution_id: original.execution_id,
    surviving_execution_id: "exec_survivor",
  } as const

  it("is folded into a record with all that is known of it", () => {
    const { unaudited: _, ...rest } = original
    const folded = {
      ...rest,
      folded_into: "exec_survivor",
      due_at: null,
      dial: "none",
      updated_at: now,
    } as const
    const survivor = {
      ...original,
      execution_id: "exec_survivor",
      folded_from: original.execution_id,
      updated_at: now,
    }
    const changes = [put("call", original, folded), put("call", null, survivor)]
    assert.deepStrictEqual(recoverCall.decide(asked, original, at), write(changes, { by: original, reply: "applied" }))
  })

  it("once, while it goes on", () => {
    const survivor = { ...original, execution_id: "exec_survivor" }
    assert.deepStrictEqual(recoverCall.decide(asked, survivor, at), unchanged("repeated"))
    const ended = { ...original, status: "completed" } as const
    assert.deepStrictEqual(recoverCall.decide(asked, ended, at), unchanged("repeated"))
    assert.deepStrictEqual(recoverCall.decide(asked, null, at), unchanged("unknown_execution"))
  })
})

describe("a call of which nobody may have heard", () => {
  const silent = sampleCall(organization_id, { due_at: now + 3_600_000, updated_at: 1_000 })
  const call = { ...silent, slot: sampleSlot(silent, 1) }
  const asked = {
    organization_id: null,
    execution_id: call.execution_id,
    why: "gap",
    lostUntil: 2_000,
    turn: now,
  } as const

  it("is asked about in its turn, and where nothing is to be asked it stays as it is", () => {
    const change = put("call", call, { ...call, due_at: now })
    assert.deepStrictEqual(askSooner.decide(asked, call, at), write([change], { ...nothing, by: call, reply: true }))
    for (const left of [null, silent]) assert.deepStrictEqual(askSooner.decide(asked, left, at), unchanged(false))
  })
})

describe("a call arrives", () => {
  const agent = sampleAgent(organization_id, { status: "ACTIVE" })
  const number = samplePhoneNumber(organization_id, "+15555550101")
  const binding = sampleInboundAgent(number, { agent_id: agent.agent_id })
  const inbound = {
    organization_id,
    agent_id: null,
    from_number: "+15555550999",
    to_number: number.phone_number,
    call_sid: "leg_1",
    times: callLimits(),
  }
  const rows = [
    { put: "agent", row: agent },
    { put: "phone_number", row: number },
  ] as const

  it("for the agent that it names, or the one that answers its number, and rests on neither", () => {
    const bound = sourcesOn(...rows, { put: "inbound_agent", row: binding })
    for (const agent_id of [null, agent.agent_id]) {
      assert.deepStrictEqual(
        readOn(bound, takeIn.reads({ ...inbound, agent_id })),
        Result.succeed({ view: agent, expected: [] }),
      )
    }
    const nobody = Result.fail(new NotFound({ message: "No agent answers this phone number." }))
    const off = sourcesOn(...rows, { put: "inbound_agent", row: { ...binding, enabled: false } })
    for (const sources of [sourcesOn(), sourcesOn(...rows), off]) {
      assert.deepStrictEqual(readOn(sources, takeIn.reads(inbound)), nobody)
    }
    const noAgent = Result.fail(new NotFound({ message: "Agent not found." }))
    assert.deepStrictEqual(readOn(bound, takeIn.reads({ ...inbound, agent_id: "agt_none" })), noAgent)
  })

  it("on a line of its own, where its agent is ACTIVE", () => {
    const { answer, changes } = takeIn.decide(inbound, agent, at)
    const call = Result.getOrThrow(replied(answer))
    assert.deepStrictEqual(changes, [{ put: "call", before: null, row: call }])
    assert.deepInclude(call, {
      direction: "inbound",
      status: "initiated",
      dial: "accepted",
      slot: null,
      revision: 1,
      due_at: now + limits.ringTimeoutSeconds.default * 1_000 + callLimits().ringGraceMs,
    })
    const inactive = new StateConflict({ message: "This agent is not active (status=INACTIVE)." })
    assert.deepStrictEqual(takeIn.decide(inbound, { ...agent, status: "INACTIVE" }, at), refused(inactive))
  })
})
