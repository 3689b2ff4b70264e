/** The ids of the last commits, so that one that is sent again applies once. */
export class AppliedCommits {
  readonly #most: number
  readonly #ids = new Set<string>()
  /** The same ids in a ring, so that forgetting the oldest needs no walk through the set. */
  readonly #recent: Array<string> = []
  #next = 0

  constructor(most: number) {
    this.#most = most
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Remembers one more, and forgets the oldest where they are as many as it may. */
  add(id: string): void {
    const oldest = this.#recent[this.#next]
    if (oldest !== undefined) this.#ids.delete(oldest)
    this.#ids.add(id)
    this.#recent[this.#next] = id
    this.#next = (this.#next + 1) % this.#most
  }
}
