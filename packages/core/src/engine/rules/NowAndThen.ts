/** How often something has happened since it was last told; a flood of it is one line in the log now and then. */
export class NowAndThen {
  readonly #everyMs: number
  #count = 0
  #toldAt: number | null = null

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** Counts one more; returns how many to tell of now, or null while it was told too recently. */
  note(now: number): number | null {
    this.#count += 1
    if (this.#toldAt !== null && now - this.#toldAt < this.#everyMs) return null
    const count = this.#count
    this.#count = 0
    this.#toldAt = now
    return count
  }
}
