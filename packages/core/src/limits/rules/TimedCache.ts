/** A bounded cache whose entries are fresh for a fixed time; the oldest entry gives way when it is full. */
export class TimedCache<A> {
  readonly #entries = new Map<string, { readonly value: A; readonly at: number }>()
  readonly #capacity: number
  readonly #freshMs: number

  constructor(capacity: number, freshMs: number) {
    this.#capacity = capacity
    this.#freshMs = freshMs
  }

  /** The value, if it is no older than the cache's fresh time (or than `withinMs`). */
  get(key: string, now: number, withinMs: number = this.#freshMs): A | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && now - entry.at < withinMs ? entry.value : undefined
  }

  set(key: string, value: A, now: number): void {
    this.#entries.delete(key)
    if (this.#entries.size >= this.#capacity) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#entries.delete(oldest.value)
    }
    this.#entries.set(key, { value, at: now })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
