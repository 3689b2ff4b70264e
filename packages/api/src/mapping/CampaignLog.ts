import { Timestamp } from "@carillon/core/domain"
import type { CampaignEntry } from "@carillon/core/ports"
import type { CampaignLogEntry } from "../CampaignLog.ts"

/** An entry of the log of a campaign as it is answered. */
export const toWireCampaignLogEntry = ({
  at,
  details,
  event,
  level,
  message,
  number,
}: CampaignEntry): CampaignLogEntry => ({ number, at: Timestamp.formatUtc(at), level, event, message, details })
