import { Heap, type HeapEntry } from "./TimeHeap.ts"

/** What waits, by whose it is, in the order in which they have their turns: who had one comes behind all others. It may be taken from its time on. */
export class Turns<E extends HeapEntry> {
  readonly #waiting = new Map<string, Heap<E>>()
  readonly #partyOf: (one: E) => string
  #sequence = 0

  constructor(partyOf: (one: E) => string) {
    this.#partyOf = partyOf
  }

  /** How much waits of a party. */
  size(party: string): number {
    return this.#waiting.get(party)?.size ?? 0
  }

  add(one: E): void {
    const party = this.#partyOf(one)
    const waiting = this.#waiting.get(party) ?? new Heap()
    this.#enter(waiting, one)
    if (waiting.size === 1) this.#waiting.set(party, waiting)
  }

  /** Removes what waits, while its party and its time are as they were. */
  remove(one: E): void {
    const party = this.#partyOf(one)
    const waiting = this.#waiting.get(party)
    waiting?.remove(one)
    if (waiting?.size === 0) this.#waiting.delete(party)
  }

  /** Gives a turn to up to `limit` parties of which something may be taken: as much to each as the limit has room for, the earliest first. */
  take(now: number, limit: number, isOpen: (one: E) => boolean): ReadonlyArray<E> {
    const next: Array<readonly [party: string, waiting: Heap<E>]> = []
    for (const [party, waiting] of this.#waiting) {
      if (next.length === limit) break
      if (this.#firstOf(waiting, now, 1, isOpen).length > 0) next.push([party, waiting])
    }
    const each = Math.floor(limit / next.length)
    return next.flatMap(([party, waiting]) => {
      this.#waiting.delete(party)
      this.#waiting.set(party, waiting)
      return this.#firstOf(waiting, now, each, isOpen)
    })
  }

  /** The first of them that may be taken, of what is due; the heap stays as it was. */
  #firstOf(waiting: Heap<E>, now: number, limit: number, isOpen: (one: E) => boolean): ReadonlyArray<E> {
    const seen: Array<E> = []
    const found: Array<E> = []
    while (found.length < limit) {
      const next = waiting.popDue(now)
      if (next === undefined) break
      seen.push(next)
      if (isOpen(next)) found.push(next)
    }
    for (const one of seen) this.#enter(waiting, one)
    return found
  }

  #enter(waiting: Heap<E>, one: E): void {
    one.place = this.#sequence++
    waiting.add(one)
  }
}
