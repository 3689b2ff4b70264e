import { append, type AuditRecord, emptyChain, headOf } from "../audit/rules/AuditChain.ts"
import { laneOf } from "../batches/rules/Batch.ts"
import { isFinishedBatch } from "../batches/rules/BatchStatus.ts"
import { type Call, holdsLine } from "../calls/rules/Call.ts"
import type { CallFilter } from "../calls/ports/CallStore.ts"
import { type Contact, type ContactEntry, contactId, isWaiting, placeOf } from "../contacts/rules/Contact.ts"
import type { ContactChoice, ContactLoad, ContactMoment } from "../contacts/ports/ContactStore.ts"
import type { ContactTimes } from "../contacts/rules/ContactTimes.ts"
import type { ContactPlace, ContactRow } from "../contacts/rules/PlacedContact.ts"
import type { Change, Commit } from "../engine/rules/Commit.ts"
import type { SlotDemand } from "../Changes.ts"
import { type Guard, guardName } from "../engine/rules/Guards.ts"
import { laneTouched, type Revised, type TouchedLane } from "../engine/rules/RowDescription.ts"
import type { ConflictKind } from "../engine/ports/Store.ts"
import type { Wakeup, WakeupClaim, WakeupKind } from "../engine/rules/Wakeup.ts"
import { housekeepingWakeups } from "../engine/rules/Wakeup.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { descriptions, type Put, putId, replacedRevision, type RowKind, type Rows } from "../Rows.ts"
import { addUsage, noUsage, type UsageDelta, type UsageFigures, usageMinuteMs } from "../usage/rules/Usage.ts"
import type { UsageCell, UsageRange } from "../usage/ports/UsageStore.ts"
import type { UsageGroup } from "../usage/rules/UsageParts.ts"
import { usageOf } from "../usage/rules/UsageStretches.ts"
import { RowsByKind } from "./RowsByKind.ts"

/** Rows, guards and numbers that conflict: a store names one of them. */
export type Conflicting = ReadonlyArray<{ readonly kind: ConflictKind; readonly id: string }>

interface StandingWakeup {
  readonly wakeup: Wakeup
  /** Who handles it until when, and whether it was set again meanwhile. */
  readonly claim: { readonly token: number; readonly until: number; readonly again: boolean } | null
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

const usageKey = (group: UsageGroup, { agent_id, at, campaign_id }: UsageDelta): string | null =>
  group === "day" ? dayOf(at) : group === "agent" ? agent_id : campaign_id

/** A page of rows that are given oldest first, newest first. */
const pageOf = <Row>(oldestFirst: ReadonlyArray<Row>, { page, page_size }: PageRequest): Page<Row> => ({
  items: oldestFirst.toReversed().slice((page - 1) * page_size, page * page_size),
  total: oldestFirst.length,
})

/**
 * What a store is, said as plainly as can be: maps of rows, and every read a filter over all of them. It is what the adapters are held
 * against, so it knows no index, no lock and no counter.
 */
export class StoreModel {
  readonly #rows = new RowsByKind()
  readonly #entries = new Map<string, Array<ContactEntry | undefined>>()
  readonly #guards = new Map<string, number>()
  readonly #commits = new Set<string>()
  readonly #audit = new Map<string, Array<AuditRecord>>()
  readonly #tallies = new Map<string, { [figure: string]: number }>()
  readonly #usage: Array<UsageDelta> = []
  readonly #wakeups = new Map<string, StandingWakeup>()
  /** By organization: every lane that there ever was, and those that have changed since somebody asked. */
  readonly #lanes = new Map<string, Set<string>>()
  readonly #changed = new Map<string, Set<string>>()

  revision(kind: RowKind, id: string): number {
    return this.row(kind, id)?.revision ?? 0
  }

  version(guard: Guard): number {
    return this.#guards.get(guardName(guard)) ?? 0
  }

  row<K extends RowKind>(kind: K, id: string): Rows[K] | null {
    return this.#rows.of(kind).get(id) ?? null
  }

  /** Every row of a kind in the order of their first commits. */
  all<K extends RowKind>(kind: K): ReadonlyArray<Rows[K]> {
    return [...this.#rows.of(kind).values()]
  }

  /** The same, oldest first. */
  listed<K extends "call" | "campaign" | "batch" | "phone_number" | "provider">(kind: K): ReadonlyArray<Rows[K]> {
    return this.all(kind).toSorted((a, b) => a.created_at - b.created_at)
  }

  /** The same of one organization, those that were created before a moment; of calls those that lists show. */
  oldest<K extends "call" | "batch">(kind: K, organizationId: string, before: number): ReadonlyArray<Rows[K]> {
    const isListed = (row: Rows[K]) => !("folded_into" in row) || row.folded_into === null
    return this.listed(kind).filter(
      (row) => row.organization_id === organizationId && isListed(row) && row.created_at < before,
    )
  }

  /** Applies a commit whole or not at all. */
  commit(commit: Commit): Conflicting {
    if (this.#commits.has(commit.id)) return []
    const conflicting = this.#conflicting(commit)
    if (conflicting.length > 0) return conflicting
    this.#commits.add(commit.id)
    for (const change of commit.changes) this.#apply(change)
    for (const wakeup of commit.wakeups) {
      if ("set" in wakeup) this.setWakeup(wakeup.set)
      else this.clearWakeup(wakeup.clear.kind, wakeup.clear.subject)
    }
    for (const entry of commit.audit) {
      const trail = this.audit(entry.organization_id)
      const last = trail.at(-1)
      trail.push(append(last === undefined ? emptyChain : headOf(last), entry))
    }
    return []
  }

  /** The first level that is full by the committed calls. */
  refusing(commit: Commit, levels: ReadonlyArray<SlotDemand>) {
    if (this.#commits.has(commit.id)) return null
    for (const { ceiling, key, level } of levels) {
      const used = this.holding(level, key)
      if (ceiling !== null && used >= ceiling) return { level, used, max: ceiling }
    }
    return null
  }

  holding(level: SlotDemand["level"], key: string): number {
    return this.all("call").filter(
      (call) =>
        holdsLine(call) &&
        (level === "platform" ||
          key ===
            { organization: call.organization_id, agent: call.agent_id, campaign: call.campaign_id ?? call.batch_id }[
              level
            ]),
    ).length
  }

  calls(organizationId: string, filter: CallFilter, page: PageRequest): Page<Call> {
    const { statuses, voicemail, from_date, to_date, ...equal } = filter
    const isAsked = (call: Call): boolean => {
      if (call.organization_id !== organizationId || call.folded_into !== null) return false
      const byVoicemail = voicemail === true && call.answered_by_voicemail === true
      const byStatus = statuses?.has(call.status) ?? false
      if ((statuses !== undefined || voicemail === true) && !byStatus && !byVoicemail) return false
      if (from_date !== undefined && call.created_at < from_date) return false
      if (to_date !== undefined && call.created_at > to_date) return false
      const fields: Readonly<Record<string, unknown>> = { ...call }
      return Object.entries(equal).every(([field, value]) => fields[field] === value)
    }
    return pageOf(this.listed("call").filter(isAsked), page)
  }

  page<K extends "campaign" | "batch" | "phone_number" | "provider">(
    kind: K,
    page: PageRequest,
    isAsked: (row: Rows[K]) => boolean,
  ): Page<Rows[K]> {
    return pageOf(this.listed(kind).filter(isAsked), page)
  }

  unfinished(laneId: string) {
    return this.listed("batch").filter((batch) => laneOf(batch) === laneId && !isFinishedBatch(batch.status))
  }

  audit(organizationId: string): Array<AuditRecord> {
    const trail = this.#audit.get(organizationId) ?? []
    this.#audit.set(organizationId, trail)
    return trail
  }

  tally(subject: string): Readonly<Record<string, number>> {
    return this.#tallies.get(subject) ?? {}
  }

  usage(organizationId: string, { agent_id, from, to }: UsageRange, group: UsageGroup) {
    const parts = new Map<string | null, UsageFigures>()
    for (const delta of this.#usage) {
      if (delta.organization_id !== organizationId || delta.at < from || delta.at >= to) continue
      if (agent_id !== null && delta.agent_id !== agent_id) continue
      const key = usageKey(group, delta)
      parts.set(key, addUsage(parts.get(key) ?? noUsage, delta))
    }
    return [...parts].map(([key, figures]) => ({ key, figures }))
  }

  cells(organizationId: string, { from, to }: Pick<UsageRange, "from" | "to">): ReadonlyArray<UsageCell> {
    const cells = new Map<string, UsageCell>()
    for (const delta of this.#usage) {
      const at = Math.floor(delta.at / usageMinuteMs) * usageMinuteMs
      if (delta.organization_id !== organizationId || at < from || at >= to) continue
      const { agent_id, campaign_id } = delta
      const name = JSON.stringify([at, agent_id, campaign_id])
      const figures = addUsage(cells.get(name)?.figures ?? noUsage, delta)
      cells.set(name, { at, agent_id, campaign_id, figures })
    }
    const keyOf = ({ agent_id, campaign_id }: UsageCell) => [agent_id, campaign_id ?? ""].join("\u0000")
    return [...cells.values()].toSorted((a, b) => a.at - b.at || (keyOf(a) < keyOf(b) ? -1 : 1))
  }

  edge(organizationId: string, { agent_id, from, to }: UsageRange, group: UsageGroup) {
    const filter = { from_date: from, to_date: to - 1, ...(agent_id === null ? {} : { agent_id }) }
    return usageOf(this.calls(organizationId, filter, { page: 1, page_size: Infinity }).items, group)
  }

  fill(batchId: string, fromRow: number, entries: ReadonlyArray<ContactEntry>): void {
    const kept = this.#entries.get(batchId) ?? []
    this.#entries.set(batchId, kept)
    for (const [index, entry] of entries.entries()) kept[fromRow + index] = entry
  }

  replace(batchId: string, row: number, entry: ContactEntry): void {
    const kept = this.#entries.get(batchId)
    if (kept?.[row] !== undefined) kept[row] = entry
  }

  discard(batchId: string): void {
    this.#entries.delete(batchId)
  }

  contacts(batchId: string): ReadonlyArray<ContactRow> {
    return (this.#entries.get(batchId) ?? []).flatMap((entry, row) =>
      entry === undefined
        ? []
        : [{ batch_id: batchId, row, entry, contact: this.row("contact", contactId(batchId, row)) }],
    )
  }

  /** The contacts that wait for a time, and those of them whose time has come. */
  #queue(batchIds: ReadonlyArray<string>, { in_hours, now }: ContactMoment) {
    const rows = batchIds.flatMap((id) => this.contacts(id))
    const waiting = rows.filter(
      ({ contact }) => contact !== null && isWaiting(contact.status) && contact.eligible_at !== null,
    )
    const at = ({ contact }: ContactRow) => contact?.eligible_at ?? Infinity
    const later = waiting.filter((row) => at(row) > now)
    const due = waiting.filter((row) => at(row) <= now && (in_hours || row.contact?.in_hours_only === false))
    return { at, due, later, fresh: rows.filter(({ contact }) => contact === null), waiting }
  }

  next(
    batchIds: ReadonlyArray<string>,
    moment: ContactMoment,
    besides: ReadonlyArray<ContactPlace>,
    choice: ContactChoice,
  ): ContactRow | null {
    const { at, due, fresh } = this.#queue(batchIds, moment)
    const left = due.filter(
      ({ batch_id, contact, row }) =>
        !besides.some((place) => place.batch_id === batch_id && place.row === row) &&
        (choice === "all" || contact?.holds === 0),
    )
    return left.toSorted((a, b) => at(a) - at(b))[0] ?? fresh[0] ?? null
  }

  load(batchIds: ReadonlyArray<string>, moment: ContactMoment): ContactLoad {
    const { at, due, fresh, later, waiting } = this.#queue(batchIds, moment)
    return {
      dialable: due.length + fresh.length,
      waits: waiting.length > due.length,
      next_due: later.length === 0 ? null : Math.min(...later.map(at)),
    }
  }

  times(batchIds: ReadonlyArray<string>, now: number): ContactTimes {
    const { at, waiting } = this.#queue(batchIds, { now, in_hours: true })
    const wait = (some: ReadonlyArray<ContactRow>) => ({
      contacts: some.length,
      next_due: some.length === 0 ? null : Math.min(...some.map(at)),
    })
    const last = (some: ReadonlyArray<ContactRow>) => (some.length === 0 ? null : Math.max(...some.map(at)))
    const later = waiting.filter((row) => at(row) > now)
    const isHeld = ({ contact }: ContactRow) => (contact?.holds ?? 0) > 0
    const isInHours = ({ contact }: ContactRow) => contact?.in_hours_only === true
    return {
      held: wait(later.filter(isHeld)),
      planned: wait(later.filter((row) => !isHeld(row))),
      last: {
        anytime: last(waiting.filter((row) => !isInHours(row))),
        in_hours: last(waiting.filter(isInHours)),
      },
    }
  }

  waitingForNumber(): ReadonlyArray<Contact> {
    return this.all("contact").filter((contact) => isWaiting(contact.status) && contact.waits_for_number)
  }

  /** The lanes of an organization that have changed since this was asked last. */
  changedLanes(organizationId: string): ReadonlyArray<string> {
    const changed = [...(this.#changed.get(organizationId) ?? [])]
    this.#changed.delete(organizationId)
    return changed
  }

  setWakeup(wakeup: Wakeup): void {
    const key = `${wakeup.kind} ${wakeup.subject}`
    const claim = this.#wakeups.get(key)?.claim ?? null
    this.#wakeups.set(key, { wakeup, claim: claim === null ? null : { ...claim, again: true } })
  }

  setWakeupAnew({ at, kind, subject }: Wakeup): void {
    const known = this.#wakeups.get(`${kind} ${subject}`)?.wakeup.at ?? Infinity
    this.clearWakeup(kind, subject)
    this.setWakeup({ kind, subject, at: Math.min(at, known) })
  }

  clearWakeup(kind: WakeupKind, subject: string): void {
    this.#wakeups.delete(`${kind} ${subject}`)
  }

  /** Which wake-ups would be claimed, earliest first. */
  due(now: number, limit: number): ReadonlyArray<Wakeup> {
    return [...this.#wakeups.values()]
      .filter(({ claim, wakeup }) => wakeup.at <= now && (claim === null || claim.until <= now))
      .map(({ wakeup }) => wakeup)
      .toSorted((a, b) => a.at - b.at)
      .slice(0, limit)
  }

  /** What was claimed, and with it the end of claims whose lease is over while the wake-up is set for later. */
  claimed(claims: ReadonlyArray<WakeupClaim>, now: number, leaseMs: number): void {
    for (const { at, kind, subject, token } of claims) {
      const claim = { token, until: now + leaseMs, again: false }
      this.#wakeups.set(`${kind} ${subject}`, { wakeup: { kind, subject, at }, claim })
    }
    for (const [key, { claim, wakeup }] of this.#wakeups) {
      if (claim === null || claim.until > now || wakeup.at <= now) continue
      this.#wakeups.set(key, { wakeup, claim: null })
    }
  }

  /** Ends a claim that is still in force; what was set meanwhile stays. */
  endClaim({ kind, subject, token }: WakeupClaim, again: number | null): number | null {
    const key = `${kind} ${subject}`
    const known = this.#wakeups.get(key)
    if (known?.claim?.token !== token) return null
    const at = known.claim.again ? known.wakeup.at : again
    if (at === null) this.#wakeups.delete(key)
    else this.#wakeups.set(key, { wakeup: { kind, subject, at }, claim: null })
    return at
  }

  nextWakeup(housekeeping: boolean): number | null {
    const times = [...this.#wakeups.values()]
      .filter(({ wakeup }) => housekeeping || !housekeepingWakeups.has(wakeup.kind))
      .map(({ claim, wakeup }) => claim?.until ?? wakeup.at)
    return times.length === 0 ? null : Math.min(...times)
  }

  #conflicting({ changes, expect }: Commit): Conflicting {
    const found = expect.flatMap((expected): Conflicting => {
      if ("guard" in expected) {
        const { guard, version } = expected
        return this.version(guard) === version ? [] : [{ kind: guard.set, id: guard.id }]
      }
      if ("held" in expected) throw new Error("The model knows no keys of requests.")
      if ("free" in expected) {
        const { lane_id, to_number } = expected.free
        const isTaken = this.all("call").some(
          (call) => holdsLine(call) && (call.campaign_id ?? call.batch_id) === lane_id && call.to_number === to_number,
        )
        return isTaken ? [{ kind: "lane_number", id: `${lane_id} ${to_number}` }] : []
      }
      const { id, kind, revision } = expected
      return this.revision(kind, id) === revision ? [] : [{ kind, id }]
    })
    return [
      ...found,
      ...changes.flatMap((change): Conflicting => {
        if (change.put === "removal") {
          const { id, kind, revision } = change
          return this.revision(kind, id) === revision ? [] : [{ kind, id }]
        }
        if (change.put === "erased_call") {
          const { execution_id: id, revision } = change.call
          return this.revision("call", id) === revision ? [] : [{ kind: "call", id }]
        }
        return "row" in change ? this.#replacing(change) : []
      }),
    ]
  }

  #replacing<K extends RowKind>(change: Put<K>): Conflicting {
    const { put: kind, row } = change
    const id = putId(change)
    const { id: idOf, unique } = descriptions[kind]
    const key = unique?.(row) ?? null
    const ownerOf = ({ organization_id }: Revised) => organization_id
    const isTaken = this.all(kind).some(
      (other) => key !== null && unique?.(other) === key && ownerOf(other) === ownerOf(row) && idOf(other) !== id,
    )
    return this.revision(kind, id) === replacedRevision(change) && !isTaken ? [] : [{ kind, id }]
  }

  #apply(change: Change): void {
    if ("row" in change) this.#touchFor(change)
    switch (change.put) {
      case "erased_call":
        this.#touchLane(laneTouched(descriptions.call, change.call, holdsLine(change.call), false))
        break
      case "discard":
        if (change.kind === "contact") this.#forget(change.id)
        break
      case "tally": {
        const tally = { ...this.tally(change.subject) }
        for (const [figure, by] of Object.entries(change.add)) tally[figure] = (tally[figure] ?? 0) + by
        this.#tallies.set(change.subject, tally)
        return
      }
      case "usage":
        this.#usage.push(change.delta)
        return
      case "guard":
        this.#guards.set(guardName(change.guard), this.version(change.guard) + 1)
        return
      default:
    }
    this.#rows.apply(change)
  }

  /** A contact goes with what was handed in of it. */
  #forget(id: string): void {
    const place = placeOf(id)
    const entries = place === null ? undefined : this.#entries.get(place.batch_id)
    if (place !== null && entries?.[place.row] !== undefined) entries[place.row] = undefined
  }

  #touch(organizationId: string, ...lanes: ReadonlyArray<string>): void {
    for (const names of [this.#lanes, this.#changed]) {
      names.set(organizationId, new Set([...(names.get(organizationId) ?? []), ...lanes]))
    }
  }

  #touchAll(organizationId: string): void {
    const lanes = this.#lanes.get(organizationId)
    if (lanes !== undefined) this.#touch(organizationId, ...lanes)
  }

  /** What a row that is put means to lanes, by how it stood before. */
  #touchFor<K extends RowKind>(change: { readonly put: K; readonly row: Rows[K] }): void {
    const description = descriptions[change.put]
    const before = this.row(change.put, putId(change))
    const took = before !== null && description.takes?.(before) === true
    this.#touchLane(laneTouched(description, change.row, took, true))
  }

  #touchLane(lane: TouchedLane | null): void {
    if (lane === null) return
    if (lane.lane_id === null) this.#touchAll(lane.organization_id)
    else this.#touch(lane.organization_id, lane.lane_id)
  }
}
