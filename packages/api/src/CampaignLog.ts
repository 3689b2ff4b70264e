import { campaignLogEvents, campaignLogLevels } from "@carillon/core/domain"
import { Schema } from "effect"
import { chosen } from "./Annotations.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery } from "./Query.ts"
import { Integer, JsonObject, oneOf, Text, Timestamp } from "./Scalars.ts"

/** One entry of the log of a campaign, an extension of the specification. */
export const CampaignLogEntry = Schema.Struct({
  number: chosen(Integer, "1 for the first entry of the campaign, one more for each that follows."),
  at: chosen(Timestamp, "When it happened."),
  level: chosen(
    oneOf(campaignLogLevels),
    "`info`: somebody asked for it, or it was to come; `warning`: it has stopped the campaign by itself; `error`: something was wrong.",
  ),
  event: chosen(oneOf(campaignLogEvents), "What happened."),
  message: chosen(Text, "The same as a sentence in English."),
  details: chosen(
    JsonObject,
    "`actor` says who brought it about: the key of a request, or the system by itself. Further members depend on the event.",
  ),
}).annotate({ identifier: "CampaignLogEntry", description: "What happened to a campaign." })
export type CampaignLogEntry = typeof CampaignLogEntry.Type

/** A page of the log of a campaign, newest first. */
export const CampaignLogPage = pageOf(CampaignLogEntry).annotate({ identifier: "CampaignLogPage" })

/** The query of the log of a campaign. */
export const CampaignLogQuery = Schema.Struct({ ...pageQuery, ...organizationQuery })
