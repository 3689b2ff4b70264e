import type { PieceClock } from "./Pacing.ts"

/** What is begun in one turn of the event loop at most, and after how many milliseconds no more is. */
export interface TurnBounds {
  readonly taken: number
  readonly ms: number
}

type Work = () => void

/**
 * Begins what comes at once a few in a turn of the event loop; the rest waits for the turns after that, between which everybody else gets on. One
 * is begun in each turn, however long the one before took. Parties take turns, each one's own in the order in which it came, so that
 * hundreds of one hold up nobody else. Nothing that was given is forgotten: whoever does not want it any more does nothing in its turn.
 */
export class FewInTurn {
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Set<Work>>()
  readonly #clock: Pick<PieceClock, "afterTurn" | "now">
  readonly #bounds: TurnBounds
  #taken = 0
  /** When the first of this turn was begun. */
  #began = 0
  #isWatched = false

  constructor(clock: Pick<PieceClock, "afterTurn" | "now">, bounds: TurnBounds) {
    this.#clock = clock
    this.#bounds = bounds
  }

  /** Does some work for a party: at once where nothing waits and the turn may have more, else in a later one. The work must not throw. */
  enter(party: string, work: Work): void {
    if (this.#waiting.size === 0 && !this.#isOver()) return this.#take(work)
    const works = this.#waiting.get(party)
    if (works === undefined) this.#waiting.set(party, new Set([work]))
    else works.add(work)
  }

  #isOver(): boolean {
    return this.#taken >= this.#bounds.taken || (this.#taken > 0 && this.#clock.now() - this.#began >= this.#bounds.ms)
  }

  #watch(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    this.#clock.afterTurn(() => this.#begin())
  }

  #take(work: Work): void {
    if (this.#taken === 0) this.#began = this.#clock.now()
    this.#taken += 1
    this.#watch()
    work()
  }

  #begin(): void {
    this.#isWatched = false
    this.#taken = 0
    while (!this.#isOver()) {
      const [next] = this.#waiting
      if (next === undefined) return
      const [party, works] = next
      const [work] = works
      this.#waiting.delete(party)
      if (work === undefined) continue
      works.delete(work)
      // Who has more to come stands behind all others.
      if (works.size > 0) this.#waiting.set(party, works)
      this.#take(work)
    }
  }
}
