import { append, type AuditRecord, type ChainHead, emptyChain, headOf } from "../audit/AuditChain.ts"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Change, Commit, RowKind, SlotDemand } from "../engine/Commit.ts"
import { AdmissionRefused, Conflict } from "../engine/Store.ts"
import type { ApiKey } from "../keys/ApiKey.ts"
import type { Organization, PhoneNumber, Platform } from "../organizations/Organization.ts"
import { AgentTable } from "./AgentTable.ts"
import { CallTable } from "./CallTable.ts"
import { KnowledgeTable } from "./KnowledgeTable.ts"
import { RetrievalTable } from "./MemoryRetrieval.ts"
import { UploadPlaceTable } from "./MemoryUploadPlaces.ts"
import { WakeupTable } from "./MemoryWakeups.ts"

/** Commits whose ids are remembered, so that one that is sent again applies once. */
const rememberedCommits = 10_000

/**
 * Every row of a world, with synchronous commits. It outlives the engine that runs on it, as a database does: a new engine may
 * be started on the same tables.
 */
export class MemoryTables {
  readonly calls = new CallTable()
  readonly agents = new AgentTable()
  readonly knowledge = new KnowledgeTable()
  readonly retrieval = new RetrievalTable()
  readonly uploadPlaces = new UploadPlaceTable()
  readonly wakeups = new WakeupTable()
  readonly organizations = new Map<string, Organization>()
  readonly #keysByHash = new Map<string, ApiKey>()
  readonly #keysById = new Map<string, ApiKey>()
  readonly #keysByOrganization = new Map<string, Map<string, ApiKey>>()
  readonly #numbers = new Map<string, Map<string, PhoneNumber>>()
  readonly #numbersById = new Map<string, PhoneNumber>()
  readonly #audit = new Map<string, Array<AuditRecord>>()
  readonly #applied = new Set<string>()
  /** The same ids in a ring, so that forgetting the oldest needs no walk through the set. */
  readonly #recent: Array<string> = []
  #nextRecent = 0
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
    for (const record of records) this.auditTrail(record.organization_id).push(record)
    for (const listener of this.#listeners) listener(commit)
    return undefined
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
    return this.#numbers.get(organizationId) ?? new Map()
  }

  auditTrail(organizationId: string): Array<AuditRecord> {
    let chain = this.#audit.get(organizationId)
    if (chain === undefined) {
      chain = []
      this.#audit.set(organizationId, chain)
    }
    return chain
  }

  auditHead(organizationId: string): ChainHead {
    const last = this.#audit.get(organizationId)?.at(-1)
    return last === undefined ? emptyChain : headOf(last)
  }

  #recorded(entries: ReadonlyArray<AuditEntry>): ReadonlyArray<AuditRecord> {
    const heads = new Map<string, ChainHead>()
    return entries.map((entry) => {
      const record = append(heads.get(entry.organization_id) ?? this.auditHead(entry.organization_id), entry)
      heads.set(entry.organization_id, headOf(record))
      return record
    })
  }

  #conflict(commit: Commit): Conflict | undefined {
    for (const { kind, id, revision } of commit.expect) {
      if (this.#revision(kind, id) !== revision) return new Conflict({ kind, id })
    }
    for (const change of commit.changes) {
      if (change.put === "debit") continue
      if (change.put === "removal") {
        const { id, kind, revision } = change
        if (this.#revision(kind, id) !== revision) return new Conflict({ kind, id })
        continue
      }
      const id = idOf(change)
      if (change.put === "knowledge_base" && this.knowledge.isTaken(change.row)) {
        return new Conflict({ kind: "knowledge_base", id })
      }
      if (this.#revision(change.put, id) !== change.row.revision - 1) return new Conflict({ kind: change.put, id })
    }
    return undefined
  }

  /** The revision of a row, 0 where there is none. */
  #revision(kind: RowKind, id: string): number {
    switch (kind) {
      case "platform":
        return this.#platform?.revision ?? 0
      case "organization":
        return this.organizations.get(id)?.revision ?? 0
      case "phone_number":
        return this.#numbersById.get(id)?.revision ?? 0
      case "api_key":
        return this.#keysById.get(id)?.revision ?? 0
      case "agent":
        return this.agents.get(id)?.revision ?? 0
      case "call":
        return this.calls.get(id)?.revision ?? 0
      case "call_media":
        return this.calls.media(id)?.revision ?? 0
      case "knowledge_base":
        return this.knowledge.base(id)?.revision ?? 0
      case "knowledge_upload":
        return this.knowledge.upload(id)?.revision ?? 0
    }
  }

  #apply(change: Change): void {
    switch (change.put) {
      case "platform":
        this.#platform = change.row
        break
      case "organization":
        this.organizations.set(change.row.organization_id, change.row)
        break
      case "phone_number":
        this.#numbersById.set(change.row.phone_number_id, change.row)
        nested(this.#numbers, change.row.organization_id).set(change.row.phone_number, change.row)
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
        break
      case "call":
        this.calls.put(change.row, this.#sequence++)
        break
      case "call_media":
        this.calls.putMedia(change.row)
        break
      case "knowledge_base":
        this.knowledge.putBase(change.row)
        break
      case "knowledge_upload":
        this.knowledge.putUpload(change.row)
        break
      case "removal":
        if (change.kind === "knowledge_base") this.knowledge.removeBase(change.id)
        else this.knowledge.removeUpload(change.id)
        break
      case "debit":
        this.#debit(change.organization_id, change.amount)
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

const idOf = (change: Exclude<Change, { readonly put: "debit" | "removal" }>): string => {
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
    case "call":
    case "call_media":
      return change.row.execution_id
    case "knowledge_base":
      return change.row.retrieval_id
    case "knowledge_upload":
      return change.row.document_id
  }
}
