/** Things of executions that one process remembers by itself, in bounded number; the oldest go first. What is older is known by the rows. */
export class Newest<A> {
  readonly #max: number
  readonly #kept = new Map<string, A>()

  constructor(max: number) {
    this.#max = max
  }

  find(id: string): A | null {
    return this.#kept.get(id) ?? null
  }

  /** Keeps it as the newest; returns the id of what had to go for it, or null. */
  keep(id: string, value: A): string | null {
    // The first of the map is the oldest.
    this.#kept.delete(id)
    this.#kept.set(id, value)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size <= this.#max || oldest === undefined) return null
    this.#kept.delete(oldest)
    return oldest
  }

  forget(id: string): void {
    this.#kept.delete(id)
  }
}
