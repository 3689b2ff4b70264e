/** Something that is due. Housekeeping is nothing that a client could see. */
export interface Timer {
  readonly at: number
  readonly order: number
  action: (() => void) | null
}

export type Mode = "realtime" | "scaled" | "manual"

const earlier = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Longer waits than this overflow the timers of Node; the clock then looks again. */
const longestSleepMs = 1_000_000_000

/** Events at one advance: an endless loop of the server is ended by an error, not by the patience of its caller. */
const maxEvents = 5_000_000

/** The one clock of the server: the time, and whatever is to happen later. */
export class Clock {
  #heap: Array<Timer> = []
  #orders = 0
  #mode: Mode = "realtime"
  #speed = 1
  /** The virtual time at some moment of real time. */
  #base = { virtual: Date.now(), real: performance.now() }
  #sleep: NodeJS.Timeout | undefined

  get mode(): Mode {
    return this.#mode
  }

  get speed(): number {
    return this.#mode === "manual" ? 0 : this.#speed
  }

  now(): number {
    const passed = this.#mode === "manual" ? 0 : (performance.now() - this.#base.real) * this.#speed
    return Math.floor(this.#base.virtual + passed)
  }

  iso(): string {
    return new Date(this.now()).toISOString()
  }

  setMode(mode: Mode, speed = 1): void {
    this.#base = { virtual: this.now(), real: performance.now() }
    this.#mode = mode
    this.#speed = speed
    this.#arm()
  }

  /** Does something at a time, or at once where that has passed. */
  at(time: number, action: () => void): Timer {
    const timer: Timer = { at: Math.max(Math.ceil(time), this.now()), order: this.#orders++, action }
    this.#push(timer)
    if (this.#heap[0] === timer) this.#arm()
    return timer
  }

  after(ms: number, action: () => void): Timer {
    return this.at(this.now() + ms, action)
  }

  cancel(timer: Timer | undefined): void {
    if (timer !== undefined) timer.action = null
  }

  /** The next moment at which something is due, or null. */
  nextDue(): number | null {
    this.#dropCancelled()
    return this.#heap[0]?.at ?? null
  }

  /** Runs whatever is due until a time, each at its own; how many things ran. Ends early once `enough`. */
  advance(until: number, enough: () => boolean = () => false): number {
    let events = 0
    while (!enough()) {
      this.#dropCancelled()
      const next = this.#heap[0]
      if (next === undefined || next.at > until) {
        if (this.#mode === "manual") this.#base.virtual = Math.max(this.#base.virtual, until)
        break
      }
      this.#pop()
      if (this.#mode === "manual") this.#base.virtual = Math.max(this.#base.virtual, next.at)
      next.action?.()
      events += 1
      if (events > maxEvents) throw new Error("the clock runs in circles")
    }
    return events
  }

  /** Real time, until the next thing is due. */
  #arm(): void {
    clearTimeout(this.#sleep)
    this.#sleep = undefined
    const due = this.nextDue()
    if (this.#mode === "manual" || due === null) return
    const sleepMs = Math.min(longestSleepMs, Math.max(0, (due - this.now()) / this.#speed))
    this.#sleep = setTimeout(() => {
      this.advance(this.now())
      this.#arm()
    }, sleepMs)
    this.#sleep.unref()
  }

  #dropCancelled(): void {
    while (this.#heap[0]?.action === null) this.#pop()
  }

  #push(timer: Timer): void {
    const heap = this.#heap
    let index = heap.length
    while (index > 0) {
      const up = (index - 1) >> 1
      const parent = heap[up]
      if (parent === undefined || earlier(parent, timer)) break
      heap[index] = parent
      index = up
    }
    heap[index] = timer
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let index = 0
    for (;;) {
      const [left, right] = [heap[2 * index + 1], heap[2 * index + 2]]
      if (left === undefined) break
      const [child, place] =
        right !== undefined && earlier(right, left) ? [right, 2 * index + 2] : [left, 2 * index + 1]
      if (earlier(last, child)) break
      heap[index] = child
      index = place
    }
    heap[index] = last
  }
}
