import type { Change, Put, RowKind, Rows } from "@carillon/core"

type Other = Exclude<Change, Put>

type Grouped = { readonly [K in RowKind]?: Array<Rows[K]> }

/** The changes of commits by what they concern, so that each kind is one statement and tables are locked in one order. */
export class ChangesByKind {
  readonly #rows: Grouped = {}
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

  /** The changes that put no row. */
  of<P extends Other["put"]>(put: P): ReadonlyArray<Extract<Other, { readonly put: P }>> {
    return this.#others.filter((change): change is Extract<Other, { readonly put: P }> => change.put === put)
  }

  #add<K extends RowKind>({ put, row }: { readonly put: K; readonly row: Rows[K] }): void {
    const found: Array<Rows[K]> | undefined = this.#rows[put]
    if (found === undefined) Object.assign(this.#rows, { [put]: [row] })
    else found.push(row)
  }
}
