import { Scheduler } from "effect"
import { limits } from "../Limits.ts"
import type { PieceClock } from "./Pacing.ts"

type Work = () => void

/**
 * Runs fibers as Effect's own scheduler does, but no longer than `limits.loopTurnMs` in one turn of the event loop, all of them together: what is
 * left goes on in the next turn, in its order. Between two turns the process takes up what has come over the network, and timers are heard. One reply
 * of a database may wake a hundred fibers, and a hundred sockets may be readable at once; without this all that follows from them is one turn.
 *
 * A fiber is held up only where it waited already: its answer comes to it later, as any answer may. A fiber that begins does so at once, so those
 * that are started together begin in their order, and nobody is cut off between two operations, unless it has done 2,048 of them.
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
  /** Whether what runs next was taken from those that waited for this turn. */
  #isTaken = false
  /** The id of the last fiber that began; ids go up. */
  #newest = -1

  constructor(clock: Pick<PieceClock, "now" | "afterTurn">) {
    this.#clock = clock
  }

  shouldYield(fiber: Parameters<Scheduler.Scheduler["shouldYield"]>[0]): boolean {
    if (this.#base.shouldYield(fiber)) return true
    if (fiber.currentOpCount > 1) return false
    const isNew = fiber.id > this.#newest
    if (isNew) this.#newest = fiber.id
    const hasWaited = this.#isTaken
    this.#isTaken = false
    return !isNew && !hasWaited && this.#isOver()
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
        this.#isTaken = true
        work()
        left -= 1
        if (left === 0 || this.#isOver()) break
      }
    } finally {
      this.#isTaken = false
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
