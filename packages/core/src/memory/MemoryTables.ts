import { append, type AuditRecord, type ChainHead, headOf } from "../audit/AuditChain.ts"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Change, Commit, RowKind, SlotDemand } from "../engine/Commit.ts"
import { type Guard, guardName } from "../engine/Guards.ts"
import { AdmissionRefused, Conflict, numberTaken } from "../engine/Store.ts"
import { type Call, holdsLine } from "../calls/Call.ts"
import type { Experiment } from "../experiments/Experiment.ts"
import type { InboundAgent } from "../inbound/InboundAgent.ts"
import type { ApiKey } from "../keys/ApiKey.ts"
import type { PhoneNumber } from "../numbers/PhoneNumber.ts"
import type { Organization, Platform } from "../organizations/Organization.ts"
import type { Provider } from "../providers/Provider.ts"
import { laneOf } from "../batches/Batch.ts"
import type { Campaign } from "../campaigns/Campaign.ts"
import { placeOf } from "../contacts/Contact.ts"
import { AgentTable } from "./AgentTable.ts"
import { AuditTable } from "./AuditTable.ts"
import { BatchTable } from "./BatchTable.ts"
import { CallTable } from "./CallTable.ts"
import { ContactTable } from "./ContactTable.ts"
import { KnowledgeTable } from "./KnowledgeTable.ts"
import { LaneTable } from "./LaneTable.ts"
import { ListedRows } from "./ListedRows.ts"
import { IdempotencyTable } from "./IdempotencyTable.ts"
import { RetrievalTable } from "./MemoryRetrieval.ts"
import { UploadPlaceTable } from "./MemoryUploadPlaces.ts"
import { WakeupTable } from "./MemoryWakeups.ts"
import { WebhookTable } from "./WebhookTable.ts"
import { TallyTable } from "./TallyTable.ts"
import { RowTable } from "./RowTable.ts"
import { UsageTable } from "./UsageTable.ts"

/** Commits whose ids are remembered, so that one that is sent again applies once. */
const rememberedCommits = 10_000

/**
 * Every row of a world, with synchronous commits. It outlives the engine that runs on it, as a database does: a new engine may
 * be started on the same tables.
 */
export class MemoryTables {
  readonly calls = new CallTable()
  readonly agents = new AgentTable()
  readonly webhooks = new WebhookTable()
  readonly experiments = new RowTable<Experiment>(
    (experiment) => experiment.version_id,
    ({ main_agent_id, status }) => (status === "active" ? main_agent_id : null),
  )
  readonly phoneNumbers = new RowTable<PhoneNumber>(
    (number) => number.phone_number_id,
    (number) => number.phone_number,
  )
  readonly providers = new RowTable<Provider>(
    (provider) => provider.provider_id,
    (provider) => provider.provider_name,
  )
  readonly inboundAgents = new RowTable<InboundAgent>(
    (binding) => binding.inbound_agent_id,
    (binding) => binding.phone_number_id,
  )
  readonly usage = new UsageTable()
  readonly idempotency = new IdempotencyTable()
  readonly knowledge = new KnowledgeTable()
  readonly retrieval = new RetrievalTable()
  readonly uploadPlaces = new UploadPlaceTable()
  readonly wakeups = new WakeupTable()
  readonly campaigns = new ListedRows<"status", Campaign>(["status"])
  readonly batches = new BatchTable()
  readonly contacts = new ContactTable()
  readonly tallies = new TallyTable()
  readonly lanes = new LaneTable()
  readonly audit = new AuditTable()
  readonly organizations = new Map<string, Organization>()
  readonly #keysByHash = new Map<string, ApiKey>()
  readonly #keysById = new Map<string, ApiKey>()
  readonly #keysByOrganization = new Map<string, Map<string, ApiKey>>()
  readonly #applied = new Set<string>()
  /** The same ids in a ring, so that forgetting the oldest needs no walk through the set. */
  readonly #recent: Array<string> = []
  #nextRecent = 0
  readonly #guards = new Map<string, number>()
  readonly #listeners = new Set<(commit: Commit) => void>()
  #platform: Platform | null = null
  #sequence = 0

  /** Calls back synchronously after every commit, in commit order. Returns how to stop. */
  onCommit(listener: (commit: Commit) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Applies a commit whole or not at all. */
  commit(commit: Commit): Conflict | undefined {
    if (this.#applied.has(commit.id)) return undefined
    const conflict = this.#conflict(commit)
    if (conflict !== undefined) return conflict
    // What the chain refuses must not leave half a commit behind.
    const records = this.#recorded(commit.audit)
    this.#remember(commit.id)
    for (const change of commit.changes) this.#apply(change)
    for (const wakeup of commit.wakeups) {
      if ("set" in wakeup) this.wakeups.set(wakeup.set)
      else this.wakeups.clear(wakeup.clear.kind, wakeup.clear.subject)
    }
    for (const record of records) this.audit.push(record)
    for (const listener of this.#listeners) listener(commit)
    return undefined
  }

  /** Enters a row as it stands elsewhere, whatever its revision; nobody is told of it. */
  restore(change: Change): void {
    this.#apply(change)
  }

  /** Applies a commit while the committed calls leave room at every level. */
  admit(commit: Commit, levels: ReadonlyArray<SlotDemand>): Conflict | AdmissionRefused | undefined {
    if (this.#applied.has(commit.id)) return undefined
    for (const { level, key, ceiling } of levels) {
      const used = this.calls.holding(level, key)
      if (ceiling !== null && used >= ceiling) return new AdmissionRefused({ level, used, max: ceiling })
    }
    return this.commit(commit)
  }

  /** How often a guard was raised. */
  version(guard: Guard): number {
    return this.#guards.get(guardName(guard)) ?? 0
  }

  get platform(): Platform | null {
    return this.#platform
  }

  keyByHash(hash: string): ApiKey | undefined {
    return this.#keysByHash.get(hash)
  }

  /** The keys of an organization, oldest first. */
  keys(organizationId: string): ReadonlyMap<string, ApiKey> {
    return this.#keysByOrganization.get(organizationId) ?? new Map()
  }

  /** The numbers of an organization by their text, in the order of registration. */
  numbers(organizationId: string): ReadonlyMap<string, PhoneNumber> {
    return new Map(this.phoneNumbers.rows(organizationId).map((number) => [number.phone_number, number]))
  }

  /** The audit records of an organization that are kept, oldest first. */
  auditTrail(organizationId: string): Array<AuditRecord> {
    return this.audit.records(organizationId)
  }

  #recorded(entries: ReadonlyArray<AuditEntry>): ReadonlyArray<AuditRecord> {
    const heads = new Map<string, ChainHead>()
    return entries.map((entry) => {
      const record = append(heads.get(entry.organization_id) ?? this.audit.head(entry.organization_id), entry)
      heads.set(entry.organization_id, headOf(record))
      return record
    })
  }

  #conflict(commit: Commit): Conflict | undefined {
    for (const expected of commit.expect) {
      if ("guard" in expected) {
        const { guard, version } = expected
        if (this.version(guard) !== version) return new Conflict({ kind: guard.set, id: guard.id })
        continue
      }
      if ("free" in expected) {
        const { lane_id, to_number } = expected.free
        if (this.calls.onNumber(lane_id, to_number) !== undefined) return numberTaken(expected.free)
        continue
      }
      const { kind, id, revision } = expected
      if (this.#revision(kind, id) !== revision) return new Conflict({ kind, id })
    }
    for (const change of commit.changes) {
      if (change.put === "erased_call") {
        const { execution_id, revision } = change.call
        if (this.#revision("call", execution_id) !== revision) return new Conflict({ kind: "call", id: execution_id })
        continue
      }
      if (change.put === "removal") {
        const { id, kind, revision } = change
        if (this.#revision(kind, id) !== revision) return new Conflict({ kind, id })
        continue
      }
      if (isRelative(change)) continue
      const id = idOf(change)
      if (this.#revision(change.put, id) !== change.row.revision - 1) return new Conflict({ kind: change.put, id })
      if (change.put === "subscription" && this.webhooks.isSecondDefault(change.row)) {
        return new Conflict({ kind: "subscription", id })
      }
      if (this.#isTaken(change)) return new Conflict({ kind: change.put, id })
    }
    return undefined
  }

  /** Whether the row's second key belongs to another row. */
  #isTaken(change: Exclude<Change, RelativeChange>): boolean {
    switch (change.put) {
      case "phone_number":
        return this.phoneNumbers.isTaken(change.row)
      case "experiment":
        return this.experiments.isTaken(change.row)
      case "provider":
        return this.providers.isTaken(change.row)
      case "inbound_agent":
        return this.inboundAgents.isTaken(change.row)
      case "knowledge_base":
        return this.knowledge.bases.isTaken(change.row)
      default:
        return false
    }
  }

  /** The revision of a row, 0 where there is none. */
  #revision(kind: RowKind, id: string): number {
    switch (kind) {
      case "platform":
        return this.#platform?.revision ?? 0
      case "organization":
        return this.organizations.get(id)?.revision ?? 0
      case "phone_number":
        return this.phoneNumbers.revision(id)
      case "experiment":
        return this.experiments.revision(id)
      case "provider":
        return this.providers.revision(id)
      case "inbound_agent":
        return this.inboundAgents.revision(id)
      case "knowledge_base":
        return this.knowledge.bases.revision(id)
      case "knowledge_upload":
        return this.knowledge.uploads.revision(id)
      case "api_key":
        return this.#keysById.get(id)?.revision ?? 0
      case "agent":
        return this.agents.get(id)?.revision ?? 0
      case "call":
        return this.calls.get(id)?.revision ?? 0
      case "call_media":
        return this.calls.media(id)?.revision ?? 0
      case "subscription":
        return this.webhooks.subscription(id)?.revision ?? 0
      case "event":
        return this.webhooks.event(id)?.revision ?? 0
      case "delivery":
        return this.webhooks.delivery(id)?.revision ?? 0
      case "campaign":
        return this.campaigns.get(id)?.revision ?? 0
      case "batch":
        return this.batches.get(id)?.revision ?? 0
      case "contact": {
        const place = placeOf(id)
        return place === null ? 0 : (this.contacts.get(place.batch_id, place.row)?.revision ?? 0)
      }
    }
  }

  #apply(change: Change): void {
    switch (change.put) {
      case "platform":
        this.#platform = change.row
        break
      case "organization":
        this.organizations.set(change.row.organization_id, change.row)
        this.lanes.touchAll(change.row.organization_id)
        break
      case "phone_number":
        this.phoneNumbers.put(change.row)
        break
      case "experiment":
        this.experiments.put(change.row)
        break
      case "provider":
        this.providers.put(change.row)
        break
      case "inbound_agent":
        this.inboundAgents.put(change.row)
        break
      case "knowledge_base":
        this.knowledge.bases.put(change.row)
        break
      case "knowledge_upload":
        this.knowledge.uploads.put(change.row)
        break
      case "removal":
        this.#remove(change)
        break
      case "usage":
        this.usage.add(change.delta)
        break
      case "api_key":
        this.#keysByHash.set(change.row.hash, change.row)
        this.#keysById.set(change.row.key_id, change.row)
        if (change.row.organization_id !== null) {
          nested(this.#keysByOrganization, change.row.organization_id).set(change.row.key_id, change.row)
        }
        break
      case "agent":
        this.agents.put(change.row)
        this.lanes.touchAll(change.row.organization_id)
        break
      case "call":
        this.#lines(this.calls.get(change.row.execution_id), change.row)
        this.calls.put(change.row, this.#sequence++)
        break
      case "erased_call":
        this.#lines(change.call, undefined)
        this.calls.erase(change.call.execution_id)
        break
      case "call_media":
        this.calls.putMedia(change.row)
        break
      case "subscription":
        this.webhooks.putSubscription(change.row)
        break
      case "event":
        this.webhooks.putEvent(change.row)
        break
      case "delivery":
        this.webhooks.putDelivery(change.row, this.#sequence++)
        break
      case "endpoint_attempt":
        this.webhooks.attempted(change)
        break
      case "discard":
        this.webhooks.remove(change)
        break
      case "campaign":
        this.campaigns.put(change.row.campaign_id, change.row, this.#sequence++)
        this.lanes.touch(change.row.organization_id, change.row.campaign_id)
        break
      case "batch":
        this.batches.put(change.row, this.#sequence++)
        this.lanes.touch(change.row.organization_id, laneOf(change.row))
        break
      case "contact":
        this.contacts.put(change.row)
        this.lanes.touch(change.row.organization_id, laneOf(change.row))
        break
      case "tally":
        this.tallies.add(change.subject, change.add)
        break
      case "guard":
        this.#guards.set(guardName(change.guard), this.version(change.guard) + 1)
        break
      case "debit":
        this.#debit(change.organization_id, change.amount)
    }
  }

  /** A line taken or given back changes the load of its lane. */
  #lines(before: Call | undefined, after: Call | undefined): void {
    const call = after ?? before
    if (call === undefined || call.batch_id === null) return
    if ((before !== undefined && holdsLine(before)) === (after !== undefined && holdsLine(after))) return
    this.lanes.touch(call.organization_id, laneOf({ batch_id: call.batch_id, campaign_id: call.campaign_id }))
  }

  #remove({ id, kind, organization_id }: Extract<Change, { readonly put: "removal" }>): void {
    switch (kind) {
      case "phone_number":
        return this.phoneNumbers.remove(id)
      case "experiment":
        return this.experiments.remove(id)
      case "provider":
        return this.providers.remove(id)
      case "inbound_agent":
        return this.inboundAgents.remove(id)
      case "knowledge_base":
        return this.knowledge.removeBase(organization_id, id)
      case "knowledge_upload":
        return this.knowledge.uploads.remove(id)
    }
  }

  #debit(organizationId: string, amount: number): void {
    const organization = this.organizations.get(organizationId)
    if (organization === undefined) return
    const { balance, currency } = organization.wallet
    this.organizations.set(organizationId, {
      ...organization,
      revision: organization.revision + 1,
      wallet: { balance: balance - amount, currency },
    })
  }

  #remember(commitId: string): void {
    const oldest = this.#recent[this.#nextRecent]
    if (oldest !== undefined) this.#applied.delete(oldest)
    this.#applied.add(commitId)
    this.#recent[this.#nextRecent] = commitId
    this.#nextRecent = (this.#nextRecent + 1) % rememberedCommits
  }
}

const nested = <A>(outer: Map<string, Map<string, A>>, key: string): Map<string, A> => {
  let inner = outer.get(key)
  if (inner === undefined) {
    inner = new Map()
    outer.set(key, inner)
  }
  return inner
}

type RelativeChange = Extract<
  Change,
  { readonly put: "debit" | "usage" | "tally" | "guard" | "endpoint_attempt" | "discard" }
>

/** Changes that rest on no revision. */
const isRelative = (change: Change): change is RelativeChange =>
  change.put === "debit" ||
  change.put === "usage" ||
  change.put === "tally" ||
  change.put === "guard" ||
  change.put === "endpoint_attempt" ||
  change.put === "discard"

const idOf = (change: Extract<Change, { readonly put: RowKind }>): string => {
  switch (change.put) {
    case "platform":
      return change.row.platform_id
    case "organization":
      return change.row.organization_id
    case "phone_number":
      return change.row.phone_number_id
    case "api_key":
      return change.row.key_id
    case "agent":
      return change.row.agent_id
    case "experiment":
      return change.row.version_id
    case "provider":
      return change.row.provider_id
    case "inbound_agent":
      return change.row.inbound_agent_id
    case "knowledge_base":
      return change.row.retrieval_id
    case "knowledge_upload":
      return change.row.document_id
    case "call":
    case "call_media":
      return change.row.execution_id
    case "subscription":
      return change.row.subscription_id
    case "event":
      return change.row.event_id
    case "delivery":
      return change.row.delivery_id
    case "campaign":
      return change.row.campaign_id
    case "batch":
      return change.row.batch_id
    case "contact":
      return change.row.contact_id
  }
}
