/**
 * Pages of a large changing map in ascending order of its ids, for a reader who goes through all of it. The order is taken once per
 * reading, not once per page: what is added meanwhile may be missed, as with any cursor; what has gone is left out.
 */
export class OrderedPages<A> {
  readonly #rows: ReadonlyMap<string, A>
  #ids: ReadonlyArray<string> = []
  #last: string | null = null
  #next = 0

  constructor(rows: ReadonlyMap<string, A>) {
    this.#rows = rows
  }

  /** Up to `limit` rows whose ids come after the given one. */
  page(after: string | null, limit: number): ReadonlyArray<readonly [id: string, row: A]> {
    if (after === null || after !== this.#last) {
      this.#ids = [...this.#rows.keys()].filter((id) => after === null || id > after).sort()
      this.#next = 0
    }
    const page: Array<readonly [string, A]> = []
    for (; this.#next < this.#ids.length && page.length < limit; this.#next++) {
      const id = this.#ids[this.#next]
      const row = id === undefined ? undefined : this.#rows.get(id)
      if (id === undefined || row === undefined) continue
      this.#last = id
      page.push([id, row])
    }
    if (this.#next === this.#ids.length) {
      this.#ids = []
      this.#last = null
    }
    return page
  }
}
