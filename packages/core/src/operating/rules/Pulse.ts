import type { Clock } from "effect"

const nanosPerMilli = 1e6

/** The beats of what has to go on for as long as its process lives, by a clock that nobody can set. */
export class Pulse {
  readonly #clock: Clock.Clock
  #beatAt: number | null = null

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  #now(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / nanosPerMilli
  }

  beat(): void {
    this.#beatAt = this.#now()
  }

  /** It beats no more, because it shall not. */
  end(): void {
    this.#beatAt = null
  }

  /** Milliseconds since the last beat; null where nothing has begun to beat, or it has ended. */
  stillMs(): number | null {
    return this.#beatAt === null ? null : this.#now() - this.#beatAt
  }
}
