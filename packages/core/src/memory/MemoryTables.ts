import { append, type AuditRecord, type ChainHead, headOf } from "../audit/AuditChain.ts"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Change, Commit, SlotDemand } from "../engine/Commit.ts"
import { FoundRows, type RowAsked } from "../engine/FoundRows.ts"
import { type Guard, guardName } from "../engine/Guards.ts"
import { raised } from "../engine/Put.ts"
import { laneTouched, type Revised, type TouchedLane } from "../engine/RowDescription.ts"
import { AdmissionRefused, Conflict, numberTaken } from "../engine/Store.ts"
import { type Call, holdsLine } from "../calls/Call.ts"
import type { ApiKey } from "../keys/ApiKey.ts"
import type { PhoneNumber } from "../numbers/PhoneNumber.ts"
import type { Organization, Platform } from "../organizations/Organization.ts"
import type { Campaign } from "../campaigns/Campaign.ts"
import type { HoursSetting } from "../callees/HoursRow.ts"
import type { Purge } from "../retention/PurgeRow.ts"
import { placeOf } from "../contacts/Contact.ts"
import {
  descriptions,
  type DiscardableKind,
  type Put,
  putId,
  type RemovableKind,
  replacedRevision,
  type RowKind,
  type Rows,
} from "../Rows.ts"
import { AgentTable } from "./AgentTable.ts"
import { AuditTable } from "./AuditTable.ts"
import { BatchTable } from "./BatchTable.ts"
import { CalleeTable } from "./CalleeTable.ts"
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

/** Where the rows of a kind are. */
interface Place<Row> {
  readonly get: (id: string) => Row | undefined
  /** `sequence` is the place of a new row among those that are created at the same moment. */
  readonly put: (row: Row, sequence: number) => void
  /** Whose id of an organization has the second key. */
  readonly holder?: (organizationId: string, key: string) => string | null
}

type Places = { readonly [K in RowKind]: Place<Rows[K]> }

type Removals = { readonly [K in RemovableKind | DiscardableKind]: (id: string, organizationId: string) => void }

/**
 * Every row of a world, with synchronous commits. It outlives the engine that runs on it, as a database does: a new engine may
 * be started on the same tables.
 */
export class MemoryTables {
  readonly calls = new CallTable()
  readonly agents = new AgentTable()
  readonly webhooks = new WebhookTable()
  readonly experiments = new RowTable(descriptions.experiment)
  readonly phoneNumbers = new RowTable(descriptions.phone_number)
  readonly providers = new RowTable(descriptions.provider)
  readonly inboundAgents = new RowTable(descriptions.inbound_agent)
  readonly usage = new UsageTable()
  readonly idempotency = new IdempotencyTable()
  readonly knowledge = new KnowledgeTable()
  readonly retrieval = new RetrievalTable()
  readonly uploadPlaces = new UploadPlaceTable()
  readonly wakeups = new WakeupTable()
  readonly campaigns = new ListedRows<"status", Campaign>(["status"])
  readonly batches = new BatchTable()
  readonly contacts = new ContactTable()
  readonly callees = new CalleeTable()
  readonly calleeHours = new Map<string, HoursSetting>()
  readonly tallies = new TallyTable()
  readonly lanes = new LaneTable()
  readonly audit = new AuditTable()
  readonly organizations = new Map<string, Organization>()
  readonly purges = new Map<string, Purge>()
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
  readonly #places: Places = {
    platform: {
      get: () => this.#platform ?? undefined,
      put: (platform) => {
        this.#platform = platform
      },
    },
    organization: {
      get: (id) => this.organizations.get(id),
      put: (organization) => this.organizations.set(organization.organization_id, organization),
    },
    purge: {
      get: (id) => this.purges.get(id),
      put: (purge) => this.purges.set(purge.organization_id, purge),
    },
    api_key: { get: (id) => this.#keysById.get(id), put: (key) => this.#putKey(key) },
    provider: this.providers,
    phone_number: this.phoneNumbers,
    inbound_agent: this.inboundAgents,
    experiment: this.experiments,
    agent: this.agents,
    subscription: {
      get: (id) => this.webhooks.subscription(id),
      put: (subscription) => this.webhooks.putSubscription(subscription),
      // The default subscription is the only one with a second key.
      holder: (organizationId) => this.webhooks.fallback(organizationId)?.subscription_id ?? null,
    },
    campaign: {
      get: (id) => this.campaigns.get(id),
      put: (campaign, sequence) => this.campaigns.put(campaign.campaign_id, campaign, sequence),
    },
    batch: this.batches,
    contact: {
      get: (id) => {
        const place = placeOf(id)
        return place === null ? undefined : this.contacts.get(place.batch_id, place.row)
      },
      put: (contact) => this.contacts.put(contact),
    },
    callee: this.callees,
    callee_hours: {
      get: (id) => this.calleeHours.get(id),
      put: (hours) => this.calleeHours.set(hours.organization_id, hours),
    },
    call: this.calls,
    call_media: { get: (id) => this.calls.media(id), put: (media) => this.calls.putMedia(media) },
    knowledge_base: this.knowledge.bases,
    knowledge_upload: this.knowledge.uploads,
    event: { get: (id) => this.webhooks.event(id), put: (event) => this.webhooks.putEvent(event) },
    delivery: {
      get: (id) => this.webhooks.delivery(id),
      put: (delivery, sequence) => this.webhooks.putDelivery(delivery, sequence),
    },
  }
  readonly #removals: Removals = {
    call: (id) => this.calls.erase(id),
    call_media: (id) => this.calls.removeMedia(id),
    callee: (id) => this.callees.remove(id),
    contact: (id) => {
      const place = placeOf(id)
      if (place !== null) this.contacts.remove(place.batch_id, place.row)
    },
    provider: (id) => this.providers.remove(id),
    phone_number: (id) => this.phoneNumbers.remove(id),
    inbound_agent: (id) => this.inboundAgents.remove(id),
    experiment: (id) => this.experiments.remove(id),
    subscription: (id, organizationId) => this.webhooks.removeSubscription(id, organizationId),
    knowledge_base: (id, organizationId) => this.knowledge.removeBase(organizationId, id),
    knowledge_upload: (id) => this.knowledge.uploads.remove(id),
    event: (id) => this.webhooks.removeEvent(id),
    delivery: (id) => this.webhooks.removeDelivery(id),
  }

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

  /** The rows that are asked for. */
  rows(asked: ReadonlyArray<RowAsked>): FoundRows {
    const found = new FoundRows()
    for (const one of asked) this.#find(one, found)
    return found
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

  #find<K extends RowKind>(asked: RowAsked<K>, found: FoundRows): void {
    const place = this.#places[asked.kind]
    const id = "id" in asked ? asked.id : (place.holder?.(asked.organization_id, asked.key) ?? null)
    const row = id === null ? undefined : place.get(id)
    if (row === undefined) return
    // Where only one row has a second key, nobody looks which it is.
    if ("id" in asked || descriptions[asked.kind].unique?.(row) === asked.key) found.add(asked, row)
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
      const conflict = this.#changed(change)
      if (conflict !== undefined) return conflict
    }
    return undefined
  }

  /** Whether a row stands otherwise than a change of it expects. */
  #changed(change: Change): Conflict | undefined {
    if ("row" in change) return this.#replaced(change)
    if (change.put === "erased_call") {
      const { execution_id: id, revision } = change.call
      return this.#revision("call", id) === revision ? undefined : new Conflict({ kind: "call", id })
    }
    if (change.put === "removal") {
      const { id, kind, revision } = change
      return this.#revision(kind, id) === revision ? undefined : new Conflict({ kind, id })
    }
    return undefined
  }

  #replaced<K extends RowKind>(change: Put<K>): Conflict | undefined {
    const { put: kind, row } = change
    const id = putId(change)
    const isNext = this.#revision(kind, id) === replacedRevision(change)
    return isNext && !this.#isTaken(kind, id, row) && !this.#isGone(kind, id) ? undefined : new Conflict({ kind, id })
  }

  /** Whether a contact went with what was handed in of it: one that was never touched has no revision that would say so. */
  #isGone(kind: RowKind, id: string): boolean {
    const place = kind === "contact" ? placeOf(id) : null
    return place !== null && this.contacts.isGone(place.batch_id, place.row)
  }

  /** Whether the row's second key belongs to another row. */
  #isTaken<K extends RowKind>(kind: K, id: string, row: Rows[K]): boolean {
    const key = descriptions[kind].unique?.(row) ?? null
    const { organization_id: owner = null }: Revised = row
    if (key === null || owner === null) return false
    const holder = this.#places[kind].holder?.(owner, key) ?? null
    return holder !== null && holder !== id
  }

  /** The revision of a row, 0 where there is none. */
  #revision(kind: RowKind, id: string): number {
    return this.#places[kind].get(id)?.revision ?? 0
  }

  #apply(change: Change): void {
    if ("row" in change) return this.#put(change)
    switch (change.put) {
      case "removal":
      case "discard":
        this.#removals[change.kind](change.id, change.organization_id)
        break
      case "usage":
        this.usage.add(change.delta)
        break
      case "erased_call":
        this.#erase(change.call)
        break
      case "endpoint_attempt":
        this.webhooks.attempted(change)
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

  #put<K extends RowKind>(change: { readonly put: K; readonly row: Rows[K] }): void {
    const { put: kind, row } = change
    const description = descriptions[kind]
    const before = description.takes === undefined ? undefined : this.#places[kind].get(putId(change))
    const took = before !== undefined && description.takes?.(before) === true
    this.#places[kind].put(row, this.#sequence++)
    this.#touch(laneTouched(description, row, took, true))
  }

  #erase(call: Call): void {
    this.calls.erase(call.execution_id)
    this.#touch(laneTouched(descriptions.call, call, holdsLine(call), false))
  }

  #touch(lane: TouchedLane | null): void {
    if (lane === null) return
    if (lane.lane_id === null) this.lanes.touchAll(lane.organization_id)
    else this.lanes.touch(lane.organization_id, lane.lane_id)
  }

  #putKey(key: ApiKey): void {
    this.#keysByHash.set(key.hash, key)
    this.#keysById.set(key.key_id, key)
    if (key.organization_id !== null) nested(this.#keysByOrganization, key.organization_id).set(key.key_id, key)
  }

  #debit(organizationId: string, amount: number): void {
    const organization = this.organizations.get(organizationId)
    if (organization === undefined) return
    const { balance, currency } = organization.wallet
    const wallet = { balance: balance - amount, currency }
    this.organizations.set(organizationId, raised(organization, { ...organization, wallet }))
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
