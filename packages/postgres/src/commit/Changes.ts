import { type Change, type Put, replacedRevision, type RowKind, type Rows } from "@carillon/core/ports"

type Other = Exclude<Change, Put>

type Grouped = { readonly [K in RowKind]?: Array<Rows[K]> }

/** The changes of commits by what they concern, so that each kind is one statement and tables are locked in one order. */
export class ChangesByKind {
  readonly #rows: Grouped = {}
  /** Those that replace none. */
  readonly #added = new Set<object>()
  readonly #others: Array<Other> = []

  constructor(changes: ReadonlyArray<Change>) {
    for (const change of changes) {
      if ("row" in change) this.#add(change)
      else this.#others.push(change)
    }
  }

  /** The rows of a kind that are put. */
  rows<K extends RowKind>(kind: K): ReadonlyArray<Rows[K]> {
    return this.#rows[kind] ?? []
  }

  /** Whether a row that is put is a new one. */
  readonly isAdded = (row: object): boolean => this.#added.has(row)

  /** The changes that put no row. */
  of<P extends Other["put"]>(put: P): ReadonlyArray<Extract<Other, { readonly put: P }>> {
    return this.#others.filter((change): change is Extract<Other, { readonly put: P }> => change.put === put)
  }

  #add<K extends RowKind>(change: Put<K>): void {
    const { put, row } = change
    if (replacedRevision(change) === 0) this.#added.add(row)
    const found: Array<Rows[K]> | undefined = this.#rows[put]
    if (found === undefined) Object.assign(this.#rows, { [put]: [row] })
    else found.push(row)
  }
}
