import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Page, PageRequest } from "../../Pagination.ts"
import type { Campaign } from "../rules/Campaign.ts"
import type { CampaignEntry } from "../rules/CampaignEntry.ts"
import type { CampaignStatus } from "../rules/CampaignStatus.ts"

/** Filter of the campaign list; every status is listed unless one is named. */
export interface CampaignQuery {
  readonly status?: CampaignStatus
}

/** Reads of campaigns. */
export class CampaignStore extends Context.Service<
  CampaignStore,
  {
    readonly find: (organizationId: string, campaignId: string) => Effect.Effect<Campaign | null, PortError>
    /** The campaign of a wake-up or a contact, which know no organization. */
    readonly locate: (campaignId: string) => Effect.Effect<Campaign | null, PortError>
    /** Newest first. */
    readonly page: (
      organizationId: string,
      query: CampaignQuery,
      page: PageRequest,
    ) => Effect.Effect<Page<Campaign>, PortError>
    /** Campaigns that may still expire (created or active, with an end), for rebuilding wake-ups, in pages after the given id. */
    readonly ending: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<Campaign>, PortError>
    /** Campaigns with a breaker that have not ended, for rebuilding wake-ups, in pages after the given id. */
    readonly watched: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<Campaign>, PortError>
    /** Whether one that has not ended names the phone number among its caller IDs: one read, so that none moves past it. */
    readonly callsFrom: (organizationId: string, phoneNumber: string) => Effect.Effect<boolean, PortError>
    /** The number of the last entry of a campaign's log; 0 where it has none. */
    readonly lastEntry: (campaignId: string) => Effect.Effect<number, PortError>
    /** The log of a campaign, newest first. */
    readonly entries: (campaignId: string, page: PageRequest) => Effect.Effect<Page<CampaignEntry>, PortError>
  }
>()("@carillon/core/campaigns/CampaignStore") {}
