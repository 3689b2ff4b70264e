/** How virtual time passes: as fast as real time, N times as fast, or only when told. */
export type ClockMode = { readonly mode: "realtime" | "manual" } | { readonly mode: "scaled"; readonly speed: number }

/** The slowest and the fastest that virtual time may pass beside real time. */
export const speedBounds = { min: 0.001, max: 1_000_000 } as const

/** Where a manual world begins: a Monday morning. */
export const manualEpoch = Date.UTC(2026, 0, 5, 9)

/** Wall time in epoch milliseconds: where a world begins that was given no epoch. */
export const wallEpoch = (): number => Date.now()

/** Real milliseconds since some moment; never falls back. */
export type Stopwatch = () => number

const monotonic: Stopwatch = () => performance.now()

/** Virtual seconds per real second. */
const speedOf = (mode: ClockMode): number => (mode.mode === "scaled" ? mode.speed : mode.mode === "realtime" ? 1 : 0)

/**
 * The time of the simulated world, in whole epoch milliseconds. It stands still while something runs: whoever drives the world
 * moves it from one moment to the next, in real time no later than the stopwatch says.
 */
export class VirtualClock {
  readonly #stopwatch: Stopwatch
  #mode: ClockMode
  #now: number
  #base: { readonly virtual: number; readonly real: number }

  constructor(epoch: number, mode: ClockMode, stopwatch: Stopwatch = monotonic) {
    this.#stopwatch = stopwatch
    this.#mode = mode
    this.#now = epoch
    this.#base = { virtual: epoch, real: stopwatch() }
  }

  readonly now = (): number => this.#now

  get mode(): ClockMode["mode"] {
    return this.#mode.mode
  }

  /** Virtual seconds per real second; 0 where time moves only when told. */
  get speed(): number {
    return speedOf(this.#mode)
  }

  /** Goes on from the present virtual time. */
  setMode(mode: ClockMode): void {
    this.#mode = mode
    this.#base = { virtual: this.#now, real: this.#stopwatch() }
  }

  /** Moves the time on; it never falls back. */
  advanceTo(at: number): void {
    if (at > this.#now) this.#now = at
  }

  /** The time it should be by now: that of the stopwatch, or the present one where time moves only when told. */
  target(): number {
    if (this.#mode.mode === "manual") return this.#now
    return Math.max(this.#now, this.#base.virtual + Math.floor((this.#stopwatch() - this.#base.real) * this.speed))
  }

  /** Real milliseconds until it is `at`; infinity where time moves only when told. */
  realMsUntil(at: number): number {
    if (this.#mode.mode === "manual") return Infinity
    return Math.max(0, this.#base.real + (at - this.#base.virtual) / this.speed - this.#stopwatch())
  }
}
