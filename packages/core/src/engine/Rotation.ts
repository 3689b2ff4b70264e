/**
 * What waits for one thing that many parties share, in the order in which it has its turn: the parties go round, and each has what it asked for
 * in order. A party that has the thing comes behind all others that wait, so between two turns of a party each other has one at most. It knows
 * nothing of a party for which nothing waits.
 */
export class Rotation<A extends object> {
  readonly #waiting = new Map<string, Set<A>>()
  #holder: { readonly party: string; readonly of: A } | null = null
  /** What waits for the party that has the turn now; it is back among the others when that is over. */
  #behind = new Set<A>()

  /** For how many parties something waits. */
  get parties(): number {
    return this.#waiting.size + (this.#behind.size === 0 ? 0 : 1)
  }

  /** Whose turn it is. */
  get holder(): A | null {
    return this.#holder?.of ?? null
  }

  /** Asks for a turn, which is at once where nobody has it. */
  enter(party: string, one: A): void {
    if (this.#holder === null) this.#holder = { party, of: one }
    else if (this.#holder.party === party) this.#behind.add(one)
    else this.#of(party).add(one)
  }

  /** Gives a turn back, or does without one. Returns whose turn begins by that. */
  leave(party: string, one: A): A | null {
    if (this.#holder?.of === one) return this.#next(party)
    if (this.#holder?.party === party) this.#behind.delete(one)
    else {
      const waiting = this.#waiting.get(party)
      waiting?.delete(one)
      if (waiting?.size === 0) this.#waiting.delete(party)
    }
    return null
  }

  #of(party: string): Set<A> {
    const waiting = this.#waiting.get(party) ?? new Set()
    this.#waiting.set(party, waiting)
    return waiting
  }

  #next(last: string): A | null {
    if (this.#behind.size > 0) this.#waiting.set(last, this.#behind)
    this.#behind = new Set()
    this.#holder = null
    for (const [party, waiting] of this.#waiting) {
      this.#waiting.delete(party)
      this.#behind = waiting
      for (const one of waiting) {
        waiting.delete(one)
        this.#holder = { party, of: one }
        return one
      }
    }
    return null
  }
}
