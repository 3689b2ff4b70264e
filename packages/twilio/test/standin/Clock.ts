/** Takes back what was to be done. */
export type Cancel = () => void

/** The stand-in's time, in epoch milliseconds, and what is to be done when. */
export interface StandInClock {
  readonly now: () => number
  readonly at: (time: number, action: () => Promise<void>) => Cancel
}

/** What a timer of the platform can wait at most; a longer wait starts again. */
const longestTimerMs = 2_147_483_647

/** The machine's time. With a speed of 60, a minute of the stand-in takes a second. What throws is an unhandled rejection, which fails a test run. */
export const realClock = (speed = 1): StandInClock => {
  const start = Date.now()
  const now = () => start + (Date.now() - start) * speed
  const at = (time: number, action: () => Promise<void>): Cancel => {
    let timer: NodeJS.Timeout
    const wait = () => {
      const ms = Math.max(0, (time - now()) / speed)
      timer = ms > longestTimerMs ? setTimeout(wait, longestTimerMs) : setTimeout(() => void action(), ms)
    }
    wait()
    return () => clearTimeout(timer)
  }
  return { now, at }
}

/** A clock of which all that was planned can be taken back at once. */
export class ScopedClock implements StandInClock {
  readonly #clock: StandInClock
  readonly #planned = new Set<Cancel>()
  #isClosed = false

  constructor(clock: StandInClock) {
    this.#clock = clock
  }

  readonly now = (): number => this.#clock.now()

  readonly at = (time: number, action: () => Promise<void>): Cancel => {
    if (this.#isClosed) return () => undefined
    const cancel: Cancel = this.#clock.at(time, () => {
      this.#planned.delete(cancel)
      return action()
    })
    this.#planned.add(cancel)
    return () => {
      this.#planned.delete(cancel)
      cancel()
    }
  }

  close(): void {
    this.#isClosed = true
    for (const cancel of this.#planned) cancel()
    this.#planned.clear()
  }
}

interface Due {
  readonly time: number
  readonly action: () => Promise<void>
}

/** Time that only its owner moves. Each thing is waited for before the next is done, callbacks and their answers too. */
export class ManualClock implements StandInClock {
  #now: number
  #isRunning = false
  /** The earliest first; those of one moment in the order in which they were asked for. */
  readonly #due: Array<Due> = []

  constructor(start = Date.UTC(2026, 0, 5, 9)) {
    this.#now = start
  }

  readonly now = (): number => this.#now

  readonly at = (time: number, action: () => Promise<void>): Cancel => {
    // Whole milliseconds, as a machine's clock has them: what is drawn may fall between two.
    const due = { time: Math.ceil(Math.max(time, this.#now)), action }
    const later = this.#due.findIndex((other) => other.time > due.time)
    this.#due.splice(later === -1 ? this.#due.length : later, 0, due)
    return () => {
      const place = this.#due.indexOf(due)
      if (place !== -1) this.#due.splice(place, 1)
    }
  }

  /** When something is due next, or null. */
  next(): number | null {
    return this.#due[0]?.time ?? null
  }

  /** Does the next thing; false where nothing is due by then. */
  async step(by = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (this.#isRunning) throw new Error("The clock is already being moved")
    const next = this.#due[0]
    if (next === undefined || next.time > by) return false
    this.#due.shift()
    this.#now = next.time
    this.#isRunning = true
    try {
      await next.action()
    } finally {
      this.#isRunning = false
    }
    return true
  }

  /** Does all that is due until then, which it is afterwards. */
  async runTo(time: number): Promise<void> {
    while (await this.step(time));
    this.#now = Math.max(this.#now, Math.ceil(time))
  }

  async advance(ms: number): Promise<void> {
    await this.runTo(this.#now + ms)
  }

  /** Does all that is due, however late. */
  async runOut(): Promise<void> {
    while (await this.step());
  }
}
