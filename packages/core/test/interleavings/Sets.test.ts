import { expect, it } from "vitest"
import { put } from "../../src/engine/rules/Put.ts"
import type { Commit } from "../../src/engine/rules/Commit.ts"
import { batchesOf, callersFrom, contactsOf } from "../../src/engine/rules/Guards.ts"
import { atSets } from "../../src/testing/interleavings/Sets.ts"
import { RowsByKind } from "../../src/testing/RowsByKind.ts"
import { sampleBatch, sampleCampaign, samplePhoneNumber } from "../../src/testing/Samples.ts"

const number = samplePhoneNumber("org_1", "+15555550100")
const completed = sampleCampaign("org_1", { status: "completed", phone_numbers: [number.phone_number] })
const active = sampleCampaign("org_1", { status: "active" })

const before = new RowsByKind()
for (const change of [
  put("phone_number", null, number),
  put("campaign", null, completed),
  put("campaign", null, active),
])
  before.apply(change)

const told = (changes: Commit["changes"], expected: Commit["expect"] = []) =>
  [...atSets(before, { changes, expect: expected })].map(({ law, detail }) => `${law}: ${detail.split(" ")[0]}`)

const callers = callersFrom(number.phone_number_id)

it("a campaign that is revived is a caller from its numbers again", () => {
  const revived = put("campaign", completed, { ...completed, status: "active" })
  expect(told([revived])).toEqual(["who joins a set raises its guard: phone_number_callers"])
  expect(told([revived, { put: "guard", guard: callers }])).toEqual([])
})

it("what was a caller before joins nothing", () => {
  expect(told([put("campaign", completed, { ...completed, name: "Another" })])).toEqual([])
})

it("a batch joins those of its campaign, of which there may be so many, and rests on its contacts", () => {
  const joining = sampleBatch("org_1", { campaign_id: active.campaign_id })
  expect(told([put("batch", null, joining)])).toEqual([
    "who joins a set raises its guard: campaign_batches",
    "who decides by a set expects its guard: batch_contacts",
    "who decides by a set expects its guard: campaign_batches",
  ])
  const raises = { put: "guard", guard: batchesOf(active.campaign_id) } as const
  const expected = [contactsOf(joining.batch_id), batchesOf(active.campaign_id)].map((guard) => ({ guard, version: 0 }))
  expect(told([put("batch", null, joining), raises], expected)).toEqual([])
})

it("who ends a campaign rests on its batches, who gives up a number on its callers", () => {
  const ends = put("campaign", active, { ...active, status: "cancelled" })
  expect(told([ends])).toEqual(["who decides by a set expects its guard: campaign_batches"])
  expect(told([ends], [{ guard: batchesOf(active.campaign_id), version: 3 }])).toEqual([])
  const { organization_id, phone_number_id: id, revision } = number
  expect(told([{ put: "removal", organization_id, kind: "phone_number", id, revision }])).toEqual([
    "who decides by a set expects its guard: phone_number_callers",
  ])
})
