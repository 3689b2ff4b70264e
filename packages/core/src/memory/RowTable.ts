import type { Revised, RowDescription } from "../engine/rules/RowDescription.ts"
import type { Page, PageRequest } from "../Pagination.ts"

/** What every row of such a table has. */
interface OwnedRow extends Revised {
  readonly organization_id: string
  readonly created_at: number
}

/**
 * Rows of which an organization has few, by organization in commit order: lists are filtered on read. A row may have a key that
 * is unique within its organization (`unique` of its description) while the row has it.
 */
export class RowTable<Row extends OwnedRow> {
  readonly #idOf: (row: Row) => string
  readonly #keyOf: (row: Row) => string | null
  readonly #byId = new Map<string, Row>()
  readonly #byKey = new Map<string, Row>()
  readonly #holders = new Map<string, Set<string>>()
  readonly #byOrganization = new Map<string, Map<string, Row>>()

  constructor({ id, unique }: RowDescription<Row>) {
    this.#idOf = id
    this.#keyOf = unique ?? (() => null)
  }

  get(id: string): Row | undefined {
    return this.#byId.get(id)
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

  /** The id of an organization's row that has the key. */
  holder(organizationId: string, key: string): string | null {
    const holder = this.findByKey(organizationId, key)
    return holder === null ? null : this.#idOf(holder)
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
