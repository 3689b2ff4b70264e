import { moved } from "../../batches/rules/BatchProgress.ts"
import { type Outcome, put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all, row, set } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByRow } from "../../engine/rules/By.ts"
import { callerIdsLeft, nameCallerIds } from "../../numbers/steps/CallerIds.ts"
import { tellsMended } from "../rules/CampaignErrands.ts"
import { lastEntryOf, mendedWords } from "./CampaignLog.ts"
import { unfinishedBatches, wholeBecause } from "./CampaignReads.ts"
import { campaignIn } from "./FinishingBatch.ts"
import { mendingOf } from "../rules/Mending.ts"

/** Brings a campaign that has ended and batches of it that have not together again. */
export const mendCampaign = step({
  name: "campaign.mend",
  whole: wholeBecause,
  *reads({ campaign_id }: ByRow & { readonly campaign_id: string }) {
    const [campaign, open, last] = yield* all(
      row("campaign", campaign_id),
      set(unfinishedBatches, campaign_id),
      lastEntryOf(campaign_id),
    )
    const mending = campaign === null ? null : mendingOf(campaign.status, open.length)
    if (campaign === null || mending === null) return null
    const goesOn = mending.status === "active"
    const { organization_id, phone_numbers } = campaign
    const named = yield* callerIdsLeft(organization_id, goesOn ? (phone_numbers ?? []) : [])
    return { campaign, open, last, mending, named }
  },
  decide({ campaign_id }, view, { now }): Outcome<void> {
    if (view === null) return unchanged(undefined)
    const { campaign, last, mending, named, open } = view
    const { batchAfter, status } = mending
    const details = { was: campaign.status, status, unfinished_batches: open.length }
    const { changes, wakeups } = campaignIn(
      { campaign, last },
      status,
      mendedWords(campaign.status, status, open.length),
      now,
    )
    const mended = open.flatMap((batch) => {
      const state = batchAfter(batch)
      return state === batch ? [] : [put("batch", batch, moved(batch, state, now))]
    })
    return write([...changes, ...nameCallerIds(named), ...mended], {
      by: campaign,
      audit: [{ resource: { type: "campaign", id: campaign_id }, details }],
      wakeups,
      errands: [tellsMended(campaign, details)],
      reply: undefined,
    })
  },
})
