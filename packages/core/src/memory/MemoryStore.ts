import { Effect, Layer } from "effect"
import { AgentStore } from "../agents/AgentStore.ts"
import { agentLister } from "../agents/ListedAgent.ts"
import type { AuditRecord } from "../audit/AuditChain.ts"
import { type AuditFilter, AuditStore } from "../audit/AuditStore.ts"
import type { Batch } from "../batches/Batch.ts"
import { batchStatuses, isFinishedBatch, isMovableBatch } from "../batches/BatchStatus.ts"
import { BatchStore } from "../batches/BatchStore.ts"
import type { Call } from "../calls/Call.ts"
import { CalleeStore } from "../callees/CalleeStore.ts"
import { CallStore } from "../calls/CallStore.ts"
import type { Campaign } from "../campaigns/Campaign.ts"
import { campaignStatuses, hasEnded } from "../campaigns/CampaignStatus.ts"
import { CampaignStore } from "../campaigns/CampaignStore.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { LaneStore } from "../dispatch/LaneStore.ts"
import { Store } from "../engine/Store.ts"
import { ExperimentStore } from "../experiments/ExperimentStore.ts"
import { IdempotencyStore } from "../idempotency/IdempotencyStore.ts"
import { KeyStore } from "../keys/KeyStore.ts"
import { NumberStore } from "../numbers/NumberStore.ts"
import { KnowledgeStore } from "../knowledge/KnowledgeStore.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import type { Organization } from "../organizations/Organization.ts"
import type { InvalidField } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { jsonBytes } from "../Measure.ts"
import { type Page, type PageRequest, pageTooLarge } from "../Pagination.ts"
import type { Delivery } from "../webhooks/Delivery.ts"
import { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import { SubscriptionStore } from "../webhooks/SubscriptionStore.ts"
import type { WebhookEvent } from "../webhooks/WebhookEvent.ts"
import { TallyStore } from "../tallies/TallyStore.ts"
import { ProviderStore } from "../providers/ProviderStore.ts"
import { UsageStore } from "../usage/UsageStore.ts"
import { firstParts, usageOf } from "../usage/UsageStretches.ts"
import { retrievalLayer } from "./MemoryRetrieval.ts"
import type { MemoryTables } from "./MemoryTables.ts"
import { uploadPlacesLayer } from "./MemoryUploadPlaces.ts"
import { wakeupsLayer } from "./MemoryWakeups.ts"

const organizationIdOf = (organization: Organization): string => organization.organization_id
const executionIdOf = (call: Call): string => call.execution_id
const eventIdOf = (event: WebhookEvent): string => event.event_id
const deliveryIdOf = (delivery: Delivery): string => delivery.delivery_id

const openCampaigns = campaignStatuses.filter((status) => !hasEnded({ status }))
const openBatches = batchStatuses.filter((status) => !isFinishedBatch(status))

const namesCallerId = (
  rows: Iterable<{ readonly phone_numbers: ReadonlyArray<string> | null }>,
  phoneNumber: string,
): boolean => {
  for (const { phone_numbers } of rows) if (phone_numbers?.includes(phoneNumber) === true) return true
  return false
}

/** Up to `limit` rows in ascending order of their id after `id`; for the few that are live or due. */
const after = <A>(rows: Iterable<A>, idOf: (row: A) => string, id: string | null, limit: number): ReadonlyArray<A> => {
  const found: Array<A> = []
  for (const row of rows) if (id === null || idOf(row) > id) found.push(row)
  return found.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1)).slice(0, limit)
}

/** One page of a list that is given newest first. */
const pageOf = <A>(rows: ReadonlyArray<A>, { page, page_size }: PageRequest): Page<A> => {
  const skip = (page - 1) * page_size
  return { items: rows.slice(skip, skip + page_size), total: rows.length }
}

/** One page, newest first, of a list in commit order. */
const newestOf = <A>(rows: ReadonlyArray<A>, { page, page_size }: PageRequest): Page<A> => {
  const to = Math.max(0, rows.length - (page - 1) * page_size)
  return { items: rows.slice(Math.max(0, to - page_size), to).reverse(), total: rows.length }
}

/** What a page carries, which is as much as in any store: `limits.pageBytes` of rows. */
const bounded = <A>(made: () => Page<A>): Effect.Effect<Page<A>, InvalidField> =>
  Effect.suspend(() => {
    const page = made()
    let bytes = 0
    for (const row of page.items) bytes += jsonBytes(row)
    return bytes > limits.pageBytes ? Effect.fail(pageTooLarge()) : Effect.succeed(page)
  })

const isAudited = (record: AuditRecord, filter: AuditFilter): boolean =>
  (filter.action === undefined || filter.action === record.action) &&
  (filter.actor === undefined || filter.actor === record.actor.key_id) &&
  (filter.resource_type === undefined || filter.resource_type === record.resource.type) &&
  (filter.resource_id === undefined || filter.resource_id === record.resource.id) &&
  (filter.outcome === undefined || filter.outcome === record.outcome) &&
  (filter.from_date === undefined || Date.parse(record.created_at) >= filter.from_date) &&
  (filter.to_date === undefined || Date.parse(record.created_at) <= filter.to_date)

/** Campaigns that may still expire. */
function* ending(tables: MemoryTables): Iterable<Campaign> {
  for (const campaign of tables.campaigns.values()) {
    if (campaign.end_time !== null && (campaign.status === "created" || campaign.status === "active")) yield campaign
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
export const layer = (tables: MemoryTables) => {
  const ofOrganization = (organizationId: string, executionId: string): Call | null => {
    const call = tables.calls.get(executionId)
    return call?.organization_id === organizationId ? call : null
  }
  return Layer.mergeAll(
    Layer.succeed(Store, {
      commit: (commit) => applied(() => tables.commit(commit)),
      admit: (commit, levels) => applied(() => tables.admit(commit, levels)),
      rows: (asked) => Effect.sync(() => tables.rows(asked)),
      versions: (guards) => Effect.sync(() => guards.map((guard) => tables.version(guard))),
    }),
    Layer.succeed(CallStore, {
      find: (organizationId, executionId) => Effect.sync(() => ofOrganization(organizationId, executionId)),
      locate: (executionId) => Effect.sync(() => tables.calls.get(executionId) ?? null),
      media: (organizationId, executionId) =>
        Effect.sync(() => {
          const media = tables.calls.media(executionId)
          return media?.organization_id === organizationId ? media : null
        }),
      page: (organizationId, filter, page) => bounded(() => tables.calls.page(organizationId, filter, page)),
      oldest: (organizationId, request) => Effect.sync(() => tables.calls.oldest(organizationId, request)),
      holding: (levels) => Effect.sync(() => levels.map(({ level, key }) => tables.calls.holding(level, key))),
      live: (keys) => Effect.sync(() => keys.map((key) => tables.calls.live(key))),
      onNumber: (laneId, number) => Effect.sync(() => tables.calls.onNumber(laneId, number) ?? null),
      holders: (id, limit) => Effect.sync(() => tables.calls.holders(id, limit)),
      due: (id, limit) => Effect.sync(() => after(tables.calls.due(), executionIdOf, id, limit)),
      processing: (id, limit) => Effect.sync(() => after(tables.calls.processing(), executionIdOf, id, limit)),
    }),
    Layer.succeed(AgentStore, {
      find: (organizationId, agentId) => Effect.sync(() => tables.agents.find(organizationId, agentId) ?? null),
      page: (organizationId, query, page) => bounded(() => tables.agents.page(organizationId, query, page)),
      list: (organizationId, query, request) =>
        Effect.suspend(() => {
          const { items, total } = tables.agents.page(organizationId, query, request)
          return Effect.map(Effect.forEach(items, agentLister()), (listed) => ({ items: listed, total }))
        }),
      usesKnowledgeBase: (organizationId, collection) =>
        Effect.sync(() => tables.agents.usesKnowledgeBase(organizationId, collection)),
    }),
    Layer.succeed(KeyStore, {
      findByHash: (hash) => Effect.sync(() => tables.keys.byHash(hash) ?? null),
      find: (organizationId, keyId) => Effect.sync(() => tables.keys.of(organizationId).get(keyId) ?? null),
      page: (organizationId, { page, page_size }) =>
        bounded(() => {
          const keys = [...tables.keys.of(organizationId).values()]
            .sort((a, b) => a.created_at - b.created_at)
            .reverse()
          return pageOf(keys, { page, page_size })
        }),
    }),
    Layer.succeed(AccountStore, {
      organization: (organizationId) => Effect.sync(() => tables.organizations.get(organizationId) ?? null),
      organizations: (id, limit) =>
        Effect.sync(() => after(tables.organizations.values(), organizationIdOf, id, limit)),
      platform: Effect.sync(() => tables.platform),
      purge: (organizationId) => Effect.sync(() => tables.purges.get(organizationId) ?? null),
      number: (organizationId, number) => Effect.sync(() => tables.phoneNumbers.findByKey(organizationId, number)),
      numbers: (organizationId) =>
        Effect.sync(() => tables.phoneNumbers.rows(organizationId).map(({ phone_number }) => phone_number)),
      numberCount: (organizationId) => Effect.sync(() => tables.phoneNumbers.count(organizationId)),
      numbersFrom: (organizationId, first, limit) =>
        Effect.sync(() => tables.phoneNumbers.rowsFrom(organizationId, first, limit)),
    }),
    Layer.succeed(ExperimentStore, {
      find: (organizationId, versionId) => Effect.sync(() => tables.experiments.find(organizationId, versionId)),
      active: (organizationId, agentId) => Effect.sync(() => tables.experiments.findByKey(organizationId, agentId)),
      page: (organizationId, agentId, status, page) =>
        bounded(() =>
          tables.experiments.page(
            organizationId,
            page,
            (experiment) => experiment.main_agent_id === agentId && (status === null || experiment.status === status),
          ),
        ),
    }),
    Layer.succeed(NumberStore, {
      find: (organizationId, id) => Effect.sync(() => tables.phoneNumbers.find(organizationId, id)),
      page: (organizationId, page) => bounded(() => tables.phoneNumbers.page(organizationId, page)),
      holders: (phoneNumber) => Effect.sync(() => tables.phoneNumbers.holders(phoneNumber)),
      live: (organizationId, numbers) =>
        Effect.sync(() => numbers.map((number) => tables.calls.inProgress(organizationId, number))),
      binding: (organizationId, id) => Effect.sync(() => tables.inboundAgents.find(organizationId, id)),
      bindingOf: (organizationId, numberId) =>
        Effect.sync(() => tables.inboundAgents.findByKey(organizationId, numberId)),
      bindings: (organizationId, page) => bounded(() => tables.inboundAgents.page(organizationId, page)),
    }),
    Layer.succeed(ProviderStore, {
      find: (organizationId, name) => Effect.sync(() => tables.providers.findByKey(organizationId, name)),
      page: (organizationId, page) => bounded(() => tables.providers.page(organizationId, page)),
      after: (organizationId, id, limit) =>
        Effect.sync(() => after(tables.providers.rows(organizationId), ({ provider_id }) => provider_id, id, limit)),
    }),
    Layer.succeed(CalleeStore, {
      find: (organizationId, toNumber) => Effect.sync(() => tables.callees.find(organizationId, toNumber)),
      several: (organizationId, toNumbers) =>
        Effect.sync(() => toNumbers.flatMap((toNumber) => tables.callees.find(organizationId, toNumber) ?? [])),
      suppressed: (organizationId, page) => Effect.sync(() => tables.callees.suppressed(organizationId, page)),
      oldest: (organizationId, place, limit) => Effect.sync(() => tables.callees.oldest(organizationId, place, limit)),
      known: (organizationId, last, limit) => Effect.sync(() => tables.callees.known(organizationId, last, limit)),
      hours: (organizationId) => Effect.sync(() => tables.calleeHours.get(organizationId) ?? null),
    }),
    Layer.succeed(UsageStore, {
      parts: (organizationId, range, group) =>
        Effect.sync(() => firstParts(tables.usage.parts(organizationId, range, group), group)),
      cells: (organizationId, range) => Effect.sync(() => tables.usage.cells(organizationId, range)),
      edge: (organizationId, { agent_id, from, to }, group) =>
        Effect.sync(() => {
          const filter = { from_date: from, to_date: to - 1, ...(agent_id === null ? {} : { agent_id }) }
          const { items } = tables.calls.page(organizationId, filter, { page: 1, page_size: Infinity })
          return firstParts(usageOf(items, group), group)
        }),
    }),
    Layer.succeed(IdempotencyStore, {
      begin: (request, now, expiresAt) => Effect.sync(() => tables.idempotency.begin(request, now, expiresAt)),
      keep: (request, expiresAt, answer) => Effect.sync(() => tables.idempotency.keep(request, expiresAt, answer)),
      abandon: (request, expiresAt) => Effect.sync(() => tables.idempotency.abandon(request, expiresAt)),
      forget: (now, limit) => Effect.sync(() => tables.idempotency.forget(now, limit)),
    }),
    Layer.succeed(AuditStore, {
      after: (organizationId, sequence, limit) =>
        Effect.sync(() => tables.audit.after(organizationId, sequence, limit)),
      origin: (organizationId) => Effect.sync(() => tables.audit.origin(organizationId)),
      find: (organizationId, eventId) =>
        Effect.sync(() => tables.auditTrail(organizationId).find(({ event_id }) => event_id === eventId) ?? null),
      page: (organizationId, filter, page) =>
        Effect.sync(() => {
          const trail = tables.auditTrail(organizationId)
          const isFiltered = Object.keys(filter).length > 0
          return newestOf(isFiltered ? trail.filter((record) => isAudited(record, filter)) : trail, page)
        }),
    }),
    Layer.succeed(SubscriptionStore, {
      find: (organizationId, subscriptionId) =>
        Effect.sync(() => {
          const subscription = tables.subscriptions.get(subscriptionId)
          return subscription?.organization_id === organizationId ? subscription : null
        }),
      page: (organizationId, { agent_id }, page) =>
        bounded(() => {
          const all = tables.subscriptions.of(organizationId)
          const own = agent_id === undefined ? all : all.filter((row) => row.agent_id === agent_id)
          return pageOf(own.toReversed(), page)
        }),
      after: (organizationId, id, limit) =>
        Effect.sync(() =>
          after(tables.subscriptions.of(organizationId), ({ subscription_id }) => subscription_id, id, limit),
        ),
      listeners: (organizationId, agentId) =>
        Effect.sync(() => tables.subscriptions.listeners(organizationId, agentId)),
      fallback: (organizationId) => Effect.sync(() => tables.subscriptions.fallback(organizationId)),
    }),
    Layer.succeed(DeliveryStore, {
      event: (eventId) => Effect.sync(() => tables.webhooks.event(eventId) ?? null),
      find: (organizationId, deliveryId) =>
        Effect.sync(() => {
          const delivery = tables.webhooks.delivery(deliveryId)
          return delivery?.organization_id === organizationId ? delivery : null
        }),
      locate: (deliveryId) => Effect.sync(() => tables.webhooks.delivery(deliveryId) ?? null),
      page: (organizationId, filter, page, now) =>
        bounded(() => tables.webhooks.page(organizationId, filter, page, now)),
      oldest: (organizationId, request) => Effect.sync(() => tables.webhooks.oldest(organizationId, request)),
      standings: (organizationId, asked) => Effect.sync(() => tables.webhooks.standings(organizationId, asked)),
      waiting: (id, limit) => Effect.sync(() => after(tables.webhooks.waiting(), eventIdOf, id, limit)),
      due: (id, limit) => Effect.sync(() => after(tables.webhooks.due(), deliveryIdOf, id, limit)),
      kept: (place, limit) => Effect.sync(() => tables.webhooks.kept(place, limit)),
      lastKept: Effect.sync(() => tables.webhooks.lastKept),
      expired: (now, limit) => Effect.sync(() => tables.webhooks.expired(now, limit)),
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
      callsFrom: (organizationId, phoneNumber) =>
        Effect.sync(() =>
          openCampaigns.some((status) =>
            namesCallerId(tables.campaigns.of(organizationId, "status", status), phoneNumber),
          ),
        ),
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
    retrievalLayer(tables.retrieval),
    uploadPlacesLayer(tables.uploadPlaces),
    wakeupsLayer(tables.wakeups),
  )
}
