import type { CampaignStatus } from "./CampaignStatus.ts"

/** How a campaign and its batches were brought together again. */
export interface Mended {
  readonly was: CampaignStatus
  readonly status: CampaignStatus
  readonly unfinished_batches: number
}

/** A campaign all of whose batches have finished is completed. */
export interface CompletesCampaign {
  readonly errand: "campaign.complete"
  /** The campaign. */
  readonly subject: string
}

/** A campaign that has ended and batches of it that have not are brought together again. */
export interface MendsCampaign {
  readonly errand: "campaign.mend"
  /** The campaign. */
  readonly subject: string
}

/** The log says that a campaign was mended. */
export interface TellsMended {
  readonly errand: "campaign.tell_mended"
  /** The campaign. */
  readonly subject: string
  readonly mended: Mended
}

/** Completes a campaign all of whose batches have finished. Doing so again changes nothing. */
export const completesCampaign = (campaignId: string): CompletesCampaign => ({
  errand: "campaign.complete",
  subject: campaignId,
})

/** Brings a campaign that has ended and batches of it that have not together again. Where all is well it changes nothing. */
export const mendsCampaign = (campaignId: string): MendsCampaign => ({ errand: "campaign.mend", subject: campaignId })

/** Says in the log that a campaign was mended. */
export const tellsMended = (campaignId: string, mended: Mended): TellsMended => ({
  errand: "campaign.tell_mended",
  subject: campaignId,
  mended,
})
