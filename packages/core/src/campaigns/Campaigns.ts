import { Context, type Effect } from "effect"
import type { BatchRecord } from "../batches/BatchRecord.ts"
import type { ContactIntake } from "../intake/ContactIntake.ts"
import type { EngineError } from "../Errors.ts"
import type { Caller } from "../keys/Caller.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { CampaignExplanation, CampaignRecord, CampaignStats, ContactRecord } from "./CampaignRecords.ts"
import type { CampaignBody, NewCampaign } from "./CampaignSettings.ts"
import type { CampaignStatus } from "./CampaignStatus.ts"

/** Filter of the campaign list; every status is listed unless one is named. */
export interface CampaignQuery {
  readonly status?: CampaignStatus
}

export interface CampaignsShape {
  /**
   * Creates a campaign and, with contacts, its first batch, in one write: status `created`, `batch_id` set when there are contacts.
   * Fails with NotFound (agent, follow-up agent), InvalidField (unregistered caller ID), Malformed (zone, hours, end), or the
   * translation service's own failure; nothing is stored then.
   */
  readonly create: (
    caller: Caller,
    body: NewCampaign,
    intake: ContactIntake | null,
  ) => Effect.Effect<CampaignRecord, EngineError>
  /** NotFound "Campaign not found." */
  readonly find: (organizationId: string, campaignId: string) => Effect.Effect<CampaignRecord, EngineError>
  readonly page: (
    organizationId: string,
    query: CampaignQuery,
    page: PageRequest,
  ) => Effect.Effect<Page<CampaignRecord>, EngineError>
  readonly stats: (organizationId: string, campaignId: string) => Effect.Effect<CampaignStats, EngineError>
  /** Malformed on an empty body, StateConflict where the status does not allow it, and what `create` fails with. */
  readonly patch: (caller: Caller, campaignId: string, body: CampaignBody) => Effect.Effect<CampaignRecord, EngineError>
  readonly pause: (caller: Caller, campaignId: string) => Effect.Effect<CampaignRecord, EngineError>
  readonly resume: (caller: Caller, campaignId: string) => Effect.Effect<CampaignRecord, EngineError>
  readonly cancel: (caller: Caller, campaignId: string) => Effect.Effect<CampaignRecord, EngineError>
  readonly revive: (caller: Caller, campaignId: string) => Effect.Effect<CampaignRecord, EngineError>
  /** Archives; harmless when archived already, StateConflict while a batch is unfinished. */
  readonly remove: (caller: Caller, campaignId: string) => Effect.Effect<void, EngineError>
  /** Oldest first. */
  readonly batches: (
    organizationId: string,
    campaignId: string,
    page: PageRequest,
  ) => Effect.Effect<Page<BatchRecord>, EngineError>
  /** In the order in which they were handed in. */
  readonly contacts: (
    organizationId: string,
    campaignId: string,
    page: PageRequest,
  ) => Effect.Effect<Page<ContactRecord>, EngineError>
  /** Adds contacts as one more batch; StateConflict once the campaign has ended. */
  readonly append: (
    caller: Caller,
    campaignId: string,
    intake: ContactIntake,
  ) => Effect.Effect<BatchRecord, EngineError>
  readonly explain: (organizationId: string, campaignId: string) => Effect.Effect<CampaignExplanation, EngineError>
}

/** Campaigns as customers create, read, steer and end them (specification, "Campaigns"). */
export class Campaigns extends Context.Service<Campaigns, CampaignsShape>()("@carillon/core/campaigns/Campaigns") {}
