import { type BatchState, cascadeToBatch } from "../../batches/rules/BatchStatus.ts"
import { type CampaignStatus, hasEnded } from "./CampaignStatus.ts"

/** What brings a campaign and its batches together again. */
export interface Mending {
  readonly status: CampaignStatus
  readonly batchAfter: (batch: BatchState) => BatchState
}

/**
 * No campaign that has ended has a batch that has not (specification, "Campaign status"). Where one does all the same, what its owner
 * wanted last holds: contacts that were taken are dialled, unless the campaign was ended for all that it has. Null where nothing is wrong.
 */
export const mendingOf = (status: CampaignStatus, unfinished: number): Mending | null => {
  if (unfinished === 0 || !hasEnded({ status })) return null
  if (status === "completed") return { status: "active", batchAfter: (batch) => batch }
  const kind = status === "expired" ? "expire" : "cancel"
  return { status, batchAfter: (batch) => cascadeToBatch(batch, { kind }) }
}
