interface Placed {
  at: number
  place: number
}

interface Entry<A, Key> extends Placed {
  index: number
  readonly key: Key
  value: A
}

const before = (a: Placed, b: Placed): boolean => a.at < b.at || (a.at === b.at && a.place < b.place)

/**
 * A binary heap of keyed values ordered by (time, order of setting), with O(log n) replacement and removal by key, so that
 * moving a wake-up leaves no stale entry behind. Where values have places of their own, those of one time are in the order of these instead.
 */
export class TimeHeap<A, Key = string> {
  readonly #entries: Array<Entry<A, Key>> = []
  readonly #byKey = new Map<Key, Entry<A, Key>>()
  readonly #placeOf: (value: A) => number
  #sequence = 0

  constructor(placeOf: (value: A) => number = () => this.#sequence++) {
    this.#placeOf = placeOf
  }

  get size(): number {
    return this.#entries.length
  }

  peek(): { readonly at: number; readonly key: Key; readonly value: A } | undefined {
    return this.#entries[0]
  }

  /** The first value of those that are wanted; costs by how many before it are not. */
  first(isWanted: (value: A) => boolean): { readonly at: number; readonly key: Key; readonly value: A } | undefined {
    const search = (index: number, best: Entry<A, Key> | undefined): Entry<A, Key> | undefined => {
      const entry = this.#entries[index]
      if (entry === undefined || (best !== undefined && !before(entry, best))) return best
      if (isWanted(entry.value)) return entry
      return search(index * 2 + 2, search(index * 2 + 1, best))
    }
    return search(0, undefined)
  }

  get(key: Key): { readonly at: number; readonly value: A } | undefined {
    return this.#byKey.get(key)
  }

  /** Adds the value, or moves the one that has this key. */
  set(key: Key, at: number, value: A): void {
    const known = this.#byKey.get(key)
    if (known !== undefined) return this.#move(known, at, value)
    const entry: Entry<A, Key> = { at, place: this.#placeOf(value), index: this.#entries.length, key, value }
    this.#byKey.set(key, entry)
    this.#entries.push(entry)
    this.#up(entry)
  }

  delete(key: Key): boolean {
    const entry = this.#byKey.get(key)
    if (entry === undefined) return false
    this.#byKey.delete(key)
    const last = this.#entries.pop()
    if (last !== undefined && last !== entry) {
      this.#place(last, entry.index)
      this.#up(last)
      this.#down(last)
    }
    return true
  }

  /** Removes and returns the first value that is due at `now`. */
  popDue(now: number): { readonly at: number; readonly key: Key; readonly value: A } | undefined {
    const first = this.#entries[0]
    if (first === undefined || first.at > now) return undefined
    this.delete(first.key)
    return first
  }

  /** Looks at every value that is due at `now`, in no order; costs by how many there are. */
  eachDue(now: number, look: (due: { readonly at: number; readonly key: Key; readonly value: A }) => void): void {
    const visit = (index: number): void => {
      const entry = this.#entries[index]
      if (entry === undefined || entry.at > now) return
      look(entry)
      visit(index * 2 + 1)
      visit(index * 2 + 2)
    }
    visit(0)
  }

  /** The latest time there is. It lies in the lower half of the heap, so it costs by how many there are, if little. */
  last(): number | null {
    let latest: number | null = null
    for (let index = this.#entries.length >> 1; index < this.#entries.length; index++) {
      const at = this.#entries[index]!.at
      if (latest === null || at > latest) latest = at
    }
    return latest
  }

  /** Up to `limit` values, the first to come first; costs by how many there are. */
  firsts(limit: number): ReadonlyArray<A> {
    const inOrder = this.#entries.toSorted((one, other) => (before(one, other) ? -1 : 1))
    return inOrder.slice(0, limit).map(({ value }) => value)
  }

  values(): Iterable<{ readonly at: number; readonly key: Key; readonly value: A }> {
    return this.#entries
  }

  #move(entry: Entry<A, Key>, at: number, value: A): void {
    entry.at = at
    entry.place = this.#placeOf(value)
    entry.value = value
    this.#up(entry)
    this.#down(entry)
  }

  #place(entry: Entry<A, Key>, index: number): void {
    this.#entries[index] = entry
    entry.index = index
  }

  /** Lets those that come after the entry down, and puts it where the last of them was. */
  #up(entry: Entry<A, Key>): void {
    let { index } = entry
    while (index > 0) {
      const above = (index - 1) >> 1
      const parent = this.#entries[above]!
      if (!before(entry, parent)) break
      this.#place(parent, index)
      index = above
    }
    this.#place(entry, index)
  }

  /** Lets those that come before the entry up, and puts it where the last of them was. */
  #down(entry: Entry<A, Key>): void {
    let { index } = entry
    for (;;) {
      const left = this.#entries[index * 2 + 1]
      if (left === undefined) break
      const right = this.#entries[index * 2 + 2]
      const child = right !== undefined && before(right, left) ? right : left
      if (!before(child, entry)) break
      const below = child.index
      this.#place(child, index)
      index = below
    }
    this.#place(entry, index)
  }
}
