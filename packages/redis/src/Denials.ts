import { SlidingWindow } from "@carillon/core/domain"

interface Denial {
  readonly state: SlidingWindow.WindowState
  readonly limit: number
  readonly until: number
}

/**
 * The counters that refuse, as they were last read. Nobody is admitted while the estimate only falls, so until it falls below the
 * ceiling (`SlidingWindow.deniedUntil`) what they say here is what Redis would say. Bounded: the oldest gives way.
 */
export class Denials {
  readonly #denials = new Map<string, Denial>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** The counters that refuse a request under this ceiling now, if they are known to. */
  get(key: string, limit: number, now: number): SlidingWindow.WindowState | undefined {
    const denial = this.#denials.get(key)
    if (denial === undefined) return undefined
    if (denial.limit === limit && now < denial.until) return denial.state
    this.#denials.delete(key)
    return undefined
  }

  /** Remembers counters that have just refused. */
  set(key: string, limit: number, now: number, state: SlidingWindow.WindowState): void {
    this.#denials.delete(key)
    if (this.#denials.size >= this.#capacity) {
      const oldest = this.#denials.keys().next()
      if (!oldest.done) this.#denials.delete(oldest.value)
    }
    this.#denials.set(key, { state, limit, until: SlidingWindow.deniedUntil(state, limit, now) })
  }
}
