import type { Parking } from "@carillon/core/ports"
import type { Effect } from "effect"

type Draw = (purpose: string, ...key: ReadonlyArray<string | number>) => number

/** The latest that a use of a store begins, in milliseconds of virtual time: time enough for others, and far from every deadline. */
const mostMs = 3

/**
 * Others get on between what a step reads and what it writes: some uses of the engine's stores begin a little later, and whatever else is
 * due then, or asked for, comes first. Without it nothing ever happens there in a world that is quicker than its clock.
 */
export class Interleaving {
  readonly #draw: Draw
  #uses = 0
  /** When the last use of those so far begins: the step that it belongs to goes on at that moment by what it has read before. */
  #lastAt = -Infinity
  /** The chance of each use to begin later. */
  rate = 0
  /** That of a commit: what a step has read grows old before it. */
  commits = 0

  constructor(draw: Draw) {
    this.#draw = draw
  }

  /** Does something that must be over before the clock goes on. */
  async without<A>(work: () => Promise<A> | A): Promise<A> {
    const { commits, rate } = this
    this.rate = 0
    this.commits = 0
    try {
      return await work()
    } finally {
      this.rate = rate
      this.commits = commits
    }
  }

  /** Whether others get on at this moment, or what they overtook still goes on. */
  isOn(now: number): boolean {
    return this.rate > 0 || this.commits > 0 || now <= this.#lastAt
  }

  /** What a use of a store waits for before it begins; null where it begins at once. */
  wait(parking: Parking["Service"], now: () => number, isCommit: boolean): Effect.Effect<unknown> | null {
    const rate = isCommit ? this.commits : this.rate
    if (rate === 0) return null
    const nth = this.#uses++
    if (this.#draw("interleave", nth) >= rate) return null
    const at = now() + 1 + Math.floor(this.#draw("interleaved", nth) * mostMs)
    this.#lastAt = Math.max(this.#lastAt, at)
    return parking.park(`interleaved:${nth}`, at).wait
  }
}
