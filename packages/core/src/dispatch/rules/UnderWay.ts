import type { Batch } from "../../batches/rules/Batch.ts"
import { moved, someDialled } from "../../batches/rules/BatchProgress.ts"
import { batchAfter } from "../../batches/rules/BatchStatus.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import { type CampaignStatus, campaignAfter } from "../../campaigns/rules/CampaignStatus.ts"
import { expiryAfter, inStatus } from "../../campaigns/rules/CampaignWork.ts"
import type { Expectation } from "../../engine/rules/Commit.ts"
import { put, type RowChange } from "../../engine/rules/Outcome.ts"
import type { WakeupChange } from "../../engine/rules/Wakeup.ts"
import type { ContactDial } from "./ContactCall.ts"

/** The batch and the campaign for which a contact is dialled. */
export type DialledFor = Pick<ContactDial, "batch" | "campaign">

/** A batch that was judged, as its commit expects it. */
export const batchAsRead = ({ batch_id, revision }: Batch): Expectation => ({
  kind: "batch",
  id: batch_id,
  revision,
})

/** The same of a campaign; nothing where there is none. */
export const campaignAsRead = (campaign: Campaign | null): ReadonlyArray<Expectation> => {
  if (campaign === null) return []
  const { campaign_id, revision } = campaign
  return [{ kind: "campaign", id: campaign_id, revision } satisfies Expectation]
}

const dialling = ({ status }: Campaign): CampaignStatus => campaignAfter(status, { kind: "batch_dials" })

/** Whether a campaign has dialled, or there is none. */
export const isBegun = (campaign: Campaign | null): boolean =>
  campaign === null || dialling(campaign) === campaign.status

/** The batch and campaign of a contact over which is decided, as they were read. */
export const asJudged = ({ batch, campaign }: DialledFor): ReadonlyArray<Expectation> => [
  batchAsRead(batch),
  ...campaignAsRead(campaign),
]

/** What accompanies the first dial of a campaign or a batch: they are under way from now on. */
export const underWay = (
  { batch, campaign }: DialledFor,
  now: number,
): { readonly changes: ReadonlyArray<RowChange>; readonly wakeups: ReadonlyArray<WakeupChange> } => {
  const changes: Array<RowChange> = []
  const wakeups: Array<WakeupChange> = []
  if (campaign !== null && !isBegun(campaign)) {
    const active = inStatus(campaign, dialling(campaign), now)
    changes.push(put("campaign", campaign, active))
    wakeups.push(...expiryAfter(active, true, now))
  }
  if (batch.started_at === null) {
    const after = moved(batch, batchAfter(batch, { kind: "progress", progress: someDialled }), now)
    changes.push(put("batch", batch, { ...after, started_at: now }))
  }
  return { changes, wakeups }
}
