import type { WakeupChange } from "../../engine/rules/Wakeup.ts"
import { allBatches, figure, finishedBatches, type Tally } from "../../tallies/rules/Tally.ts"
import type { Campaign } from "./Campaign.ts"
import { campaignAfter, type CampaignStatus, hasEnded } from "./CampaignStatus.ts"

/** A campaign whose first contacts have not come yet does not expire. */
export const mayExpire = ({ end_time, status }: Campaign, hasContacts: boolean): boolean =>
  end_time !== null && (status === "active" || (status === "created" && hasContacts))

/** When to look whether a campaign that has contacts has expired. */
export const expiry = (campaign: Campaign, now: number): ReadonlyArray<WakeupChange> =>
  campaign.end_time === null || !mayExpire(campaign, true)
    ? []
    : [{ set: { kind: "campaign", subject: campaign.campaign_id, at: Math.max(campaign.end_time, now) } }]

/** The same of a campaign that has changed: whether it has contacts, its row does not say. */
export const expiryAfter = (campaign: Campaign, hasContacts: boolean, now: number): ReadonlyArray<WakeupChange> =>
  mayExpire(campaign, hasContacts)
    ? expiry(campaign, now)
    : [{ clear: { kind: "campaign", subject: campaign.campaign_id } }]

/** Whether a campaign may pause itself, or has. */
export const isWatched = (campaign: Campaign): boolean => campaign.breaker !== undefined && !hasEnded(campaign)

/** A campaign in another status. */
export const inStatus = (campaign: Campaign, status: CampaignStatus, now: number): Campaign => ({
  ...campaign,
  status,
  updated_at: now,
})

/** The batches of a campaign that have not finished. */
export const unfinishedOf = (tally: Tally): number => allBatches(tally) - finishedBatches(tally)

/** The status by what is left to do once so many batches are unfinished. */
export const statusAfterWork = (
  campaign: Pick<Campaign, "status" | "idle_with">,
  tally: Tally,
  unfinishedBatches: number,
): CampaignStatus =>
  campaign.idle_with === allBatches(tally)
    ? campaign.status
    : campaignAfter(campaign.status, {
        kind: "work_changes",
        contacts: figure(tally, "contacts"),
        unfinishedBatches,
        // A finished batch has nothing pending any more, whatever its contacts were planned for.
        pendingAttempts: 0,
      })

/** Whether to look at a campaign that has no unfinished batch: of one that an earlier release wrote nobody knows whether it was revived so. */
export const mayBeDone = ({ idle_with, status }: Campaign): boolean =>
  idle_with !== undefined && (status === "created" || status === "active")
