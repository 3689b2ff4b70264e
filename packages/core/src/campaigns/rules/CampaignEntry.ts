import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { JsonObject } from "../../Json.ts"

/** What an entry of a campaign's log tells. */
export const campaignLogEvents = [
  "created",
  "contacts_added",
  "edited",
  "paused",
  "resumed",
  "stopped",
  "revived",
  "archived",
  "completed",
  "expired",
  "mended",
] as const

export type CampaignLogEvent = (typeof campaignLogEvents)[number]

/** How much an entry matters: what somebody asked for or what was to come, what has stopped the campaign by itself, and what was wrong. */
export const campaignLogLevels = ["info", "warning", "error"] as const

export type CampaignLogLevel = (typeof campaignLogLevels)[number]

/** What an entry says. Its details hold ids, counts and names of fields, never phone numbers or what contacts say of themselves. */
export interface CampaignLogWords {
  readonly level: CampaignLogLevel
  readonly event: CampaignLogEvent
  /** One sentence in English. */
  readonly message: string
  readonly details: JsonObject
}

/** One entry of the log of a campaign. It is never written again. */
export interface CampaignEntry extends CampaignLogWords {
  readonly campaign_id: string
  readonly organization_id: string
  readonly revision: number
  /** 1, 2, 3, … without gaps; the newest stay (`limits.campaignLogEntries`). */
  readonly number: number
  /** Epoch milliseconds. */
  readonly at: number
}

/** The id of an entry: a campaign has one of each number. */
export const campaignEntryId = (campaignId: string, number: number): string => `${campaignId}:${number}`

export const campaignEntryRow: RowDescription<CampaignEntry> = {
  id: ({ campaign_id, number }) => campaignEntryId(campaign_id, number),
  dependency: "call_storage",
}
