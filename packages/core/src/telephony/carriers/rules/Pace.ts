/**
 * Calls in a second, evenly: turns are one interval apart, whoever takes them. It counts who waits for a turn, so that one more can be told how long
 * that would be.
 */
export class Pace {
  readonly intervalMs: number
  #freeAt = 0
  /** How many of each organization wait. */
  readonly #waiting = new Map<string, number>()

  constructor(perSecond: number) {
    this.intervalMs = 1000 / perSecond
  }

  /** When the next turn is, at the earliest. */
  get freeAt(): number {
    return this.#freeAt
  }

  /** When nobody waits any more and it is free again; past where it need not be remembered. */
  overAt(now: number): number {
    if (this.#waiting.size === 0) return this.#freeAt
    let waiting = 0
    for (const count of this.#waiting.values()) waiting += count
    return Math.max(this.#freeAt, now) + waiting * this.intervalMs
  }

  enter(organizationId: string): void {
    this.#waiting.set(organizationId, (this.#waiting.get(organizationId) ?? 0) + 1)
  }

  leave(organizationId: string): void {
    const left = (this.#waiting.get(organizationId) ?? 1) - 1
    if (left === 0) this.#waiting.delete(organizationId)
    else this.#waiting.set(organizationId, left)
  }

  take(at: number): void {
    this.#freeAt = at + this.intervalMs
  }

  /** How long one more of an organization would wait, if nobody else came: before it go its own, and of each other organization as many and one. */
  waitMs(organizationId: string, now: number): number {
    const own = this.#waiting.get(organizationId) ?? 0
    let before = own
    for (const [other, count] of this.#waiting) if (other !== organizationId) before += Math.min(count, own + 1)
    return Math.max(0, this.#freeAt - now) + before * this.intervalMs
  }
}
