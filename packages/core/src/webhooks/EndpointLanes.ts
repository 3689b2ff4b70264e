/**
 * Who may send now: so many attempts at one endpoint, so many at all. What an endpoint has no room for waits in its own line, so
 * that a slow endpoint holds up nobody but itself. The lines are hints: each delivery in them has a wake-up that outlives this process.
 */
export class EndpointLanes {
  readonly #perEndpoint: number
  readonly #atAll: number
  readonly #queueMax: number
  readonly #lanes = new Map<string, { running: number; readonly queue: Set<string> }>()
  #running = 0

  constructor(bounds: { readonly perEndpoint: number; readonly atAll: number; readonly queue: number }) {
    this.#perEndpoint = bounds.perEndpoint
    this.#atAll = bounds.atAll
    this.#queueMax = bounds.queue
  }

  /** `run`: the place is taken and must be given back. `queued`: it will be called. `crowded`: it has to ask again. */
  enter(endpoint: string, delivery: string): "run" | "queued" | "crowded" {
    const lane = this.#lanes.get(endpoint) ?? { running: 0, queue: new Set<string>() }
    if (lane.running < this.#perEndpoint) {
      if (this.#running >= this.#atAll) return "crowded"
      lane.running += 1
      this.#running += 1
      this.#lanes.set(endpoint, lane)
      return "run"
    }
    if (lane.queue.size >= this.#queueMax && !lane.queue.has(delivery)) return "crowded"
    lane.queue.add(delivery)
    return "queued"
  }

  /** Gives a place back; the delivery that has waited longest at this endpoint may ask for it. */
  leave(endpoint: string): string | null {
    const lane = this.#lanes.get(endpoint)
    if (lane === undefined) return null
    lane.running -= 1
    this.#running -= 1
    const [next] = lane.queue
    if (next !== undefined) lane.queue.delete(next)
    else if (lane.running === 0) this.#lanes.delete(endpoint)
    return next ?? null
  }
}
