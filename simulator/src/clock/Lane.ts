/** A piece of work that has the world to itself until it is done. */
type Job = () => void | Promise<void>

/** Turns that are over before the queue is shortened by them. */
const compactAfter = 1024

/**
 * The one lane into the world: requests, control and the clock take turns, in the order of their arrival. A turn ends when
 * everything that it set in motion has come to rest.
 */
export class Lane {
  readonly #before: Job
  readonly #after: () => void
  #jobs: Array<Job> = []
  #first = 0
  #running = false

  /** `before` runs ahead of each turn, `after` whenever the lane falls empty. */
  constructor(before: Job, after: () => void) {
    this.#before = before
    this.#after = after
  }

  /** Takes a turn; the promise is that of the work, not of the turns before it. */
  run<A>(work: () => A | Promise<A>): Promise<A> {
    return new Promise((resolve, reject) => {
      this.enter(async () => {
        try {
          resolve(await work())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  /** Takes a turn for work that answers by itself. */
  enter(job: Job): void {
    this.#jobs.push(job)
    if (!this.#running) void this.#pump()
  }

  async #pump(): Promise<void> {
    this.#running = true
    while (this.#first < this.#jobs.length) {
      const job = this.#jobs[this.#first++]!
      if (this.#first >= compactAfter || this.#first === this.#jobs.length) {
        this.#jobs = this.#jobs.slice(this.#first)
        this.#first = 0
      }
      for (const part of [this.#before, job]) {
        const rest = part()
        // A promise costs a turn of the event loop's queue, and most requests are answered without one.
        if (rest !== undefined) await rest
      }
    }
    this.#running = false
    this.#after()
  }
}
