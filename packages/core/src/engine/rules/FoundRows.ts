import type { RowKind, Rows } from "../../Rows.ts"

/** Where a row is looked for: under its id, or under what is unique of it within its organization (`unique` of its description). */
type RowPlace = { readonly id: string } | { readonly organization_id: string; readonly key: string }

/** A row that is asked for. */
export type RowAsked<K extends RowKind = RowKind> = { readonly kind: K } & RowPlace

/** What a store has found of the rows that it was asked for. */
export class FoundRows {
  readonly #rows: { [K in RowKind]?: Map<RowAsked, Rows[K]> } = {}

  /** Answers a question that the store was given, with the row. What is not there is not added. */
  add<K extends RowKind>(asked: RowAsked<K>, row: Rows[K]): void {
    const found: Map<RowAsked, Rows[K]> = (this.#rows[asked.kind] ??= new Map())
    found.set(asked, row)
  }

  /** The row that was asked for with this very question, or null. */
  of<K extends RowKind>(asked: RowAsked<K>): Rows[K] | null {
    return this.#rows[asked.kind]?.get(asked) ?? null
  }
}
