/** The last so many things of a growing sequence, which is counted from 1. What is older is forgotten. */
export class Ring<A> {
  readonly #capacity: number
  #items: Array<A> = []
  /** Items at the front that are forgotten already. */
  #from = 0
  #appended = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#items.length - this.#from
  }

  /** How many there ever were: the number of the last one. */
  get appended(): number {
    return this.#appended
  }

  /** How many were forgotten. */
  get forgotten(): number {
    return this.#appended - this.size
  }

  append(item: A): void {
    this.#items.push(item)
    this.#appended += 1
    if (this.size > this.#capacity) this.forget()
  }

  /** Forgets the oldest one. */
  forget(): A | undefined {
    if (this.size === 0) return undefined
    const oldest = this.#items[this.#from++]
    // Shortened only now and then, so that forgetting costs the same however many there are.
    if (this.#from > this.size) {
      this.#items = this.#items.slice(this.#from)
      this.#from = 0
    }
    return oldest
  }

  /** Up to `limit` of those that came after number `after`, oldest first. */
  after(after: number, limit = Infinity): ReadonlyArray<A> {
    const start = this.#from + Math.max(0, after - this.forgotten)
    return this.#items.slice(start, Math.min(this.#items.length, start + limit))
  }

  clear(): void {
    this.#items = []
    this.#from = 0
    this.#appended = 0
  }
}
