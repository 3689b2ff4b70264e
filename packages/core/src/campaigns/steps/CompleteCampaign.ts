import { type Outcome, unchanged, write } from "../../engine/rules/Outcome.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByRow } from "../../engine/rules/By.ts"
import { completedWords } from "./CampaignLog.ts"
import { statusAfterWork, unfinishedOf } from "../rules/CampaignWork.ts"
import { campaignIn, counted } from "./FinishingBatch.ts"

/** Completes a campaign all of whose batches have finished. */
export const completeCampaign = step({
  name: "campaign.complete",
  reads: ({ campaign_id }: ByRow & { readonly campaign_id: string }) => counted(campaign_id),
  decide(_, of, { now }): Outcome<void> {
    if (of === null) return unchanged(undefined)
    const { campaign, tally } = of
    const status = statusAfterWork(campaign, tally, unfinishedOf(tally))
    if (status === campaign.status) return unchanged(undefined)
    const { changes, wakeups } = campaignIn(of, status, completedWords(campaign.status), now)
    return write(changes, { by: campaign, wakeups, reply: undefined })
  },
})
