import { append, type AuditRecord, type ChainHead, headOf } from "../audit/rules/AuditChain.ts"
import type { AuditEntry } from "../engine/rules/AuditEntry.ts"
import { type Call, holdsLine } from "../calls/rules/Call.ts"
import type { Change, Commit } from "../engine/rules/Commit.ts"
import type { SlotDemand } from "../Changes.ts"
import { FoundRows, type RowAsked } from "../engine/rules/FoundRows.ts"
import { type Guard, guardName } from "../engine/rules/Guards.ts"
import { laneTouched, type TouchedLane } from "../engine/rules/RowDescription.ts"
import { AdmissionRefused, type Conflict } from "../engine/ports/Store.ts"
import type { PhoneNumber } from "../numbers/rules/PhoneNumber.ts"
import type { Platform } from "../organizations/rules/Organization.ts"
import { descriptions, putId, type RowKind, type Rows } from "../Rows.ts"
import { AppliedCommits } from "./AppliedCommits.ts"
import { Conflicts } from "./Conflicts.ts"
import { placesIn, removalsIn } from "./RowPlaces.ts"
import { Tables } from "./Tables.ts"

/** Commits whose ids are remembered, so that one that is sent again applies once. */
const rememberedCommits = 10_000

/**
 * Every row of a world, with synchronous commits. It outlives the engine that runs on it, as a database does: a new engine may
 * be started on the same tables.
 */
export class MemoryTables extends Tables {
  readonly #applied = new AppliedCommits(rememberedCommits)
  readonly #guards = new Map<string, number>()
  readonly #listeners = new Set<(commit: Commit) => void>()
  #platform: Platform | null = null
  #sequence = 0
  readonly #places = placesIn(this, {
    get: () => this.#platform ?? undefined,
    put: (platform) => {
      this.#platform = platform
    },
  })
  readonly #removals = removalsIn(this)
  readonly #conflicts = new Conflicts(this, this.#places, (guard) => this.version(guard))

  /** Calls back synchronously after every commit, in commit order. Returns how to stop. */
  onCommit(listener: (commit: Commit) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Applies a commit whole or not at all. */
  commit(commit: Commit): Conflict | undefined {
    if (this.#applied.has(commit.id)) return undefined
    const conflict = this.#conflicts.of(commit)
    if (conflict !== undefined) return conflict
    // What the chain refuses must not leave half a commit behind.
    const records = this.#recorded(commit.audit)
    this.#applied.add(commit.id)
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

  /** Enters how often a guard was raised elsewhere. */
  restoreGuard(guard: Guard, version: number): void {
    this.#guards.set(guardName(guard), version)
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
        this.subscriptions.attempted(change)
        break
      case "tally":
        this.tallies.add(change.subject, change.add)
        break
      case "guard":
        this.#guards.set(guardName(change.guard), this.version(change.guard) + 1)
        break
      case "debit":
      case "balance":
        this.organizations.charge(change)
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
}
