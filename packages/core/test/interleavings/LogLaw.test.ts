import { assert, describe, it } from "vitest"
import type { CampaignEntry, Change } from "@carillon/core/ports"
import type { CampaignStatus } from "../../src/campaigns/rules/CampaignStatus.ts"
import { importOf } from "../../src/engine/rules/Guards.ts"
import { atLog } from "../../src/testing/interleavings/LogLaw.ts"
import { RowsByKind } from "../../src/testing/RowsByKind.ts"
import { sampleBatch, sampleCampaign, sampleCampaignEntry } from "../../src/testing/Samples.ts"

const organization_id = "org_one"
const campaign = sampleCampaign(organization_id, { campaign_id: "cmp_one", status: "active" })
const batch = sampleBatch(organization_id, { campaign_id: campaign.campaign_id })

const entry = (changes: Partial<CampaignEntry>): Change => ({
  put: "campaign_entry",
  row: sampleCampaignEntry(organization_id, { campaign_id: campaign.campaign_id, ...changes }),
})

const known = new RowsByKind()
known.apply({ put: "campaign", row: campaign })
known.apply(entry({ number: 1 }))
known.apply(entry({ number: 2 }))

const isBroken = (...changes: ReadonlyArray<Change>): boolean => [...atLog(known, changes)].length > 0

const paused: Change = { put: "campaign", row: { ...campaign, status: "paused" } }
const added: Change = { put: "batch", row: batch }
const told = entry({ number: 3 })

const entryTo = (number: number, was: CampaignStatus, status: CampaignStatus): Change =>
  entry({ number, details: { was, status } })

describe("a campaign's log tells what happened to it", () => {
  it("where somebody moves it, or adds to it, in the same commit", () => {
    assert.isFalse(isBroken(paused, told))
    assert.isTrue(isBroken(paused))
    assert.isFalse(isBroken(added, entry({ number: 3, details: { batch_id: batch.batch_id } })))
    assert.isTrue(isBroken(added))
    assert.isTrue(isBroken(added, told))
    assert.isFalse(isBroken({ put: "campaign", row: { ...campaign, name: "Other" } }))
    assert.isTrue(isBroken({ put: "campaign", row: { ...campaign, campaign_id: "cmp_two" } }))
  })

  it("to the status that its row has", () => {
    const completed: Change = { put: "campaign", row: { ...campaign, status: "completed" } }
    assert.isFalse(isBroken(completed, entryTo(3, "active", "completed")))
    assert.isTrue(isBroken(completed, entryTo(3, "active", "paused")))
    assert.isTrue(isBroken(completed, entryTo(3, "paused", "completed")))
    assert.isFalse(isBroken(completed, entryTo(3, "active", "paused"), entryTo(4, "paused", "completed")))
    assert.isTrue(isBroken(completed, entryTo(3, "active", "completed"), entryTo(4, "completed", "active")))
    const renamed: Change = { put: "campaign", row: { ...campaign, name: "Other" } }
    assert.isFalse(isBroken(renamed, entryTo(3, "active", "active")))
    assert.isTrue(isBroken(renamed, entryTo(3, "active", "completed")))
  })

  it("with numbers that have no gaps, and no entry twice", () => {
    assert.isTrue(isBroken(entry({ number: 2 })))
    assert.isTrue(isBroken(entry({ number: 4 })))
    assert.isTrue(isBroken(entry({ number: 3, revision: 2 })))
    assert.isFalse(isBroken(entry({ number: 3 }), entry({ number: 4 })))
  })

  it("but where an import brings it with its log", () => {
    assert.isFalse(isBroken(added, { put: "guard", guard: importOf(organization_id, "sum") }))
  })
})
