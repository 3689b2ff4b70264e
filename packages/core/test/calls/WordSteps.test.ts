import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { meetsCallees } from "../../src/callees/rules/CalleeErrand.ts"
import { callLimits } from "../../src/CallLimits.ts"
import { hearWord, type Word } from "../../src/calls/steps/HearWord.ts"
import type { LegReport } from "../../src/calls/rules/CallReports.ts"
import { erase, unchanged } from "../../src/engine/rules/Outcome.ts"
import { contactId } from "../../src/contacts/rules/Contact.ts"
import { dialled, untouched } from "../../src/contacts/rules/ContactProgress.ts"
import { givesLineBack } from "../../src/limits/rules/LineErrands.ts"
import type { LegEnd } from "../../src/telephony/rules/Leg.ts"
import {
  sampleBatch,
  sampleCall,
  sampleCallee,
  sampleExperiment,
  sampleOrganization,
  sampleSlot,
} from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const organization_id = "org_one"
const now = 5_000_000
const at = momentAt(now)
const times = callLimits()

const ring: Word = { _tag: "Told", report: { type: "ringing", execution_id: "", at: now, call_sid: null } }
const end: LegEnd = {
  status: "completed",
  duration_seconds: 20,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: null,
  error: null,
}
const breakdown = { llm: 0, network: 0, platform: 0, synthesizer: 0, telephony: 2, transcriber: 0 }
const finalReport: LegReport = {
  type: "final",
  execution_id: "",
  at: now,
  call_sid: null,
  end,
  facts: { media: null, recording_url: null, cost: { total: 2, breakdown } },
}
const final: Word = { _tag: "Told", report: finalReport }
const neverDialled: Word = { _tag: "Asked", answer: { _tag: "NeverDialled" }, at: now }

const of = ({ execution_id }: { readonly execution_id: string }, word: Word) =>
  ({ organization_id: null, execution_id, word, times }) as const

const seen = { organization: null, contact: null, callee: null, suppressible: null }
const live = sampleCall(organization_id, { dial: "accepted", status: "in-progress", answered_at: now - 20_000 })
const call = { ...live, slot: sampleSlot(live, 7), due_at: now }

describe("what the carrier says of a call", () => {
  it("asks for no more than it may bring, and rests on the call alone, which it writes", () => {
    const folded = sampleCall(organization_id, { folded_into: call.execution_id })
    const sources = sourcesOn(
      { put: "call", row: call },
      { put: "call", row: folded },
      { put: "organization", row: sampleOrganization(organization_id) },
    )
    for (const { execution_id } of [call, folded]) {
      const read = Result.getOrThrow(readOn(sources, hearWord.reads(of({ execution_id }, ring))))
      assert.deepStrictEqual(read, { view: { call, ...seen }, expected: [] })
      const { expected, view } = Result.getOrThrow(readOn(sources, hearWord.reads(of({ execution_id }, final))))
      assert.deepStrictEqual([view?.organization?.organization_id, expected], [organization_id, []])
    }
  })

  it("is awaited by nobody who knows that the row is being written", () => {
    assert.deepStrictEqual(hearWord.awaits?.(of(call, ring)), { kind: "call", id: call.execution_id })
  })

  it("is dropped where nobody knows the call, and does nothing where it comes again", () => {
    assert.deepStrictEqual(hearWord.decide(of(call, ring), null, at), unchanged("unknown_execution"))
    const over = { ...call, status: "completed", final_report_at: 1_000 } as const
    assert.deepStrictEqual(hearWord.decide(of(call, final), { call: over, ...seen }, at), unchanged("repeated"))
  })

  it("is too late as an answer where a report has moved the time to look", () => {
    const answer: Word = {
      _tag: "Asked",
      answer: { _tag: "Ended", end, call_sid: null, facts: { media: null, recording_url: null, cost: null } },
      at: now,
    }
    const moved = { call: { ...call, due_at: now + 1 }, ...seen }
    assert.deepStrictEqual(hearWord.decide(of(call, answer), moved, at), unchanged("repeated"))
    const { changes } = hearWord.decide(of(call, answer), { call, ...seen }, at)
    assert.isTrue(changes?.[0]?.put === "call" && changes[0].row.status === "completed")
  })

  it("frees the line and is paid by its last, in the currency of the organization", () => {
    const organization = sampleOrganization(organization_id, { wallet: { balance: 10, currency: "EUR" } })
    const outcome = hearWord.decide(of(call, final), { ...seen, call, organization }, at)
    const [written, debit] = outcome.changes ?? []
    assert.isTrue(
      written?.put === "call" && written.row.cost?.currency === "EUR" && written.row.final_report_at === now,
    )
    assert.deepStrictEqual(debit, { put: "debit", organization_id, amount: 2 })
    assert.deepStrictEqual(outcome.errands, [givesLineBack(organization_id, call.slot)])
    assert.deepStrictEqual(outcome.by, call)
  })

  it("suppresses by the rules of the organization, for the agent that was asked for", () => {
    const rule = {
      agent_id: null,
      campaign_id: null,
      outcomes: ["completed"],
      hangup_reasons: [],
      extracted: [],
      suppress_for: "agent",
      days: null,
      reason: null,
    } as const
    const experiment = sampleExperiment(organization_id, { main_agent_id: "agt_asked_for" })
    const routed = { ...call, ab_version_id: experiment.version_id, ab_is_variant: true }
    const sources = sourcesOn(
      { put: "call", row: routed },
      { put: "experiment", row: experiment },
      { put: "organization", row: sampleOrganization(organization_id, { suppress_on: [rule] }) },
    )
    const { expected, view } = Result.getOrThrow(readOn(sources, hearWord.reads(of(routed, final))))
    assert.deepStrictEqual(expected, [])
    const { changes, errands } = hearWord.decide(of(routed, final), view, at)
    assert.deepStrictEqual(errands, [meetsCallees(organization_id), givesLineBack(organization_id, call.slot)])
    const callee = changes?.find((change) => change.put === "callee")
    assert.isTrue(callee?.put === "callee" && callee.before === null)
    assert.isTrue(callee?.put === "callee" && callee.row.suppressions[0]?.agent_id === "agt_asked_for")
  })

  it("takes a contact's dial back that was certainly never made", () => {
    const batch = sampleBatch(organization_id)
    const contact_id = contactId(batch.batch_id, 0)
    const unconfirmed = {
      ...call,
      batch_id: batch.batch_id,
      contact_id,
      dial: "unconfirmed",
      status: "queued",
    } as const
    const contact = { ...dialled(untouched(batch, contact_id, 0), call.execution_id), revision: 1 }
    const attempts = [{ execution_id: call.execution_id, at: 1 }]
    const callee = sampleCallee(organization_id, { to_number: call.to_number, attempts })
    const sources = sourcesOn({ put: "call", row: unconfirmed }, { put: "callee", row: callee })
    const { view } = Result.getOrThrow(readOn(sources, hearWord.reads(of(unconfirmed, neverDialled))))
    assert.deepStrictEqual(view?.callee, callee)
    const context = { contact, batch, campaign: null, heirs: [] }
    const outcome = hearWord.decide(
      of(unconfirmed, neverDialled),
      { ...seen, call: unconfirmed, callee, contact: context },
      at,
    )
    assert.deepStrictEqual(outcome.changes?.[0], erase(unconfirmed))
    assert.deepStrictEqual(
      outcome.changes?.map((change) => change.put),
      ["erased_call", "contact", "batch", "callee"],
    )
    assert.deepStrictEqual(outcome.answer, Result.succeed({ before: unconfirmed, after: null }))
    assert.deepStrictEqual(outcome.errands, [givesLineBack(organization_id, call.slot)])
  })
})
