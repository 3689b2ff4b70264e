/** Work that may go on side by side, so much at once, and work that wants to be alone. What is asked for first begins first. */

interface Waiting {
  readonly alone: boolean
  readonly begin: () => void
}

/** A road of several lanes: work beside other work takes one, work alone takes all. */
export class Lanes {
  readonly #lanes: number
  readonly #waiting: Array<Waiting> = []
  #taken = 0

  constructor(lanes: number) {
    this.#lanes = lanes
  }

  /** Does something beside others. */
  beside<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queued(false, work, (waiting) => this.#waiting.push(waiting))
  }

  /** Does something while nothing else goes on. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queued(true, work, (waiting) => this.#waiting.push(waiting))
  }

  /** Does something while nothing else goes on, before everything that waits. */
  aloneNext<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queued(true, work, (waiting) => this.#waiting.unshift(waiting))
  }

  #queued<Result>(alone: boolean, work: () => Promise<Result>, queue: (waiting: Waiting) => void): Promise<Result> {
    const taken = alone ? this.#lanes : 1
    return new Promise<void>((begin) => {
      queue({ alone, begin })
      this.#letBegin()
    })
      .then(work)
      .finally(() => {
        this.#taken -= taken
        this.#letBegin()
      })
  }

  #letBegin(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const wanted = next.alone ? this.#lanes : 1
      if (this.#taken + wanted > this.#lanes) return
      this.#taken += wanted
      this.#waiting.shift()
      next.begin()
    }
  }
}
