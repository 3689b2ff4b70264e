/** Rows by id in the order in which they were put in. It holds so many; then the oldest make way. */
export class Table<Row> {
  readonly #rows = new Map<string, Row>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#rows.size
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id)
  }

  put(id: string, row: Row): void {
    this.#rows.set(id, row)
    if (this.#rows.size <= this.#limit) return
    const [oldest] = this.#rows.keys()
    if (oldest !== undefined) this.#rows.delete(oldest)
  }

  delete(id: string): boolean {
    return this.#rows.delete(id)
  }

  values(): IterableIterator<Row> {
    return this.#rows.values()
  }

  find(test: (row: Row) => boolean): Row | undefined {
    for (const row of this.#rows.values()) if (test(row)) return row
    return undefined
  }

  filter(test: (row: Row) => boolean): Array<Row> {
    return [...this.#rows.values()].filter(test)
  }

  /** "Newest first": by creation time, then by the order of commits. */
  newestFirst(test: (row: Row) => boolean = () => true): Array<Row> {
    return this.filter(test).reverse()
  }
}
