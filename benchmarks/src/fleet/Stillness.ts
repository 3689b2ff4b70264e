/** So many looks at least, of those that fit into the time: a machine that hardly lets anybody look lets nobody else get on either. */
const looksAtLeast = 1 / 4

/** For how long something has not moved, by the clock and by looks at it. */
export class Stillness {
  readonly #longMs: number
  readonly #leastLooks: number
  #since = performance.now()
  #looks = 0

  /** @param lookMs between two looks, where the machine lets one look. */
  constructor(longMs: number, lookMs: number) {
    this.#longMs = longMs
    this.#leastLooks = (longMs / lookMs) * looksAtLeast
  }

  look(moves: boolean): void {
    this.#looks += 1
    if (moves) [this.#since, this.#looks] = [performance.now(), 0]
  }

  get seconds(): number {
    return Math.round((performance.now() - this.#since) / 1_000)
  }

  get isLong(): boolean {
    return performance.now() - this.#since > this.#longMs && this.#looks > this.#leastLooks
  }
}
