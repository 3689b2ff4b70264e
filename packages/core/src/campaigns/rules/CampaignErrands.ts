import type { Campaign } from "./Campaign.ts"
import type { CampaignStatus } from "./CampaignStatus.ts"

type Named = Pick<Campaign, "campaign_id" | "organization_id">

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
  readonly organization_id: string
}

/** A campaign that has ended and batches of it that have not are brought together again. */
export interface MendsCampaign {
  readonly errand: "campaign.mend"
  /** The campaign. */
  readonly subject: string
  readonly organization_id: string
}

/** The log says that a campaign was mended. */
export interface TellsMended {
  readonly errand: "campaign.tell_mended"
  /** The campaign. */
  readonly subject: string
  readonly organization_id: string
  readonly mended: Mended
}

/** Completes a campaign all of whose batches have finished. Doing so again changes nothing. */
export const completesCampaign = ({ campaign_id, organization_id }: Named): CompletesCampaign => ({
  errand: "campaign.complete",
  subject: campaign_id,
  organization_id,
})

/** Brings a campaign that has ended and batches of it that have not together again. Where all is well it changes nothing. */
export const mendsCampaign = ({ campaign_id, organization_id }: Named): MendsCampaign => ({
  errand: "campaign.mend",
  subject: campaign_id,
  organization_id,
})

/** Says in the log that a campaign was mended. */
export const tellsMended = ({ campaign_id, organization_id }: Named, mended: Mended): TellsMended => ({
  errand: "campaign.tell_mended",
  subject: campaign_id,
  organization_id,
  mended,
})
