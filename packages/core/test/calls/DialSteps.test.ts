import { limits } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { callLimits } from "../../src/CallLimits.ts"
import { readAnew } from "../../src/calls/CallReads.ts"
import { closed, tooLate } from "../../src/calls/DialOutcomes.ts"
import { settleDial } from "../../src/calls/SettleDial.ts"
import { takeBackDial } from "../../src/calls/TakeBackDial.ts"
import { contactId } from "../../src/contacts/Contact.ts"
import { dialled, untouched } from "../../src/contacts/ContactProgress.ts"
import { erase, put, unchanged, write } from "../../src/engine/Outcome.ts"
import { sampleAudit, sampleBatch, sampleCall, sampleCallee } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const organization_id = "org_one"
const now = 5_000_000
const at = momentAt(now)
const times = callLimits({})
const nobody = { contact: null, callee: null }

const batch = sampleBatch(organization_id, { revision: 4 })
const contact_id = contactId(batch.batch_id, 0)
const placed = sampleCall(organization_id, {
  batch_id: batch.batch_id,
  campaign_id: batch.campaign_id,
  contact_id,
  dial: "intended",
  status: "queued",
  due_at: now + 60_000,
})
const { execution_id } = placed
const contact = { ...dialled(untouched(batch, contact_id, 0), execution_id), revision: 1 }
const context = { contact, batch, campaign: null, heirs: [] }
const accepted = { _tag: "Accepted", call_sid: "sid" } as const
const refusedFor = (kind: "unreachable" | "invalid_destination") => ({ _tag: "Refused", kind }) as const
const settling = { organization_id, execution_id, placed, known: placed, times }

describe("what became of a dial", () => {
  it("is written over the row that this process has committed, and reads nothing where it ends nothing", () => {
    const dial = { ...settling, ending: accepted }
    const read = Result.getOrThrow(readOn(sourcesOn(), settleDial.reads(dial)))
    assert.deepStrictEqual(read, { view: { call: placed, ...nobody }, expected: [] })
    const { answer, changes } = settleDial.decide(dial, read.view, at)
    assert.deepInclude(changes?.[0], { put: "call", before: placed })
    assert.strictEqual(Result.getOrThrow(answer)._tag, "Stored")
  })

  it("is decided on the row as it stands where another one was faster", () => {
    const row = { ...placed, revision: placed.revision + 1, status: "ringing", dial: "accepted" } as const
    const dial = readAnew({ ...settling, ending: accepted })
    const sources = sourcesOn({ put: "call", row: placed }, { put: "call", row })
    const { view } = Result.getOrThrow(readOn(sources, settleDial.reads(dial)))
    assert.deepStrictEqual(view.call, row)
    assert.deepStrictEqual(settleDial.decide(dial, view, at), unchanged({ _tag: "Stale" }))
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
    assert.deepStrictEqual(answer, Result.succeed({ _tag: "Stale" }))
  })

  it("is taken back where it was not its contact's fault: the contact is held, its batch dials again, and nothing was counted", () => {
    const attempt = { execution_id, at: now - 1 }
    const callee = sampleCallee(organization_id, { to_number: placed.to_number, attempts: [attempt], revision: 1 })
    const dial = { ...settling, ending: refusedFor("unreachable") }
    const sources = sourcesOn({ put: "callee", row: callee })
    const { expected, view } = Result.getOrThrow(readOn(sources, settleDial.reads(dial)))
    assert.deepStrictEqual([view.callee, expected], [callee, []])
    const { answer, changes } = settleDial.decide(dial, { call: placed, callee, contact: context }, at)
    assert.deepStrictEqual(answer, Result.succeed({ _tag: "Withdrawn" }))
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

  it("ends an attempt that was its contact's fault, frees who waits for the number, and has the dispatcher look", () => {
    const waiting = { ...untouched(batch, contactId(batch.batch_id, 1), 1), revision: 2, waits_for_number: true }
    const view = { call: placed, callee: null, contact: { ...context, heirs: [waiting] } }
    const { changes, wakeups } = settleDial.decide({ ...settling, ending: refusedFor("invalid_destination") }, view, at)
    assert.deepStrictEqual(
      changes?.map((change) => change.put),
      ["call", "contact", "contact"],
    )
    assert.deepStrictEqual(wakeups, [{ set: { kind: "dispatch", subject: organization_id, at: now } }])
  })
})

describe("a dial that was never made", () => {
  const direct = { ...placed, contact_id: null, batch_id: null, campaign_id: null } as const
  const taking = {
    organization_id,
    execution_id,
    call: { ...direct, dial: "none" },
    known: direct,
    answered: 429,
  } as const

  it("leaves nothing, and is counted no more", () => {
    const attempts = [{ execution_id, at: now - 1 }]
    const callee = sampleCallee(organization_id, { to_number: direct.to_number, attempts, revision: 1 })
    const sources = sourcesOn({ put: "callee", row: callee })
    const read = Result.getOrThrow(readOn(sources, takeBackDial.reads(taking)))
    assert.deepStrictEqual(read, { view: [direct, callee], expected: [] })
    const uncounted = put("callee", callee, { ...callee, attempts: [] })
    assert.deepStrictEqual(
      takeBackDial.decide(taking, read.view, at),
      write([erase(direct), uncounted], { reply: undefined }),
    )
  })

  it("is a booked call again where it was one", () => {
    const call = { ...direct, status: "scheduled", dial: "none", scheduled_at: 1_000, due_at: 1_000 } as const
    const { changes } = takeBackDial.decide({ ...taking, call }, [direct, null], at)
    assert.deepStrictEqual(changes, [put("call", direct, call)])
  })

  it("stays where it has ended meanwhile, or nobody knows of it", () => {
    for (const row of [null, { ...direct, status: "completed", dial: "accepted" } as const]) {
      assert.deepStrictEqual(takeBackDial.decide(taking, [row, null], at), unchanged(undefined))
    }
  })
})
