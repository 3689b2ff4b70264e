import { moved } from "../../batches/rules/BatchProgress.ts"
import { cascadeToBatch } from "../../batches/rules/BatchStatus.ts"
import { batchesOf } from "../../engine/rules/Guards.ts"
import { type Outcome, put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all, row, set, sum } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByRow } from "../../engine/rules/By.ts"
import { figure } from "../../tallies/rules/Tally.ts"
import { expiredWords, lastEntryOf } from "./CampaignLog.ts"
import { unfinishedBatches, wholeBecause } from "./CampaignReads.ts"
import { campaignAfter } from "../rules/CampaignStatus.ts"
import { mayExpire } from "../rules/CampaignWork.ts"
import { campaignIn } from "./FinishingBatch.ts"

/** Looks whether the end of a campaign has come, and ends its batches with it. Replies when to look again, where it is still to come. */
export const expireCampaign = step({
  name: "campaign.expire",
  whole: wholeBecause,
  reads: ({ campaign_id }: ByRow & { readonly campaign_id: string }) =>
    all(
      row("campaign", campaign_id),
      all(set(unfinishedBatches, campaign_id), sum(campaign_id, batchesOf(campaign_id))),
      lastEntryOf(campaign_id),
    ),
  decide(_, [campaign, [batches, tally], last], { now }): Outcome<number | null> {
    if (campaign === null || campaign.end_time === null) return unchanged(null)
    // A hint that came early may have taken the place of the one that is on time.
    const contacts = figure(tally, "contacts")
    if (campaign.end_time > now) return unchanged(mayExpire(campaign, contacts > 0) ? campaign.end_time : null)
    const status = campaignAfter(campaign.status, { kind: "end_time_passes", contacts })
    if (status === campaign.status) return unchanged(null)
    const words = expiredWords(campaign.status, batches.length)
    const { changes, wakeups } = campaignIn({ campaign, last }, status, words, now)
    const ended = batches.map((batch) =>
      put("batch", batch, moved(batch, cascadeToBatch(batch, { kind: "expire" }), now)),
    )
    return write([...changes, ...ended], { by: campaign, wakeups, reply: null })
  },
})
