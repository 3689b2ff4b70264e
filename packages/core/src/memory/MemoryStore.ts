import { Effect, Layer } from "effect"
import type { Batch } from "../batches/rules/Batch.ts"
import { batchStatuses, isFinishedBatch, isMovableBatch } from "../batches/rules/BatchStatus.ts"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import type { Campaign } from "../campaigns/rules/Campaign.ts"
import { campaignStatuses, hasEnded } from "../campaigns/rules/CampaignStatus.ts"
import { isWatched } from "../campaigns/rules/CampaignWork.ts"
import { CampaignStore } from "../campaigns/ports/CampaignStore.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { LaneStore } from "../dispatch/ports/LaneStore.ts"
import { Store } from "../engine/ports/Store.ts"
import { KnowledgeStore } from "../knowledge/ports/KnowledgeStore.ts"
import { jsonBytes } from "../Measure.ts"
import { TallyStore } from "../tallies/ports/TallyStore.ts"
import { accountPorts } from "./AccountPorts.ts"
import { callPorts } from "./CallPorts.ts"
import { retrievalLayer } from "./MemoryRetrieval.ts"
import type { MemoryTables } from "./MemoryTables.ts"
import { uploadPlacesLayer } from "./MemoryUploadPlaces.ts"
import { wakeupsLayer } from "./MemoryWakeups.ts"
import { after, bounded } from "./RowPages.ts"
import { trailPorts } from "./TrailPorts.ts"
import { webhookPorts } from "./WebhookPorts.ts"

const openCampaigns = campaignStatuses.filter((status) => !hasEnded({ status }))
const openBatches = batchStatuses.filter((status) => !isFinishedBatch(status))

const namesCallerId = (
  rows: Iterable<{ readonly phone_numbers: ReadonlyArray<string> | null }>,
  phoneNumber: string,
): boolean => {
  for (const { phone_numbers } of rows) if (phone_numbers?.includes(phoneNumber) === true) return true
  return false
}

/** Campaigns that may still expire. */
function* ending(tables: MemoryTables): Iterable<Campaign> {
  for (const campaign of tables.campaigns.values()) {
    if (campaign.end_time !== null && (campaign.status === "created" || campaign.status === "active")) yield campaign
  }
}

/** Those that have a breaker, and have not ended. */
function* watched(tables: MemoryTables): Iterable<Campaign> {
  for (const campaign of tables.campaigns.values()) {
    if (isWatched(campaign)) yield campaign
  }
}

const ownerOf = ({ campaigns }: MemoryTables, campaignId: string): string =>
  campaigns.get(campaignId)?.organization_id ?? ""

const movableIn = (tables: MemoryTables, campaignId: string): ReadonlyArray<Batch> =>
  tables.batches.ofCampaign(ownerOf(tables, campaignId), campaignId).filter(({ status }) => isMovableBatch(status))

/** A commit's refusal as a failure of the effect. */
const applied = <E>(run: () => E | undefined): Effect.Effect<void, E> =>
  Effect.suspend(() => {
    const refusal = run()
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  })

/** Every storage port over one set of tables. */
export const layer = (tables: MemoryTables) =>
  Layer.mergeAll(
    Layer.succeed(Store, {
      commit: (commit) => applied(() => tables.commit(commit)),
      admit: (commit, levels) => applied(() => tables.admit(commit, levels)),
      rows: (asked) => Effect.sync(() => tables.rows(asked)),
      versions: (guards) => Effect.sync(() => guards.map((guard) => tables.version(guard))),
    }),
    Layer.succeed(CampaignStore, {
      find: (organizationId, campaignId) =>
        Effect.sync(() => {
          const campaign = tables.campaigns.get(campaignId)
          return campaign?.organization_id === organizationId ? campaign : null
        }),
      locate: (campaignId) => Effect.sync(() => tables.campaigns.get(campaignId) ?? null),
      page: (organizationId, { status }, page) =>
        bounded(() => tables.campaigns.page(organizationId, status === undefined ? [] : [["status", status]], page)),
      ending: (id, limit) => Effect.sync(() => after(ending(tables), (campaign) => campaign.campaign_id, id, limit)),
      watched: (id, limit) => Effect.sync(() => after(watched(tables), (campaign) => campaign.campaign_id, id, limit)),
      callsFrom: (organizationId, phoneNumber) =>
        Effect.sync(() =>
          openCampaigns.some((status) =>
            namesCallerId(tables.campaigns.of(organizationId, "status", status), phoneNumber),
          ),
        ),
      lastEntry: (campaignId) => Effect.sync(() => tables.campaignLogs.last(campaignId)),
      entries: (campaignId, page) => bounded(() => tables.campaignLogs.page(campaignId, page)),
    }),
    Layer.succeed(BatchStore, {
      find: (organizationId, batchId) =>
        Effect.sync(() => {
          const batch = tables.batches.get(batchId)
          return batch?.organization_id === organizationId ? batch : null
        }),
      locate: (batchId) => Effect.sync(() => tables.batches.get(batchId) ?? null),
      page: (organizationId, query, page) => bounded(() => tables.batches.page(organizationId, query, page)),
      oldest: (organizationId, request) => Effect.sync(() => tables.batches.oldest(organizationId, request)),
      pageOfCampaign: (campaignId, page) =>
        bounded(() => tables.batches.pageOfCampaign(ownerOf(tables, campaignId), campaignId, page)),
      contactsOfCampaign: (campaignId, page) =>
        Effect.sync(() => tables.batches.contactsOfCampaign(ownerOf(tables, campaignId), campaignId, page)),
      movable: (campaignId) => Effect.sync(() => movableIn(tables, campaignId)),
      movableBytes: (campaignId) =>
        Effect.sync(() => movableIn(tables, campaignId).reduce((sum, batch) => sum + jsonBytes(batch), 0)),
      unfinished: (laneId) => Effect.sync(() => tables.batches.unfinished(laneId)),
      callsFrom: (organizationId, phoneNumber) =>
        Effect.sync(() =>
          openBatches.some((status) => namesCallerId(tables.batches.ofStatus(organizationId, status), phoneNumber)),
        ),
    }),
    Layer.succeed(ContactStore, {
      fill: (batchId, fromRow, entries) => Effect.sync(() => tables.contacts.fill(batchId, fromRow, entries)),
      replace: (batchId, row, entry) => Effect.sync(() => tables.contacts.replace(batchId, row, entry)),
      discard: (batchId) => Effect.sync(() => tables.contacts.discard(batchId)),
      find: (batchId, row) => Effect.sync(() => tables.contacts.find(batchId, row) ?? null),
      rows: (batchId, fromRow, limit) => Effect.sync(() => tables.contacts.rows(batchId, fromRow, limit)),
      marked: (batchIds, mark, limit) => Effect.sync(() => tables.contacts.marked(batchIds, mark, limit)),
      marks: (batchIds) => Effect.sync(() => tables.contacts.marks(batchIds)),
      next: (batchIds, moment, besides, choice) =>
        Effect.sync(() => tables.contacts.next(batchIds, moment, besides, choice)),
      load: (batchIds, moment) => Effect.sync(() => tables.contacts.load(batchIds, moment)),
      times: (batchIds, now) => Effect.sync(() => tables.contacts.times(batchIds, now)),
      heirs: (laneId, number) => Effect.sync(() => tables.contacts.heirs(laneId, number)),
      waitingIn: (laneId, limit, batchIds) => Effect.sync(() => tables.contacts.waitingIn(laneId, limit, batchIds)),
      waitingForNumbers: (id, limit) => Effect.sync(() => tables.contacts.waitingForNumbers(id, limit)),
    }),
    Layer.succeed(TallyStore, { read: (subject) => Effect.sync(() => tables.tallies.read(subject)) }),
    Layer.succeed(LaneStore, {
      changed: (organizationId, since) => Effect.sync(() => tables.lanes.changed(organizationId, since)),
      any: (organizationId) => Effect.sync(() => tables.lanes.any(organizationId)),
      organizations: (id, limit) => Effect.sync(() => after(tables.lanes.organizations(), (row) => row, id, limit)),
    }),
    Layer.succeed(KnowledgeStore, {
      find: (organizationId, collection) =>
        Effect.sync(() => tables.knowledge.bases.findByKey(organizationId, collection)),
      page: (organizationId, page) => bounded(() => tables.knowledge.bases.page(organizationId, page)),
      upload: (organizationId, retrievalId, documentId) =>
        Effect.sync(() => {
          const upload = tables.knowledge.uploads.find(organizationId, documentId)
          return upload?.retrieval_id === retrievalId ? upload : null
        }),
      uploads: (organizationId, retrievalId, page) =>
        bounded(() =>
          tables.knowledge.uploads.page(organizationId, page, ({ retrieval_id }) => retrieval_id === retrievalId),
        ),
    }),
    accountPorts(tables),
    callPorts(tables),
    trailPorts(tables),
    webhookPorts(tables),
    retrievalLayer(tables.retrieval),
    uploadPlacesLayer(tables.uploadPlaces),
    wakeupsLayer(tables.wakeups),
  )
