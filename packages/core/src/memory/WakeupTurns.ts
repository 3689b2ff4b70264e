import { TimeHeap } from "../engine/rules/TimeHeap.ts"
import { type Wakeup, wakeupParty } from "../engine/rules/Wakeup.ts"

type Waiting = TimeHeap<Wakeup>

/** The first of them that may be claimed, of what is due; the heap stays as it was. */
const firstOf = (waiting: Waiting, now: number, limit: number, isOpen: (wakeup: Wakeup) => boolean) => {
  const seen: Array<{ readonly at: number; readonly key: string; readonly value: Wakeup }> = []
  const found: Array<Wakeup> = []
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
export class WakeupTurns {
  readonly #waiting = new Map<string, Waiting>()

  set(key: string, wakeup: Wakeup): void {
    const party = wakeupParty(wakeup)
    const waiting = this.#waiting.get(party) ?? new TimeHeap()
    waiting.set(key, wakeup.at, wakeup)
    this.#waiting.set(party, waiting)
  }

  delete(key: string, wakeup: Wakeup): void {
    const party = wakeupParty(wakeup)
    const waiting = this.#waiting.get(party)
    waiting?.delete(key)
    if (waiting?.size === 0) this.#waiting.delete(party)
  }

  /** Gives a turn to up to `limit` parties of which something may be claimed: as much to each as the limit has room for, the earliest first. */
  take(now: number, limit: number, isOpen: (wakeup: Wakeup) => boolean): ReadonlyArray<Wakeup> {
    const next: Array<readonly [party: string, waiting: Waiting]> = []
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
