import type { Stopwatch } from "./VirtualClock.ts"

const windowMs = 1_000

/** Events per second of real time, over the last second or so in which anybody looked. */
export class EventRate {
  readonly #stopwatch: Stopwatch
  readonly #events: () => number
  #from: { readonly at: number; readonly events: number }
  #rate = 0

  constructor(events: () => number, stopwatch: Stopwatch = () => performance.now()) {
    this.#events = events
    this.#stopwatch = stopwatch
    this.#from = { at: stopwatch(), events: events() }
  }

  read(): number {
    const [at, events] = [this.#stopwatch(), this.#events()]
    const elapsed = at - this.#from.at
    if (elapsed < windowMs) return this.#rate
    this.#rate = Math.round(((events - this.#from.events) * 1_000) / elapsed)
    this.#from = { at, events }
    return this.#rate
  }
}
