import { Scheduler } from "effect"
import { limits } from "../Limits.ts"
import type { PieceClock } from "./Pacing.ts"

/** A fiber that goes on looks at the clock each so manieth operation. */
const operationsPerLook = 32

type Work = () => void

/**
 * Runs fibers as Effect's own scheduler does, but no longer than `limits.loopTurnMs` in one turn of the event loop, all of them together: what is
 * left goes on in the next turn, in its order. Between two turns the process takes up what has come over the network, and timers are heard. One reply
 * of a database may wake a hundred fibers, and a hundred sockets may be readable at once; without this all that follows from them is one turn.
 */
export class FairScheduler implements Scheduler.Scheduler {
  readonly executionMode = "async"
  readonly #clock: Pick<PieceClock, "now" | "afterTurn">
  readonly #base = new Scheduler.MixedScheduler("async", (work) => this.#later(work))
  /** What runs in the next turns, in its order. Each dispatcher is in it once at most. */
  readonly #waiting = new Set<Work>()
  #isAwaited = false
  /** When the first fiber of this turn was seen, in milliseconds; null before. */
  #began: number | null = null
  #looks = 0

  constructor(clock: Pick<PieceClock, "now" | "afterTurn">) {
    this.#clock = clock
  }

  shouldYield(fiber: Parameters<Scheduler.Scheduler["shouldYield"]>[0]): boolean {
    if (this.#base.shouldYield(fiber)) return true
    this.#looks += 1
    if (fiber.currentOpCount > 1 && this.#looks % operationsPerLook !== 0) return false
    return this.#isOver()
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return this.#base.makeDispatcher()
  }

  #later(work: Work): Work {
    this.#waiting.add(work)
    this.#await()
    return () => void this.#waiting.delete(work)
  }

  #await(): void {
    if (this.#isAwaited || this.#waiting.size === 0) return
    this.#isAwaited = true
    this.#clock.afterTurn(() => this.#turn())
  }

  #turn(): void {
    this.#isAwaited = false
    this.#began = this.#clock.now()
    // What these set going is for the turn after this one.
    let left = this.#waiting.size
    try {
      for (const work of this.#waiting) {
        this.#waiting.delete(work)
        work()
        left -= 1
        if (left === 0 || this.#isOver()) break
      }
    } finally {
      this.#began = null
      this.#await()
    }
  }

  #isOver(): boolean {
    const at = this.#clock.now()
    if (this.#began !== null) return at - this.#began >= limits.loopTurnMs
    this.#began = at
    this.#clock.afterTurn(() => {
      this.#began = null
    })
    return false
  }
}
