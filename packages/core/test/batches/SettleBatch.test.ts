import { assert, describe, it } from "@effect/vitest"
import type { Batch, Campaign } from "@carillon/core/ports"
import { Result } from "effect"
import { settleBatch } from "../../src/batches/steps/SettleBatch.ts"
import { mendsCampaign } from "../../src/campaigns/rules/CampaignErrands.ts"
import type { Change } from "../../src/engine/rules/Commit.ts"
import { draftOf } from "../../src/engine/steps/Drafting.ts"
import { Grounds } from "../../src/engine/steps/Grounds.ts"
import { batchesOf } from "../../src/engine/rules/Guards.ts"
import type { WakeupChange } from "../../src/engine/rules/Wakeup.ts"
import { sampleBatch, sampleCampaign } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const organization_id = "org_one"
const at = momentAt(5_000)

const campaign: Campaign = { ...sampleCampaign(organization_id), status: "active" }
const { campaign_id } = campaign

const batch: Batch = {
  ...sampleBatch(organization_id, { campaign_id }),
  revision: 3,
  status: "dispatched",
  total_contacts: 1,
  started_at: 1_000,
}
const input = { organization_id: null, batch_id: batch.batch_id }

/** The batch has nobody left to dial; so many batches of its campaign have finished, of so many. */
const counted = (finished: number, all: number): ReadonlyArray<Change> => [
  { put: "campaign", row: campaign },
  { put: "batch", row: batch },
  { put: "tally", subject: batch.batch_id, add: { dialled: 1 } },
  {
    put: "tally",
    subject: campaign_id,
    add: { contacts: all, "batch:completed": finished, "batch:dispatched": all - finished },
  },
]

const settled = (rows: ReadonlyArray<Change>) => {
  const { expected, view } = Result.getOrThrow(readOn(sourcesOn(...rows), settleBatch.reads(input)))
  const { by, changes, errands, wakeups } = settleBatch.decide(input, view, at)
  const draft = draftOf(organization_id, changes ?? [], new Grounds(), at.now, wakeups)
  return { expected, errands, by, draft, isWritten: changes !== null }
}

const dispatch: WakeupChange = { set: { kind: "dispatch", subject: organization_id, at: 5_000 } }

describe("a batch that nobody is left of", () => {
  it("finishes, and completes its campaign where it is the last: then it rests on who else there is", () => {
    const { by, draft, expected } = settled(counted(1, 2))
    assert.deepStrictEqual(expected, [
      { guard: batchesOf(campaign_id), version: 0 },
      { kind: "batch", id: batch.batch_id, revision: 3 },
      { kind: "campaign", id: campaign_id, revision: campaign.revision },
    ])
    assert.deepInclude(by, { organization_id })
    const written = draft.changes.flatMap((change) => ("row" in change ? [change.row] : []))
    assert.deepStrictEqual(
      written.map((row) => ("status" in row ? row.status : "event" in row && row.event)),
      ["completed", "completed", "completed"],
    )
    // The campaign and the batch want the same look.
    assert.deepStrictEqual(draft.wakeups, [dispatch, { clear: { kind: "campaign", subject: campaign_id } }])
  })

  it("finishes alone where others go on, whoever joins the campaign; and the dispatcher looks", () => {
    const { draft, expected } = settled(counted(0, 2))
    assert.deepStrictEqual(expected, [{ kind: "batch", id: batch.batch_id, revision: 3 }])
    assert.deepStrictEqual(
      draft.changes.map(({ put }) => put),
      ["batch", "tally"],
    )
    assert.deepStrictEqual(draft.wakeups, [dispatch])
  })

  it("has its campaign mended where that has ended, and nothing is written", () => {
    const ended = { put: "campaign", row: { ...campaign, status: "cancelled" } } as const
    const going = { put: "batch", row: { ...batch, total_contacts: 2, status: "in_progress" } } as const
    const { errands, isWritten } = settled([ended, going])
    assert.isFalse(isWritten)
    assert.deepStrictEqual(errands, [mendsCampaign({ campaign_id, organization_id })])
  })
})
