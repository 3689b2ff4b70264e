/**
 * A queue of jobs in a database, under one definition for all: a job is done once its claim is durable, its handler has run and its
 * completion is durable.
 */
export interface Queue {
  /** Stores jobs without handing them out. */
  readonly fill: (jobs: number) => Promise<void>
  /**
   * Hands out what was stored until all of it is done; returns how often a handler ran that should not have, or did not that should. It calls
   * `begins` once its workers stand, and before more than a first job is claimed: their start is not measured.
   */
  readonly drain: (begins: () => void) => Promise<number>
  /** Lets the workers go that a drain has started; this is not measured, either. */
  readonly rest?: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens a queue on an empty database. */
export type StartQueue = (url: string) => Promise<Queue>

/** The number of a contact. */
export const numberOf = (nth: number): string => `+1555${String(nth).padStart(7, "0")}`

/** What was handled, each job once. */
export class Handled {
  readonly #seen = new Set<string>()
  readonly #expected: number
  readonly #all = Promise.withResolvers<void>()
  #doubled = 0

  constructor(expected: number) {
    this.#expected = expected
  }

  /** A handler has run. */
  run(job: string): void {
    if (this.#seen.has(job)) this.#doubled += 1
    this.#seen.add(job)
    if (this.#seen.size === this.#expected) this.#all.resolve()
  }

  get all(): Promise<void> {
    return this.#all.promise
  }

  get errors(): number {
    return this.#doubled + this.#expected - this.#seen.size
  }
}
