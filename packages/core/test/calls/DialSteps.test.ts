import { type Call, limits } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { settlesBatch } from "../../src/batches/rules/BatchErrand.ts"
import { agentAsRead } from "../../src/agents/rules/AgentAsRead.ts"
import { calleeAsRead } from "../../src/callees/Callees.ts"
import { countingDial } from "../../src/callees/steps/CountedDials.ts"
import { callLimits } from "../../src/CallLimits.ts"
import { callChange } from "../../src/calls/steps/CallCommit.ts"
import { readAnew } from "../../src/calls/steps/CallReads.ts"
import { dialBooked } from "../../src/calls/steps/DialBooked.ts"
import { dialNow } from "../../src/calls/steps/DialNow.ts"
import { settledDial } from "../../src/calls/rules/Dialled.ts"
import { dialsCall, type LineHeld, unaskedFor } from "../../src/calls/rules/DialErrand.ts"
import { closed, tooLate } from "../../src/calls/rules/DialOutcomes.ts"
import { settleDial } from "../../src/calls/steps/SettleDial.ts"
import { takeBackDial, takingBack } from "../../src/calls/steps/TakeBackDial.ts"
import { contactId } from "../../src/contacts/rules/Contact.ts"
import { dialled, untouched } from "../../src/contacts/rules/ContactProgress.ts"
import { readBefore } from "../../src/engine/steps/Grounds.ts"
import { asks, erase, put, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import type { Reading } from "../../src/engine/steps/Reading.ts"
import { declinesLine, givesLineBack } from "../../src/limits/rules/LineErrands.ts"
import { stillRegistered } from "../../src/numbers/steps/CallerIds.ts"
import {
  sampleAgent,
  sampleAudit,
  sampleBatch,
  sampleCall,
  sampleCallee,
  sampleCaps,
  sampleHours,
  samplePhoneNumber,
  sampleSlot,
} from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn, replied } from "../StepInPieces.ts"

const organization_id = "org_one"
const now = 5_000_000
const at = momentAt(now)
const times = callLimits({})
const nobody = { contact: null, callee: null }

const batch = sampleBatch(organization_id, { revision: 4 })
const contact_id = contactId(batch.batch_id, 0)
const intended = sampleCall(organization_id, {
  batch_id: batch.batch_id,
  campaign_id: batch.campaign_id,
  contact_id,
  dial: "intended",
  status: "queued",
  due_at: now + 60_000,
})
const slot = sampleSlot(intended, 7)
const placed = { ...intended, slot }
const { execution_id } = placed
const contact = { ...dialled(untouched(batch, contact_id, 0), execution_id), revision: 1 }
const context = { contact, batch, campaign: null, heirs: [] }
const accepted = { _tag: "Accepted", call_sid: "sid" } as const
const refusedFor = (kind: "unreachable" | "invalid_destination") => ({ _tag: "Refused", kind }) as const
const settling = { organization_id, execution_id, placed, known: placed, times }

describe("a call that is dialled", () => {
  const control = sampleAgent(organization_id, { agent_id: "agt_control", revision: 2 })
  const challenger = sampleAgent(organization_id, { agent_id: "agt_challenger", revision: 3 })
  const number = samplePhoneNumber(organization_id, "+15555550199")
  const routing = [{ kind: "experiment", id: "ver_one", revision: 5 } as const]
  const call = sampleCall(organization_id, { dial: "none", status: "scheduled", scheduled_at: now, due_at: now })
  const direct: Call = { ...call, dial: "intended", status: "queued", due_at: now + limits.questionDelayMs }
  const callee = calleeAsRead(direct, sampleCallee(organization_id, { to_number: direct.to_number, revision: 7 }))
  const caps = { ...sampleCaps, per_day: 2 }
  const hours = {
    setting: sampleHours(organization_id, { revision: 4, caps }),
    expect: [{ kind: "callee_hours" as const, id: organization_id, revision: 4 }],
  }
  const grounds = { agents: [control, challenger] as const, routing, callee, hours, callerId: [number], until: now + 9 }
  const reserved = { fence: 7, until: now + 1_000 }
  const lined = { placed: direct, reserved, due_at: now - 5 }
  const agents = [agentAsRead(control), agentAsRead(challenger)]

  const said = (before: Call | null) => callChange(before, direct).said

  /** What it expects of what was read before, whatever it writes. */
  const expectedBy = (reading: Reading<unknown>) => readBefore(reading)[1].expected(new Set())

  it("rests on its agents, its experiment, its callee, the hours of callees and its caller ID", () => {
    const rests = [...agents, ...routing, ...callee.expect, ...hours.expect, stillRegistered(number)]
    assert.deepStrictEqual(expectedBy(dialNow.reads({ organization_id, ...grounds, ...lined })), rests)
  })

  it("rests on the same where it was booked", () => {
    const rests = [...agents, stillRegistered(number), ...routing, ...callee.expect, ...hours.expect]
    assert.deepStrictEqual(expectedBy(dialBooked.reads({ organization_id, ...grounds, ...lined, before: call })), rests)
  })

  it("is written with one attempt more at its number, while call caps stand", () => {
    const counted = countingDial(caps, callee.callee, direct)
    assert.lengthOf(counted, 1)
    const asked = { organization_id, ...grounds, ...lined }
    const { changes } = callChange(null, direct)
    assert.deepStrictEqual(dialNow.decide(asked, undefined, at).changes, [...changes, ...counted])
    const uncapped = { ...asked, hours: { ...hours, setting: null } }
    assert.deepStrictEqual(dialNow.decide(uncapped, undefined, at).changes, changes)
  })

  it("replaces the row that was booked", () => {
    const asked = { organization_id, ...grounds, ...lined, before: call }
    const { changes } = callChange(call, direct)
    const counted = countingDial(caps, callee.callee, direct)
    assert.deepInclude(changes[0], { put: "call", before: call })
    assert.deepStrictEqual(dialBooked.decide(asked, undefined, at).changes, [...changes, ...counted])
  })

  it("is dialled once it is written: on its line, in its hours, and as it was where that comes to nothing", () => {
    const { until } = grounds
    const now = dialNow.decide({ organization_id, ...grounds, ...lined }, undefined, at)
    const placed = callChange(null, direct).call
    assert.deepStrictEqual(now, asks(dialsCall({ ...lined, placed, before: null, until }), now.changes, said(null)))
    const booked = dialBooked.decide({ organization_id, ...grounds, ...lined, before: call }, undefined, at)
    const due = dialsCall({ ...lined, placed: callChange(call, direct).call, before: call, until })
    assert.deepStrictEqual(booked, asks(due, booked.changes, said(call)))
  })
})

describe("what became of a dial", () => {
  it("is written over the row that this process has committed, and reads nothing where it ends nothing", () => {
    const dial = { ...settling, ending: accepted }
    const read = Result.getOrThrow(readOn(sourcesOn(), settleDial.reads(dial)))
    assert.deepStrictEqual(read, { view: { call: placed, ...nobody }, expected: [] })
    const { answer, changes } = settleDial.decide(dial, read.view, at)
    assert.deepInclude(changes?.[0], { put: "call", before: placed })
    assert.deepStrictEqual(Result.getOrThrow(replied(answer)), settledDial(placed, accepted, now, times))
  })

  it("is decided on the row as it stands where another one was faster", () => {
    const row = { ...placed, revision: placed.revision + 1, status: "ringing", dial: "accepted" } as const
    const dial = readAnew({ ...settling, ending: accepted })
    const sources = sourcesOn({ put: "call", row: placed }, { put: "call", row })
    const { view } = Result.getOrThrow(readOn(sources, settleDial.reads(dial)))
    assert.deepStrictEqual(view.call, row)
    assert.deepStrictEqual(settleDial.decide(dial, view, at), unchanged(settledDial(placed, accepted, now, times)))
  })

  it("is recorded as the answer where a report was faster", () => {
    const unaudited = sampleAudit(organization_id, { action: "call.create", created_at: now })
    const dial = { ...settling, ending: accepted }
    const call = { ...placed, unaudited, status: "ringing", dial: "accepted" } as const
    const { answer, kept } = settleDial.decide(dial, { call, ...nobody }, at)
    assert.deepStrictEqual(
      kept.map(({ http_status }) => http_status),
      [201],
    )
    assert.deepStrictEqual(answer, Result.succeed(settledDial(placed, accepted, now, times)))
  })

  it("is taken back where it was not its contact's fault: the contact is held, its batch dials again, and nothing was counted", () => {
    const attempt = { execution_id, at: now - 1 }
    const callee = sampleCallee(organization_id, { to_number: placed.to_number, attempts: [attempt], revision: 1 })
    const dial = { ...settling, ending: refusedFor("unreachable") }
    const sources = sourcesOn({ put: "callee", row: callee })
    const { expected, view } = Result.getOrThrow(readOn(sources, settleDial.reads(dial)))
    assert.deepStrictEqual([view.callee, expected], [callee, []])
    const { answer, changes, errands } = settleDial.decide(dial, { call: placed, callee, contact: context }, at)
    assert.deepStrictEqual(answer, Result.succeed(settledDial(placed, dial.ending, now, times, true)))
    assert.deepStrictEqual(errands, [givesLineBack(organization_id, slot)])
    assert.deepStrictEqual(changes?.[0], erase(placed))
    assert.deepStrictEqual(
      changes?.map((change) => change.put),
      ["erased_call", "contact", "batch", "callee"],
    )
    const [, held] = changes ?? []
    assert.isTrue(held?.put === "contact" && held.row.holds === 1 && (held.row.eligible_at ?? 0) > now)
  })

  it("takes no hold of a contact whose hours have closed, and counts as an attempt after the last hold", () => {
    const view = { call: placed, callee: null, contact: context }
    const [, due] = settleDial.decide({ ...settling, ending: closed }, view, at).changes ?? []
    assert.isTrue(due?.put === "contact" && due.row.holds === 0 && due.row.eligible_at === now)
    const last = { ...context, contact: { ...contact, holds: limits.holdsPerAttempt - 1 } }
    const burned = settleDial.decide({ ...settling, ending: tooLate }, { ...view, contact: last }, at)
    assert.deepStrictEqual(
      burned.changes?.map((change) => change.put),
      ["call", "contact"],
    )
  })

  it("ends an attempt that was its contact's fault: its line goes back, its batch is moved on, who waits for the number is free, and the dispatcher looks", () => {
    const waiting = { ...untouched(batch, contactId(batch.batch_id, 1), 1), revision: 2, waits_for_number: true }
    const view = { call: placed, callee: null, contact: { ...context, heirs: [waiting] } }
    const outcome = settleDial.decide({ ...settling, ending: refusedFor("invalid_destination") }, view, at)
    const { changes, errands, wakeups } = outcome
    assert.deepStrictEqual(errands, [givesLineBack(organization_id, slot), settlesBatch(batch)])
    assert.deepStrictEqual(
      changes?.map((change) => change.put),
      ["call", "contact", "contact"],
    )
    assert.deepStrictEqual(wakeups, [{ set: { kind: "dispatch", subject: organization_id, at: now } }])
  })
})

describe("a dial that was never made", () => {
  const direct = { ...placed, contact_id: null, batch_id: null, campaign_id: null } as const
  const reserved = { fence: 7, until: now + 1_000 }
  const dial = dialsCall({ placed: direct, before: null, reserved, until: Infinity, due_at: now })
  const taking = takingBack(dial, "no_line")
  const reply = { _tag: "TakenBack", because: "no_line" } as const

  it("leaves nothing, and is counted no more", () => {
    const attempts = [{ execution_id, at: now - 1 }]
    const callee = sampleCallee(organization_id, { to_number: direct.to_number, attempts, revision: 1 })
    const sources = sourcesOn({ put: "callee", row: callee })
    const read = Result.getOrThrow(readOn(sources, takeBackDial.reads(taking)))
    assert.deepStrictEqual(read, { view: [direct, callee], expected: [] })
    const uncounted = put("callee", callee, { ...callee, attempts: [] })
    assert.deepStrictEqual(
      takeBackDial.decide(taking, read.view, at),
      write([erase(direct), uncounted], { errands: [givesLineBack(organization_id, slot)], reply }),
    )
  })

  it("is a booked call again where it was one", () => {
    const before = { ...direct, status: "scheduled", dial: "none", scheduled_at: 1_000, due_at: 1_000 } as const
    const { changes, errands } = takeBackDial.decide({ ...taking, before }, [direct, null], at)
    assert.deepStrictEqual(changes, [put("call", direct, before)])
    assert.deepStrictEqual(errands, [givesLineBack(organization_id, slot)])
  })

  it("gives its reservation back where its row has none: it was counted, and nobody heard that it was", () => {
    const counted = { ...direct, slot: { ...slot, fence: null } }
    const errands = [
      declinesLine(organization_id, execution_id, 7),
      givesLineBack(organization_id, { ...slot, fence: null }),
    ]
    assert.deepStrictEqual(takeBackDial.decide(taking, [counted, null], at).errands, errands)
    const ended = { ...counted, status: "completed", dial: "accepted" } as const
    const known = { ...taking, reserved: null }
    assert.deepStrictEqual(takeBackDial.decide(taking, [ended, null], at).errands, [
      declinesLine(organization_id, execution_id, 7),
    ])
    assert.deepStrictEqual(takeBackDial.decide(known, [ended, null], at).errands, [])
  })

  it("stays where it has ended meanwhile, or nobody knows of it", () => {
    const ended = { ...direct, status: "completed", dial: "accepted" } as const
    assert.deepStrictEqual(takeBackDial.decide(taking, [ended, null], at), unchanged(reply))
    const back = [declinesLine(organization_id, execution_id, 7)]
    assert.deepStrictEqual(takeBackDial.decide(taking, [null, null], at), unchanged(reply, back))
  })

  it("is recorded as it was answered where a report was faster: late for its line, or without one", () => {
    const unaudited = sampleAudit(organization_id, { action: "call.create", created_at: now })
    const row = { ...direct, unaudited, status: "ringing", dial: "accepted" } as const
    const answered = (because: "late" | "no_line" | "closed") =>
      takeBackDial.decide(takingBack(dial, because), [row, null], at).kept.map(({ http_status }) => http_status)
    assert.deepStrictEqual([answered("late"), answered("no_line"), answered("closed")], [[504], [429], [429]])
  })
})

describe("what keeps a call that is written from being dialled", () => {
  const until = now + 1
  const because = (line: LineHeld, isGone = false, at = now) => unaskedFor({ until }, line, isGone, at)

  it("is nothing on a line that lasts, in its hours, while somebody waits", () => {
    assert.isNull(because("Held"))
  })

  it("is its line", () => {
    assert.strictEqual(because("Lapsed"), "no_line")
    assert.strictEqual(because("Unknown"), "no_line")
    assert.strictEqual(because("Late"), "late")
    assert.strictEqual(because("Late", true), "late")
  })

  it("is that the clock has closed its hours, whatever its line", () => {
    for (const line of ["Held", "Lapsed", "Late", "Unknown"] as const) {
      assert.strictEqual(because(line, false, until), "closed")
    }
  })

  it("is that nobody waits any more, who is called at no other hour either", () => {
    assert.strictEqual(because("Held", true), "no_line")
    assert.strictEqual(because("Held", true, until), "no_line")
  })
})
