import type { Batch } from "../../batches/rules/Batch.ts"
import { batchesOf } from "../../engine/rules/Guards.ts"
import { put, type RowChange } from "../../engine/rules/Outcome.ts"
import { all, glance, type Reading, row, sum } from "../../engine/steps/Reading.ts"
import type { WakeupChange } from "../../engine/rules/Wakeup.ts"
import type { Tally } from "../../tallies/rules/Tally.ts"
import type { Campaign } from "../rules/Campaign.ts"
import type { CampaignLogWords } from "../rules/CampaignEntry.ts"
import { completedWords, lastEntryOf, logged } from "./CampaignLog.ts"
import type { CampaignStatus } from "../rules/CampaignStatus.ts"
import { expiryAfter, inStatus, statusAfterWork, unfinishedOf } from "../rules/CampaignWork.ts"

/** A campaign, how much of it is done, and the number of the last entry of its log. */
export interface Counted {
  readonly campaign: Campaign
  readonly tally: Tally
  readonly last: number
}

/** A campaign with what is counted of it, as it is decided on when it completes: no batch joins it meanwhile. */
export function* counted(campaignId: string): Reading<Counted | null> {
  const [campaign, tally, last] = yield* all(
    row("campaign", campaignId),
    sum(campaignId, batchesOf(campaignId)),
    lastEntryOf(campaignId),
  )
  return campaign === null ? null : { campaign, tally, last }
}

/** The status of a campaign once one more of its batches has finished. */
const statusAfterOneMore = ({ campaign, tally }: Counted): CampaignStatus =>
  statusAfterWork(campaign, tally, unfinishedOf(tally) - 1)

/**
 * The campaign of a batch, and what is counted of it where the batch finishes. The step rests on them only where that batch is the last, or twenty
 * that are stopped at once would refuse one another. Of two that finish at the same moment each takes the other for unfinished, and the
 * dispatcher, which looks after each, sees both. Null for a batch by itself.
 */
export function* campaignOfBatch({ campaign_id }: Batch, finishes: boolean): Reading<Counted | null> {
  if (campaign_id === null) return null
  if (!finishes) {
    const campaign = yield* glance(
      "earlier",
      "A campaign that ends writes every unfinished batch.",
      row("campaign", campaign_id),
    )
    return campaign === null ? null : { campaign, tally: {}, last: 0 }
  }
  const seen = yield* glance("level", "After a batch that is not the last the dispatcher looks.", counted(campaign_id))
  return seen === null || statusAfterOneMore(seen) === seen.campaign.status ? seen : yield* counted(campaign_id)
}

/** What becomes of a campaign, in another status, and what its log tells of that. */
export const campaignIn = (
  { campaign, last }: Pick<Counted, "campaign" | "last">,
  status: CampaignStatus,
  words: CampaignLogWords,
  now: number,
): { readonly changes: ReadonlyArray<RowChange>; readonly wakeups: ReadonlyArray<WakeupChange> } => {
  const after = inStatus(campaign, status, now)
  const changes = [put("campaign", campaign, after), ...logged({ ...campaign, last }, words, now)]
  return { changes, wakeups: expiryAfter(after, true, now) }
}

/** What becomes of a campaign as a batch of it finishes: it completes with the last. */
export const finishing = (of: Counted | null, now: number): ReturnType<typeof campaignIn> => {
  const status = of === null ? null : statusAfterOneMore(of)
  return of === null || status === null || status === of.campaign.status
    ? { changes: [], wakeups: [] }
    : campaignIn(of, status, completedWords(of.campaign.status), now)
}
