/** What is in a heap by its time, those of one time by their places; where it is there is the heap's own business. */
export interface HeapEntry {
  at: number
  place: number
  index: number
}

const before = (a: HeapEntry, b: HeapEntry): boolean => a.at < b.at || (a.at === b.at && a.place < b.place)

/** A binary heap ordered by (time, place), of entries that know where they are: none is looked for to be moved or to be removed. */
export class Heap<E extends HeapEntry> {
  readonly #entries: Array<E> = []

  get size(): number {
    return this.#entries.length
  }

  peek(): E | undefined {
    return this.#entries[0]
  }

  /** The first of those that are wanted; costs by how many before it are not. */
  first(isWanted: (entry: E) => boolean): E | undefined {
    const search = (index: number, best: E | undefined): E | undefined => {
      const entry = this.#entries[index]
      if (entry === undefined || (best !== undefined && !before(entry, best))) return best
      if (isWanted(entry)) return entry
      return search(index * 2 + 2, search(index * 2 + 1, best))
    }
    return search(0, undefined)
  }

  /** Adds what is in no heap. */
  add(entry: E): void {
    entry.index = this.#entries.length
    this.#entries.push(entry)
    this.#up(entry)
  }

  /** Removes what is in this heap. */
  remove(entry: E): void {
    const last = this.#entries.pop()
    if (last === undefined || last === entry) return
    last.index = entry.index
    this.moved(last)
  }

  /** Brings an entry of this heap whose time or place is another one to where it belongs. */
  moved(entry: E): void {
    this.#up(entry)
    this.#down(entry)
  }

  /** Removes and returns the first that is due at `now`. */
  popDue(now: number): E | undefined {
    const first = this.#entries[0]
    if (first === undefined || first.at > now) return undefined
    this.remove(first)
    return first
  }

  /** Looks at every one that is due at `now`, in no order; costs by how many there are. */
  eachDue(now: number, look: (due: E) => void): void {
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

  /** All of them, the first to come first; costs by how many there are. */
  inOrder(): ReadonlyArray<E> {
    return this.#entries.toSorted((one, other) => (before(one, other) ? -1 : 1))
  }

  /** All of them, in no order. */
  values(): Iterable<E> {
    return this.#entries
  }

  #place(entry: E, index: number): void {
    this.#entries[index] = entry
    entry.index = index
  }

  /** Lets those that come after the entry down, and puts it where the last of them was. */
  #up(entry: E): void {
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
  #down(entry: E): void {
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

interface Keyed<A, Key> extends HeapEntry {
  readonly key: Key
  value: A
}

/**
 * A heap of keyed values ordered by (time, order of setting), with O(log n) replacement and removal by key, so that
 * moving a wake-up leaves no stale entry behind. Where values have places of their own, those of one time are in the order of these instead.
 */
export class TimeHeap<A, Key = string> {
  readonly #heap = new Heap<Keyed<A, Key>>()
  readonly #byKey = new Map<Key, Keyed<A, Key>>()
  readonly #placeOf: (value: A) => number
  #sequence = 0

  constructor(placeOf: (value: A) => number = () => this.#sequence++) {
    this.#placeOf = placeOf
  }

  get size(): number {
    return this.#heap.size
  }

  peek(): { readonly at: number; readonly key: Key; readonly value: A } | undefined {
    return this.#heap.peek()
  }

  /** The first value of those that are wanted; costs by how many before it are not. */
  first(isWanted: (value: A) => boolean): { readonly at: number; readonly key: Key; readonly value: A } | undefined {
    return this.#heap.first(({ value }) => isWanted(value))
  }

  get(key: Key): { readonly at: number; readonly value: A } | undefined {
    return this.#byKey.get(key)
  }

  /** Adds the value, or moves the one that has this key. */
  set(key: Key, at: number, value: A): void {
    const known = this.#byKey.get(key)
    if (known === undefined) {
      const entry: Keyed<A, Key> = { at, place: this.#placeOf(value), index: 0, key, value }
      this.#byKey.set(key, entry)
      this.#heap.add(entry)
      return
    }
    known.at = at
    known.place = this.#placeOf(value)
    known.value = value
    this.#heap.moved(known)
  }

  delete(key: Key): boolean {
    const entry = this.#byKey.get(key)
    if (entry === undefined) return false
    this.#byKey.delete(key)
    this.#heap.remove(entry)
    return true
  }

  /** Removes and returns the first value that is due at `now`. */
  popDue(now: number): { readonly at: number; readonly key: Key; readonly value: A } | undefined {
    const first = this.#heap.popDue(now)
    if (first !== undefined) this.#byKey.delete(first.key)
    return first
  }

  /** The latest time there is; costs by how many there are, if little. */
  last(): number | null {
    return this.#heap.last()
  }

  /** Up to `limit` values, the first to come first; costs by how many there are. */
  firsts(limit: number): ReadonlyArray<A> {
    const inOrder = this.#heap.inOrder()
    return inOrder.slice(0, limit).map(({ value }) => value)
  }

  values(): Iterable<{ readonly at: number; readonly key: Key; readonly value: A }> {
    return this.#heap.values()
  }
}
