import { TimeHeap } from "./TimeHeap.ts"

/** What waits for a time, which is that from when on it may be taken. */
interface Timed {
  readonly at: number
}

/** The first of them that may be taken, of what is due; the heap stays as it was. */
const firstOf = <A extends Timed>(waiting: TimeHeap<A>, now: number, limit: number, isOpen: (one: A) => boolean) => {
  const seen: Array<{ readonly at: number; readonly key: string; readonly value: A }> = []
  const found: Array<A> = []
  while (found.length < limit) {
    const next = waiting.popDue(now)
    if (next === undefined) break
    seen.push(next)
    if (isOpen(next.value)) found.push(next.value)
  }
  for (const { at, key, value } of seen) waiting.set(key, at, value)
  return found
}

/** What waits, by whose it is, in the order in which they have their turns: who had one comes behind all others. */
export class Turns<A extends Timed> {
  readonly #waiting = new Map<string, TimeHeap<A>>()
  readonly #partyOf: (one: A) => string

  constructor(partyOf: (one: A) => string) {
    this.#partyOf = partyOf
  }

  /** How much waits of a party. */
  size(party: string): number {
    return this.#waiting.get(party)?.size ?? 0
  }

  set(key: string, one: A): void {
    const party = this.#partyOf(one)
    const waiting = this.#waiting.get(party) ?? new TimeHeap()
    waiting.set(key, one.at, one)
    this.#waiting.set(party, waiting)
  }

  delete(key: string, one: A): void {
    const party = this.#partyOf(one)
    const waiting = this.#waiting.get(party)
    waiting?.delete(key)
    if (waiting?.size === 0) this.#waiting.delete(party)
  }

  /** Gives a turn to up to `limit` parties of which something may be taken: as much to each as the limit has room for, the earliest first. */
  take(now: number, limit: number, isOpen: (one: A) => boolean): ReadonlyArray<A> {
    const next: Array<readonly [party: string, waiting: TimeHeap<A>]> = []
    for (const [party, waiting] of this.#waiting) {
      if (next.length === limit) break
      if (firstOf(waiting, now, 1, isOpen).length > 0) next.push([party, waiting])
    }
    const each = Math.floor(limit / next.length)
    return next.flatMap(([party, waiting]) => {
      this.#waiting.delete(party)
      this.#waiting.set(party, waiting)
      return firstOf(waiting, now, each, isOpen)
    })
  }
}
