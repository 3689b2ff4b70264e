/**
 * The keys that came last, up to a number. A ring, because the first key of a map that has lost many is found only by walking past all
 * of them.
 */
export class Remembered {
  readonly #keys: Array<string> = []
  readonly #capacity: number
  #next = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Takes a new key in; returns the one that is forgotten for it, if any is. */
  add(key: string): string | undefined {
    const forgotten = this.#keys[this.#next]
    this.#keys[this.#next] = key
    this.#next = (this.#next + 1) % this.#capacity
    return forgotten
  }
}
