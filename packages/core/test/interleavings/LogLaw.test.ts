import { assert, describe, it } from "vitest"
import type { CampaignEntry, Change } from "@carillon/core/ports"
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
