import { OrderedIndex, type Ordinal } from "./OrderedIndex.ts"

/**
 * Rows by the value of one field, in list order. Most values of a field like `to_number` have one row; those cost an entry in
 * the map and no index of their own.
 */
export class FieldIndex<A extends Ordinal> {
  readonly #byValue = new Map<string, A | OrderedIndex<A>>()

  add(value: string, item: A): void {
    const known = this.#byValue.get(value)
    if (known === undefined) this.#byValue.set(value, item)
    else if (known instanceof OrderedIndex) known.add(item)
    else {
      const index = new OrderedIndex<A>()
      index.add(known)
      index.add(item)
      this.#byValue.set(value, index)
    }
  }

  remove(value: string, item: A): void {
    const known = this.#byValue.get(value)
    if (known === item) this.#byValue.delete(value)
    else if (known instanceof OrderedIndex) {
      known.remove(item)
      if (known.size === 0) this.#byValue.delete(value)
    }
  }

  /** The rows of a value, empty where there are none. */
  get(value: string): OrderedIndex<A> {
    const known = this.#byValue.get(value)
    if (known instanceof OrderedIndex) return known
    const index = new OrderedIndex<A>()
    if (known !== undefined) index.add(known)
    return index
  }
}

/** Of the indexes that hold every row that matches a filter, the one with the fewest rows, which is `all` where no field is asked for; and how many fields are. */
export const narrowestOf = <Field extends string, A extends Ordinal>(
  all: OrderedIndex<A>,
  by: { readonly [field in Field]: FieldIndex<A> },
  fields: ReadonlyArray<Field>,
  filter: { readonly [field in Field]?: string | undefined },
): { readonly index: OrderedIndex<A>; readonly asked: number } => {
  let index = all
  let asked = 0
  for (const field of fields) {
    const value = filter[field]
    if (value === undefined) continue
    asked += 1
    const narrower = by[field].get(value)
    if (asked === 1 || narrower.size < index.size) index = narrower
  }
  return { index, asked }
}
