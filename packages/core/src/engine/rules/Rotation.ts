/**
 * What waits for one thing that many parties share, in the order in which it has its turn: the parties go round, and each has what it asked for
 * in order. A party that has the thing comes behind all others that wait, so between two turns of a party each other has one at most. A party that
 * rests has no turn. It knows nothing of a party that does not rest and for which nothing waits.
 */
export class Rotation<A extends object> {
  readonly #waiting = new Map<string, Set<A>>()
  #holder: { readonly party: string; readonly of: A } | null = null
  /** What waits for the party that has the turn now; it is back among the others when that is over. */
  #behind = new Set<A>()
  readonly #resting = new Set<string>()

  /** For how many parties something waits. */
  get parties(): number {
    return this.#waiting.size + (this.#behind.size === 0 ? 0 : 1)
  }

  /** Whose turn it is. */
  get holder(): A | null {
    return this.#holder?.of ?? null
  }

  /** Asks for a turn, which is at once where nobody has it and the party does not rest. */
  enter(party: string, one: A): void {
    if (this.#holder === null && !this.#resting.has(party)) this.#holder = { party, of: one }
    else if (this.#holder?.party === party) this.#behind.add(one)
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

  /** From now on a party has no turn; one that it has is not taken from it. */
  rest(party: string): void {
    this.#resting.add(party)
  }

  /** Ends the rest of a party. Returns whose turn begins by that. */
  wake(party: string): A | null {
    this.#resting.delete(party)
    return this.#holder === null ? this.#begin() : null
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
    return this.#begin()
  }

  #begin(): A | null {
    for (const [party, waiting] of this.#waiting) {
      const [one] = waiting
      if (one === undefined || this.#resting.has(party)) continue
      this.#waiting.delete(party)
      waiting.delete(one)
      this.#behind = waiting
      this.#holder = { party, of: one }
      return one
    }
    return null
  }
}
