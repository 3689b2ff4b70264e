import { type CampaignEntry, Timestamp } from "@carillon/core"
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
