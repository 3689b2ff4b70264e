import type { OldestRequest, Page, PageRequest } from "../Pagination.ts"

/**
 * Keys of rows in ascending order of (created_at, commit order), with positions in O(log n): a page costs the same wherever it
 * lies and however long the list is. Ordinals are handed out in commit order, so the newest row is nearly always appended.
 */
export interface Ordinal {
  readonly created_at: number
  readonly sequence: number
}

/** Ascending order of lists: creation, then commit order. */
export const compareOrdinals = (a: Ordinal, b: Ordinal): number =>
  a.created_at - b.created_at || a.sequence - b.sequence

/** The part of a list in which the items before a removed one are moved rather than those after it. */
const nearFront = 1 / 8

/** Items at the front that are gone before the list is shortened by them. */
const shortenAfter = 1024

/** Lists shorter than this are copied to grow. */
const copiedBelow = 6

/** How the items of a page are found. */
export interface PageReading<A> {
  readonly order: "newest first" | "oldest first"
  /** The bounds [from, to) of the positions that are looked at; all where it is left out. */
  readonly within?: readonly [from: number, to: number]
  /** Where it is given the page costs by how many items are looked at, and otherwise by those that it has. */
  readonly isWanted?: ((item: A) => boolean) | undefined
}

export class OrderedIndex<A extends Ordinal> {
  #items: Array<A> = []
  /** The items before this one are gone: what forgets its oldest rows removes near the front, and must not move all others each time. */
  #first = 0

  get size(): number {
    return this.#items.length - this.#first
  }

  add(item: A): void {
    const last = this.#items.at(-1)
    if (this.size === 0 || last === undefined || compareOrdinals(last, item) < 0) this.#append(item)
    else this.#items.splice(this.#first + this.#position(item), 0, item)
  }

  remove(item: A): void {
    const position = this.#position(item)
    const found = this.at(position)
    if (found === undefined || compareOrdinals(found, item) !== 0) return
    if (position > this.size * nearFront) {
      this.#items.splice(this.#first + position, 1)
      return
    }
    for (let at = this.#first + position; at > this.#first; at--) {
      const before = this.#items[at - 1]
      if (before !== undefined) this.#items[at] = before
    }
    this.#first += 1
    if (this.#first < shortenAfter || this.#first < this.size) return
    this.#items = this.#items.slice(this.#first)
    this.#first = 0
  }

  /** The bounds [from, to) of the items created within the inclusive dates. */
  range(fromDate: number | undefined, toDate: number | undefined): readonly [number, number] {
    const from = fromDate === undefined ? 0 : this.#position({ created_at: fromDate, sequence: -1 })
    const to = toDate === undefined ? this.size : this.#position({ created_at: toDate, sequence: Infinity })
    return [from, Math.max(from, to)]
  }

  /** The first items after a place. */
  oldest({ after, before, limit }: OldestRequest): ReadonlyArray<A> {
    const from = after === null ? 0 : this.#position({ created_at: after.created_at, sequence: after.sequence + 1 })
    const to = before === undefined ? this.size : this.#position({ created_at: before, sequence: -1 })
    return this.#items.slice(this.#first + from, this.#first + Math.min(to, from + limit))
  }

  /** A page of the items, and how many of them there are. */
  page({ page, page_size }: PageRequest, { isWanted, order, within = [0, this.size] }: PageReading<A>): Page<A> {
    const [from, to] = within
    const skip = (page - 1) * page_size
    const items: Array<A> = []
    const nth = (place: number) => this.at(order === "oldest first" ? from + place : to - 1 - place)
    if (isWanted === undefined) {
      for (let place = skip; place < Math.min(skip + page_size, to - from); place++) {
        const item = nth(place)
        if (item !== undefined) items.push(item)
      }
      return { items, total: to - from }
    }
    let total = 0
    for (let place = 0; place < to - from; place++) {
      const item = nth(place)
      if (item === undefined || !isWanted(item)) continue
      if (total >= skip && items.length < page_size) items.push(item)
      total += 1
    }
    return { items, total }
  }

  at(position: number): A | undefined {
    return this.#items[this.#first + position]
  }

  #append(item: A): void {
    // A platform's list grows by 17 places at least, and most lists never have more than one or two items.
    if (this.#items.length < copiedBelow) this.#items = [...this.#items, item]
    else this.#items.push(item)
  }

  /** The first position whose item is not before the ordinal. */
  #position(ordinal: Ordinal): number {
    let low = 0
    let high = this.size
    while (low < high) {
      const middle = (low + high) >>> 1
      const item = this.at(middle)
      if (item !== undefined && compareOrdinals(item, ordinal) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
