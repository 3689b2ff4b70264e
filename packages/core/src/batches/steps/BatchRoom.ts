import type { Filled } from "../../campaigns/steps/CampaignReads.ts"
import { StateConflict } from "../../Errors.ts"
import { limits } from "../../Limits.ts"
import { jsonBytes } from "../../Measure.ts"
import { allBatches, batchesBy } from "../../tallies/rules/Tally.ts"
import type { Batch } from "../rules/Batch.ts"
import { immovableBatchStatuses } from "../rules/BatchStatus.ts"

/**
 * Why a campaign takes no further batch. It moves all that have neither completed nor failed in one commit, so these are bounded in number and in
 * bytes; and it may have so many at all.
 */
export const roomFault = (batch: Batch, { bytes, campaign, tally }: Omit<Filled, "last">): StateConflict | null => {
  const refusal = (reason: string) =>
    new StateConflict({ message: `This campaign (campaign_id=${campaign.campaign_id}) ${reason}` })
  const { batchesPerCampaign, movableBatchBytes, movableBatches } = limits
  const made = allBatches(tally)
  const movable = made - batchesBy(tally, ...immovableBatchStatuses)
  if (made >= batchesPerCampaign) return refusal(`has had ${batchesPerCampaign} batches and takes no more.`)
  if (movable >= movableBatches) {
    return refusal(
      `has ${movableBatches} batches that have neither completed nor failed, and takes no more until one has.`,
    )
  }
  if (bytes + jsonBytes(batch) <= movableBatchBytes) return null
  return refusal(
    `would have batches of more than ${movableBatchBytes / 1024 ** 2} MiB of JSON that have neither completed nor failed. Send fewer settings, or wait until one has.`,
  )
}
