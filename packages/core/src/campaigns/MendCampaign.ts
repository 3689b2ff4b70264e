import { moved } from "../batches/BatchProgress.ts"
import { type Outcome, put, unchanged, write } from "../engine/Outcome.ts"
import { all, row, set } from "../engine/Reading.ts"
import { step } from "../engine/Step.ts"
import type { ByRow } from "../engine/By.ts"
import { callerIdsLeft, nameCallerIds } from "../numbers/CallerIds.ts"
import { unfinishedBatches, wholeBecause } from "./CampaignReads.ts"
import type { CampaignStatus } from "./CampaignStatus.ts"
import { campaignIn } from "./FinishingBatch.ts"
import { mendingOf } from "./Mending.ts"

/** How a campaign and its batches were brought together again. */
export interface Mended {
  readonly was: CampaignStatus
  readonly status: CampaignStatus
  readonly unfinished_batches: number
}

/** Brings a campaign that has ended and batches of it that have not together again. Replies null where all is well. */
export const mendCampaign = step({
  name: "campaign.mend",
  whole: wholeBecause,
  *reads({ campaign_id }: ByRow & { readonly campaign_id: string }) {
    const [campaign, open] = yield* all(row("campaign", campaign_id), set(unfinishedBatches, campaign_id))
    const mending = campaign === null ? null : mendingOf(campaign.status, open.length)
    if (campaign === null || mending === null) return null
    const goesOn = mending.status === "active"
    const { organization_id, phone_numbers } = campaign
    const named = yield* callerIdsLeft(organization_id, goesOn ? (phone_numbers ?? []) : [])
    return { campaign, open, mending, named }
  },
  decide({ campaign_id }, view, { now }): Outcome<Mended | null> {
    if (view === null) return unchanged(null)
    const { campaign, mending, named, open } = view
    const { batchAfter, status } = mending
    const details = { was: campaign.status, status, unfinished_batches: open.length }
    const { changes, wakeups } = campaignIn(campaign, status, now)
    const mended = open.flatMap((batch) => {
      const state = batchAfter(batch)
      return state === batch ? [] : [put("batch", batch, moved(batch, state, now))]
    })
    return write([...changes, ...nameCallerIds(named), ...mended], {
      by: campaign,
      audit: [{ resource: { type: "campaign", id: campaign_id }, details }],
      wakeups,
      reply: details,
    })
  },
})
