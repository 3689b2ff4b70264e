import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { OldestRequest, Page, PageRequest, Placed } from "../../Pagination.ts"
import type { Batch } from "../rules/Batch.ts"
import type { BatchStatus } from "../rules/BatchStatus.ts"

/** Filter of the batch list; everything given must hold. */
export interface BatchQuery {
  readonly status?: BatchStatus
  readonly agent_id?: string
  readonly campaign_id?: string
}

/** Some contacts of a batch that follow one another. */
export interface BatchPart {
  readonly batch: Batch
  /** The first row. */
  readonly from: number
  readonly count: number
}

/** Reads of batches. A batch is visible from the commit that puts its row, however long its contacts have been stored. */
export class BatchStore extends Context.Service<
  BatchStore,
  {
    readonly find: (organizationId: string, batchId: string) => Effect.Effect<Batch | null, PortError>
    /** The batch of a contact, which knows no organization. */
    readonly locate: (batchId: string) => Effect.Effect<Batch | null, PortError>
    /** Newest first. */
    readonly page: (
      organizationId: string,
      query: BatchQuery,
      page: PageRequest,
    ) => Effect.Effect<Page<Batch>, PortError>
    /** The oldest of an organization, whatever their status. */
    readonly oldest: (
      organizationId: string,
      request: OldestRequest,
    ) => Effect.Effect<ReadonlyArray<Placed<Batch>>, PortError>
    /** The batches of a campaign, oldest first. */
    readonly pageOfCampaign: (campaignId: string, page: PageRequest) => Effect.Effect<Page<Batch>, PortError>
    /**
     * Where the contacts of a page lie, of all those that the batches of a campaign have, the oldest batch first. A batch whose contacts are going
     * has none. `total` counts contacts.
     */
    readonly contactsOfCampaign: (campaignId: string, page: PageRequest) => Effect.Effect<Page<BatchPart>, PortError>
    /** The batches of a campaign that have neither completed nor failed, oldest first: it moves no others. */
    readonly movable: (campaignId: string) => Effect.Effect<ReadonlyArray<Batch>, PortError>
    /** Bytes that those take as JSON. */
    readonly movableBytes: (campaignId: string) => Effect.Effect<number, PortError>
    /**
     * The batches of a lane (a campaign, or a batch for itself) that are not finished, oldest first. Those of `known` that are as they were then need
     * not be read again.
     */
    readonly unfinished: (
      laneId: string,
      known?: ReadonlyMap<string, Batch>,
    ) => Effect.Effect<ReadonlyArray<Batch>, PortError>
    /** Whether one that is not finished names the phone number among its caller IDs: one read, so that none moves past it. */
    readonly callsFrom: (organizationId: string, phoneNumber: string) => Effect.Effect<boolean, PortError>
  }
>()("@carillon/core/batches/BatchStore") {}
