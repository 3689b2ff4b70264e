import type { OldestRequest, Page, PageRequest, Placed } from "../Pagination.ts"
import { type PageReading, OrderedIndex } from "./OrderedIndex.ts"

/** What a listed row must have. */
interface Listed {
  readonly organization_id: string
  readonly created_at: number
}

/** A stored row with its place in the order of lists. The entry is stable while the row is replaced. */
interface Entry<Row> {
  readonly created_at: number
  readonly sequence: number
  row: Row
}

/** Rows by id with an index for every field by which lists filter, newest first. */
export class ListedRows<Field extends string, Row extends Listed & { readonly [field in Field]: string | null }> {
  readonly #entries = new Map<string, Entry<Row>>()
  readonly #indexes = new Map<string, OrderedIndex<Entry<Row>>>()
  readonly #fields: ReadonlyArray<Field>

  constructor(fields: ReadonlyArray<Field>) {
    this.#fields = fields
  }

  get(id: string): Row | undefined {
    return this.#entries.get(id)?.row
  }

  put(id: string, row: Row, sequence: number): void {
    const known = this.#entries.get(id)
    const entry = known ?? { created_at: row.created_at, sequence, row }
    const before = known?.row
    entry.row = row
    if (before === undefined) {
      this.#entries.set(id, entry)
      this.#index(row.organization_id).add(entry)
    }
    for (const field of this.#fields) {
      if (before?.[field] === row[field]) continue
      const [left, joined] = [before?.[field] ?? null, row[field]]
      if (left !== null) this.#indexes.get(keyFor(row.organization_id, field, left))?.remove(entry)
      if (joined !== null) this.#index(keyFor(row.organization_id, field, joined)).add(entry)
    }
  }

  /** The page of an organization's rows that have each of the given values, newest first. */
  page(organizationId: string, wanted: ReadonlyArray<readonly [Field, string]>, request: PageRequest): Page<Row> {
    let narrowest = this.#indexes.get(organizationId)
    for (const [field, value] of wanted) {
      const index = this.#indexes.get(keyFor(organizationId, field, value))
      if (index === undefined) return { items: [], total: 0 }
      if (narrowest === undefined || index.size < narrowest.size) narrowest = index
    }
    const isWanted = ({ row }: Entry<Row>) => wanted.every(([field, value]) => row[field] === value)
    return rowsOf(narrowest, request, {
      order: "newest first",
      isWanted: wanted.length > 1 ? isWanted : undefined,
    })
  }

  /** The oldest rows of an organization. */
  oldest(organizationId: string, request: OldestRequest): ReadonlyArray<Placed<Row>> {
    const entries = this.#indexes.get(organizationId)?.oldest(request) ?? []
    return entries.map(({ created_at, row, sequence }) => ({ place: { created_at, sequence }, row }))
  }

  /** The page of an organization's rows that have the value, oldest first. */
  oldestPage(organizationId: string, field: Field, value: string, request: PageRequest): Page<Row> {
    return rowsOf(this.#indexes.get(keyFor(organizationId, field, value)), request, { order: "oldest first" })
  }

  /** An organization's rows that have the value, oldest first. */
  *of(organizationId: string, field: Field, value: string): Iterable<Row> {
    const index = this.#indexes.get(keyFor(organizationId, field, value))
    for (let position = 0; position < (index?.size ?? 0); position++) {
      const entry = index?.at(position)
      if (entry !== undefined) yield entry.row
    }
  }

  *values(): Iterable<Row> {
    for (const { row } of this.#entries.values()) yield row
  }

  #index(key: string): OrderedIndex<Entry<Row>> {
    let index = this.#indexes.get(key)
    if (index === undefined) {
      index = new OrderedIndex()
      this.#indexes.set(key, index)
    }
    return index
  }
}

/** Whoever has no value is in no index: a value may be any text, and so may what would stand for none. */
const keyFor = (organizationId: string, field: string, value: string): string => `${organizationId} ${field} ${value}`

const rowsOf = <Row>(
  index: OrderedIndex<Entry<Row>> | undefined,
  request: PageRequest,
  reading: PageReading<Entry<Row>>,
): Page<Row> => {
  if (index === undefined) return { items: [], total: 0 }
  const { items, total } = index.page(request, reading)
  return { items: items.map(({ row }) => row), total }
}
