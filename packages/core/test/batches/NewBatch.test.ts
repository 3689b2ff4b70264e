import { assert, describe, it } from "@effect/vitest"
import type { Campaign } from "@carillon/core/ports"
import { Result } from "effect"
import { draftOf } from "../../src/engine/steps/Drafting.ts"
import { Grounds } from "../../src/engine/steps/Grounds.ts"
import { batchesOf, callersFrom, contactsOf } from "../../src/engine/rules/Guards.ts"
import type { WakeupChange } from "../../src/engine/rules/Wakeup.ts"
import { createBatch } from "../../src/batches/steps/CreateBatch.ts"
import { appendContacts } from "../../src/campaigns/steps/AppendContacts.ts"
import { sampleCaller, sampleCampaign, samplePhoneNumber } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn, replied } from "../StepInPieces.ts"

const organization_id = "org_one"
const caller = sampleCaller(organization_id)
const at = momentAt(5_000)
const handedIn = { batch_id: "bat_one", file_name: null, total_contacts: 2 }
const campaign: Campaign = { ...sampleCampaign(organization_id), status: "created", end_time: 3_000 }
const { campaign_id } = campaign
const number = samplePhoneNumber(organization_id, "+15555550101")
const kept = { guard: contactsOf("bat_one"), version: 0 }
const looks: ReadonlyArray<WakeupChange> = [
  { clear: { kind: "intake", subject: "bat_one" } },
  { set: { kind: "dispatch", subject: organization_id, at: 5_000 } },
]

describe("contacts that are handed in", () => {
  it("are shown as a batch of their campaign, which has not ended, and join its batches", () => {
    const input = { caller, campaign_id, handedIn }
    const read = readOn(sourcesOn({ put: "campaign", row: campaign }), appendContacts.reads(input))
    const { expected, view } = Result.getOrThrow(read)
    assert.deepStrictEqual(expected, [
      { guard: batchesOf(campaign_id), version: 0 },
      kept,
      { kind: "campaign", id: campaign_id, revision: campaign.revision },
    ])
    const { answer, changes, wakeups } = appendContacts.decide(input, view, at)
    const draft = draftOf(organization_id, changes ?? [], new Grounds(), at.now, wakeups)
    assert.deepInclude(draft.changes, { put: "guard", guard: batchesOf(campaign_id) })
    // Its end had passed before it had contacts.
    assert.deepStrictEqual(draft.wakeups, [...looks, { set: { kind: "campaign", subject: campaign_id, at: 5_000 } }])
    assert.deepInclude(Result.getOrThrow(replied(answer)).batch, { campaign_id, created_at: 5_000, total_contacts: 2 })
  })

  it("are refused by a campaign that has ended", () => {
    const ended = { put: "campaign", row: { ...campaign, status: "expired" } } as const
    const read = readOn(sourcesOn(ended), appendContacts.reads({ caller, campaign_id, handedIn }))
    assert.deepInclude(Result.getOrThrow(Result.flip(read)), { _tag: "StateConflict" })
  })

  it("are shown by themselves, with the numbers that they are called from, none of which is given up unseen", () => {
    const body = { agent_id: "agt_one", phone_numbers: [number.phone_number, number.phone_number] }
    const input = { caller, body, handedIn }
    const { expected, view } = Result.getOrThrow(
      readOn(sourcesOn({ put: "phone_number", row: number }), createBatch.reads(input)),
    )
    const { phone_number_id, revision } = number
    assert.deepStrictEqual(expected, [kept, { kind: "phone_number", id: phone_number_id, revision }])
    const { changes, wakeups } = createBatch.decide(input, view, at)
    const draft = draftOf(organization_id, changes ?? [], new Grounds(), at.now, wakeups)
    const guards = draft.changes.filter(({ put }) => put === "guard")
    assert.deepStrictEqual(guards, [{ put: "guard", guard: callersFrom(phone_number_id) }])
    assert.deepStrictEqual(draft.wakeups, looks)
  })
})
