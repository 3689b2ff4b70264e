import { Scheduler } from "effect"

/**
 * One queue for all fibers of a world. Whoever gives the world an input drains it at once, so that what the input set in
 * motion has run when the next one comes, in the order in which it was set in motion and with no turn of the event loop in
 * between.
 */
export class LaneScheduler implements Scheduler.Scheduler {
  readonly executionMode = "async"
  readonly #queue = new Scheduler.MixedScheduler().makeDispatcher()
  readonly #dispatcher: Scheduler.SchedulerDispatcher = {
    scheduleTask: (task, priority) =>
      this.#queue.scheduleTask(() => {
        if (this.#stopped) return
        if (this.#held === null) task()
        else this.#held.push({ task, priority })
      }, priority),
    flush: () => this.#queue.flush(),
  }
  #stopped = false
  /** What would run if it were not paused. */
  #held: Array<{ readonly task: () => void; readonly priority: number }> | null = null

  /**
   * A fiber goes on until it waits. Yielding after so many operations, as Effect does otherwise, would let others in at a place that depends on how many
   * there were before: a request that comes over a socket has others than the same one from a journal.
   */
  shouldYield(): boolean {
    return this.#held !== null
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return this.#dispatcher
  }

  /** Runs everything that is queued, and what that queues in turn. */
  drain(): void {
    this.#dispatcher.flush()
  }

  /** No fiber goes on, wherever it is, before `resume`. */
  pause(): void {
    this.#held ??= []
  }

  resume(): void {
    const held = this.#held ?? []
    this.#held = null
    for (const { task, priority } of held) this.#dispatcher.scheduleTask(task, priority)
  }

  /** No fiber runs any more, not even to clean up. */
  stop(): void {
    this.#stopped = true
  }
}
