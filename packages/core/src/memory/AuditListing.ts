import type { AuditFilter } from "../audit/ports/AuditStore.ts"
import type { AuditRecord } from "../audit/rules/AuditChain.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { FieldIndex, narrowestOf } from "./FieldIndex.ts"
import { OrderedIndex } from "./OrderedIndex.ts"

/** A record in the order of its chain: with the latest time that it or one before it has, so that times are in this order, too. */
interface AuditPlace {
  readonly created_at: number
  readonly sequence: number
  readonly record: AuditRecord
}

type Field = Exclude<keyof AuditFilter, "from_date" | "to_date">

const valueOf: { readonly [field in Field]: (record: AuditRecord) => string | null } = {
  action: ({ action }) => action,
  actor: ({ actor }) => actor.key_id,
  resource_type: ({ resource }) => resource.type,
  resource_id: ({ resource }) => resource.id,
  outcome: ({ outcome }) => outcome,
}

const fields: ReadonlyArray<Field> = ["action", "actor", "resource_type", "resource_id", "outcome"]

const isAudited = (record: AuditRecord, filter: AuditFilter): boolean =>
  fields.every((field) => filter[field] === undefined || filter[field] === valueOf[field](record)) &&
  (filter.from_date === undefined || Date.parse(record.created_at) >= filter.from_date) &&
  (filter.to_date === undefined || Date.parse(record.created_at) <= filter.to_date)

/** The audit trail of one organization by what it is filtered by. Each filter that is asked for alone costs a page and no more, and so do dates with it. */
export class AuditListing {
  readonly #byId = new Map<string, AuditPlace>()
  readonly #all = new OrderedIndex<AuditPlace>()
  readonly #by: { readonly [field in Field]: FieldIndex<AuditPlace> } = {
    action: new FieldIndex(),
    actor: new FieldIndex(),
    resource_type: new FieldIndex(),
    resource_id: new FieldIndex(),
    outcome: new FieldIndex(),
  }
  #latest = -Infinity
  /** Whether no record is earlier than the one before it: a clock may be set back. */
  #isInOrder = true

  add(record: AuditRecord): void {
    const at = Date.parse(record.created_at)
    this.#isInOrder &&= at >= this.#latest
    this.#latest = Math.max(this.#latest, at)
    const place: AuditPlace = { created_at: this.#latest, sequence: record.sequence, record }
    this.#byId.set(record.event_id, place)
    this.#all.add(place)
    for (const field of fields) {
      const value = valueOf[field](record)
      if (value !== null) this.#by[field].add(value, place)
    }
  }

  remove(record: AuditRecord): void {
    const place = this.#byId.get(record.event_id)
    if (place === undefined) return
    this.#byId.delete(record.event_id)
    this.#all.remove(place)
    for (const field of fields) {
      const value = valueOf[field](record)
      if (value !== null) this.#by[field].remove(value, place)
    }
  }

  find(eventId: string): AuditRecord | null {
    return this.#byId.get(eventId)?.record ?? null
  }

  /** Newest first. */
  page(filter: AuditFilter, request: PageRequest): Page<AuditRecord> {
    const { asked, index } = narrowestOf(this.#all, this.#by, fields, filter)
    const isEach = asked < 2 && (this.#isInOrder || (filter.from_date === undefined && filter.to_date === undefined))
    const { items, total } = index.page(request, {
      order: "newest first",
      within: index.range(filter.from_date, this.#isInOrder ? filter.to_date : undefined),
      isWanted: isEach ? undefined : ({ record }) => isAudited(record, filter),
    })
    return { items: items.map(({ record }) => record), total }
  }
}
