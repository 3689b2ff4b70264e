import type { Page, PageRequest } from "../Pagination.ts"

/** What every row of such a table has. */
interface OwnedRow {
  readonly organization_id: string
  readonly revision: number
  readonly created_at: number
}

/**
 * Rows of which an organization has few, by organization in commit order: lists are filtered on read. A row may have a key that
 * is unique within its organization while the row has it.
 */
export class RowTable<Row extends OwnedRow> {
  readonly #idOf: (row: Row) => string
  readonly #keyOf: (row: Row) => string | null
  readonly #byId = new Map<string, Row>()
  readonly #byKey = new Map<string, Row>()
  readonly #holders = new Map<string, Set<string>>()
  readonly #byOrganization = new Map<string, Map<string, Row>>()

  constructor(idOf: (row: Row) => string, keyOf: (row: Row) => string | null) {
    this.#idOf = idOf
    this.#keyOf = keyOf
  }

  find(organizationId: string, id: string): Row | null {
    const row = this.#byId.get(id)
    return row?.organization_id === organizationId ? row : null
  }

  findByKey(organizationId: string, key: string): Row | null {
    return this.#byKey.get(`${organizationId} ${key}`) ?? null
  }

  /** The organizations of which a row has the key. */
  holders(key: string): ReadonlyArray<string> {
    return [...(this.#holders.get(key) ?? [])]
  }

  /** The revision of a row, 0 where there is none. */
  revision(id: string): number {
    return this.#byId.get(id)?.revision ?? 0
  }

  /** Whether another row has this row's key. */
  isTaken(row: Row): boolean {
    const key = this.#keyOf(row)
    if (key === null) return false
    const holder = this.findByKey(row.organization_id, key)
    return holder !== null && this.#idOf(holder) !== this.#idOf(row)
  }

  put(row: Row): void {
    const id = this.#idOf(row)
    this.#forgetKey(this.#byId.get(id))
    this.#byId.set(id, row)
    const key = this.#keyOf(row)
    if (key !== null) this.#rememberKey(row, key)
    const own = this.#byOrganization.get(row.organization_id)
    if (own === undefined) this.#byOrganization.set(row.organization_id, new Map([[id, row]]))
    else own.set(id, row)
  }

  remove(id: string): void {
    const row = this.#byId.get(id)
    if (row === undefined) return
    this.#forgetKey(row)
    this.#byId.delete(id)
    this.#byOrganization.get(row.organization_id)?.delete(id)
  }

  /** The rows of an organization in the order of their first commits. */
  rows(organizationId: string): ReadonlyArray<Row> {
    return [...(this.#byOrganization.get(organizationId)?.values() ?? [])]
  }

  /** How many rows an organization has. */
  count(organizationId: string): number {
    return this.#byOrganization.get(organizationId)?.size ?? 0
  }

  /** Up to `limit` of them from the `first` on. */
  rowsFrom(organizationId: string, first: number, limit: number): ReadonlyArray<Row> {
    const rows: Array<Row> = []
    let nth = 0
    for (const row of this.#byOrganization.get(organizationId)?.values() ?? []) {
      if (rows.length >= limit) break
      if (nth++ >= first) rows.push(row)
    }
    return rows
  }

  /** A page of the rows that match, newest first. */
  page(
    organizationId: string,
    { page, page_size }: PageRequest,
    matches: (row: Row) => boolean = () => true,
  ): Page<Row> {
    const found = this.rows(organizationId).filter(matches)
    // Sorting is stable: reversing the whole keeps commit order as the second key of "newest first".
    found.sort((a, b) => a.created_at - b.created_at).reverse()
    const skip = (page - 1) * page_size
    return { items: found.slice(skip, skip + page_size), total: found.length }
  }

  #forgetKey(row: Row | undefined): void {
    const key = row === undefined ? null : this.#keyOf(row)
    if (row === undefined || key === null) return
    this.#byKey.delete(`${row.organization_id} ${key}`)
    const holders = this.#holders.get(key)
    holders?.delete(row.organization_id)
    if (holders?.size === 0) this.#holders.delete(key)
  }

  #rememberKey(row: Row, key: string): void {
    this.#byKey.set(`${row.organization_id} ${key}`, row)
    const holders = this.#holders.get(key)
    if (holders === undefined) this.#holders.set(key, new Set([row.organization_id]))
    else holders.add(row.organization_id)
  }
}
