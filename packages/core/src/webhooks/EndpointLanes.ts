/** Attempts under way at one endpoint, and the deliveries that wait for it. */
interface Lane {
  running: number
  readonly retries: Set<string>
  readonly firsts: Set<string>
}

/**
 * Who may send now: so many attempts at one endpoint, so many at all. What an endpoint has no room for waits in its own line, so
 * that a slow endpoint holds up nobody but itself. Deliveries that were attempted before come first, so that the four attempts of one
 * lie together however many others wait. The lines are hints: each delivery in them has a wake-up that outlives this process.
 */
export class EndpointLanes {
  readonly #perEndpoint: number
  readonly #atAll: number
  readonly #queueMax: number
  readonly #lanes = new Map<string, Lane>()
  #running = 0

  constructor(bounds: { readonly perEndpoint: number; readonly atAll: number; readonly queue: number }) {
    this.#perEndpoint = bounds.perEndpoint
    this.#atAll = bounds.atAll
    this.#queueMax = bounds.queue
  }

  /** `run`: the place is taken and must be given back. `queued`: it will be called. `crowded`: it has to ask again. */
  enter(endpoint: string, delivery: string, isRetry: boolean): "run" | "queued" | "crowded" {
    const lane = this.#lanes.get(endpoint) ?? { running: 0, retries: new Set<string>(), firsts: new Set<string>() }
    if (lane.running < this.#perEndpoint) {
      if (this.#running >= this.#atAll) return "crowded"
      lane.running += 1
      this.#running += 1
      this.#lanes.set(endpoint, lane)
      return "run"
    }
    const queue = isRetry ? lane.retries : lane.firsts
    if (lane.retries.size + lane.firsts.size >= this.#queueMax && !queue.has(delivery)) return "crowded"
    queue.add(delivery)
    return "queued"
  }

  /** Gives a place back; the delivery that comes next at this endpoint may ask for it. */
  leave(endpoint: string): string | null {
    const lane = this.#lanes.get(endpoint)
    if (lane === undefined) return null
    lane.running -= 1
    this.#running -= 1
    const next = this.next(endpoint)
    if (next === null && lane.running === 0) this.#lanes.delete(endpoint)
    return next
  }

  /** Takes the delivery that comes next at an endpoint out of its line. */
  next(endpoint: string): string | null {
    const lane = this.#lanes.get(endpoint)
    if (lane === undefined) return null
    const queue = lane.retries.size > 0 ? lane.retries : lane.firsts
    const [next] = queue
    if (next !== undefined) queue.delete(next)
    return next ?? null
  }
}
