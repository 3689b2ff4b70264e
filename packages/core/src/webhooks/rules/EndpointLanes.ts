/** Where an attempt goes: an endpoint of an organization, on a host. */
export interface Place {
  readonly organization: string
  readonly endpoint: string
  readonly host: string
}

/** A delivery that asks for a place: whether it was attempted before, and the bytes of its body, which are in memory while it is attempted. */
export interface Asking {
  readonly delivery: string
  readonly isRetry: boolean
  readonly bytes: number
}

/** What is under way: so many attempts, whose bodies and headers have so many bytes. */
interface Load {
  attempts: number
  bytes: number
}

/** How much of what all share is free, and how much of it the organization and its attempts at the host have. */
interface Shared {
  readonly free: number
  readonly organization: number
  readonly host: number
}

/**
 * Who may take so much more of what all share, places or bytes. An attempt that hangs is never cut short, so what everybody is owed has to stay
 * free: nobody has more than is left for all the others. One that fills all it may leaves half, each of two a third, and of n each leaves as much as it has; whoever has nothing
 * is let in at once. Within an organization its hosts share in the same way what it may still take.
 */
const mayTake = (more: number, { free, host, organization }: Shared): boolean =>
  organization + more <= free && host + more <= free - organization

/** Attempts under way at one endpoint, and the deliveries that wait for it, with the bytes of their bodies. */
interface Lane {
  readonly place: Place
  running: number
  readonly retries: Map<string, number>
  readonly firsts: Map<string, number>
}

/** What one organization has under way, at each host, and the lanes of it in which somebody waits: whose turn is next stands first. */
interface Tenant {
  readonly running: Load
  waiting: number
  readonly hosts: Map<string, Load>
  readonly lanes: Map<string, Lane>
}

/** How many organizations, and endpoints of one, are looked at when a place becomes free. */
const turnsPerPlace = 8

const waitingIn = ({ firsts, retries }: Lane): number => retries.size + firsts.size

/**
 * Who may send now: so many attempts at one endpoint, so many at all and so many bytes of bodies, and of both each organization and each of its hosts
 * its share (`mayTake`). What there is no place for waits in the line of its endpoint, so that a slow endpoint holds up nobody but itself. Free places go round: from
 * organization to organization, and there from endpoint to endpoint. Deliveries that were attempted before come first, so that the four
 * attempts of one lie together however many others wait. The lines are hints: each delivery in them has a wake-up that outlives this process.
 */
export class EndpointLanes {
  readonly #perEndpoint: number
  readonly #atAll: number
  readonly #bytesAtAll: number
  readonly #queueMax: number
  readonly #lanes = new Map<string, Lane>()
  readonly #tenants = new Map<string, Tenant>()
  /** The organizations of which somebody waits; whose turn is next stands first. */
  readonly #turns = new Map<string, Tenant>()
  readonly #running: Load = { attempts: 0, bytes: 0 }
  #waiting = 0

  /** Attempts under way. */
  get running(): number {
    return this.#running.attempts
  }

  /** Deliveries that wait for their endpoint. */
  get waiting(): number {
    return this.#waiting
  }

  constructor(bounds: {
    readonly perEndpoint: number
    readonly atAll: number
    readonly bytes: number
    readonly queue: number
  }) {
    this.#perEndpoint = bounds.perEndpoint
    this.#atAll = bounds.atAll
    this.#bytesAtAll = bounds.bytes
    this.#queueMax = bounds.queue
  }

  /** Whether the place could be taken; then it must be given back. What asks waits nowhere. */
  take(place: Place, bytes: number): boolean {
    const lane = this.#lane(place)
    if (!this.#mayStart(lane, this.#tenant(place.organization), bytes)) return false
    this.#lanes.set(place.endpoint, lane)
    lane.running += 1
    this.#count(place, 1, bytes)
    return true
  }

  /** `run`: the place is taken and must be given back. `queued`: it will be called. `crowded`: it has to ask again. */
  enter(place: Place, { bytes, delivery, isRetry }: Asking): "run" | "queued" | "crowded" {
    if (this.take(place, bytes)) return "run"
    const tenant = this.#tenant(place.organization)
    const lane = this.#lane(place)
    const queue = isRetry ? lane.retries : lane.firsts
    if (queue.has(delivery)) return "queued"
    // Room to wait is shared as the places are.
    if (tenant.waiting >= this.#queueMax - this.#waiting) return "crowded"
    queue.set(delivery, bytes)
    this.#lanes.set(place.endpoint, lane)
    this.#waits(lane, tenant, 1)
    return "queued"
  }

  /** Gives a place back with the bytes that it had; the delivery whose turn it is now may ask for it. */
  leave(place: Place, bytes: number): string | null {
    const lane = this.#lanes.get(place.endpoint)
    if (lane === undefined) return null
    lane.running -= 1
    this.#count(place, -1, -bytes)
    // Where none of those that were looked at may start, the endpoint itself has just got room.
    const next = this.next() ?? this.#nextAt(lane, this.#tenant(place.organization))
    this.#forget(lane)
    return next
  }

  /** Takes a delivery that may start out of its line. */
  next(): string | null {
    for (let turn = 0; turn < turnsPerPlace; turn++) {
      const [first] = this.#turns
      if (first === undefined) return null
      const [organization, tenant] = first
      this.#turns.delete(organization)
      this.#turns.set(organization, tenant)
      const next = this.#nextOf(tenant)
      if (next !== null) return next
    }
    return null
  }

  #nextOf(tenant: Tenant): string | null {
    for (let turn = 0; turn < turnsPerPlace; turn++) {
      const [first] = tenant.lanes
      if (first === undefined) return null
      const [endpoint, lane] = first
      tenant.lanes.delete(endpoint)
      tenant.lanes.set(endpoint, lane)
      const next = this.#nextAt(lane, tenant)
      if (next !== null) return next
    }
    return null
  }

  #mayStart({ place, running }: Lane, tenant: Tenant, bytes: number): boolean {
    if (running >= this.#perEndpoint) return false
    const shared = (bound: number, of: keyof Load): Shared => ({
      free: bound - this.#running[of],
      organization: tenant.running[of],
      host: tenant.hosts.get(place.host)?.[of] ?? 0,
    })
    return mayTake(1, shared(this.#atAll, "attempts")) && mayTake(bytes, shared(this.#bytesAtAll, "bytes"))
  }

  #nextAt(lane: Lane, tenant: Tenant): string | null {
    const queue = lane.retries.size > 0 ? lane.retries : lane.firsts
    const [first] = queue
    if (first === undefined) return null
    const [next, bytes] = first
    if (!this.#mayStart(lane, tenant, bytes)) return null
    queue.delete(next)
    this.#waits(lane, tenant, -1)
    return next
  }

  #lane(place: Place): Lane {
    return this.#lanes.get(place.endpoint) ?? { place, running: 0, retries: new Map(), firsts: new Map() }
  }

  #tenant(organization: string): Tenant {
    return (
      this.#tenants.get(organization) ?? {
        running: { attempts: 0, bytes: 0 },
        waiting: 0,
        hosts: new Map<string, Load>(),
        lanes: new Map<string, Lane>(),
      }
    )
  }

  /** One attempt more or less is under way, with the bytes of its body. */
  #count({ host, organization }: Place, change: 1 | -1, bytes: number): void {
    const tenant = this.#tenant(organization)
    const atHost = tenant.hosts.get(host) ?? { attempts: 0, bytes: 0 }
    for (const load of [this.#running, tenant.running, atHost]) {
      load.attempts += change
      load.bytes += bytes
    }
    if (atHost.attempts === 0) tenant.hosts.delete(host)
    else tenant.hosts.set(host, atHost)
    this.#keep(organization, tenant)
  }

  /** One delivery more or less waits. */
  #waits(lane: Lane, tenant: Tenant, change: 1 | -1): void {
    const { endpoint, organization } = lane.place
    this.#waiting += change
    tenant.waiting += change
    if (waitingIn(lane) === 0) tenant.lanes.delete(endpoint)
    else if (!tenant.lanes.has(endpoint)) tenant.lanes.set(endpoint, lane)
    if (tenant.waiting === 0) this.#turns.delete(organization)
    else if (!this.#turns.has(organization)) this.#turns.set(organization, tenant)
    this.#keep(organization, tenant)
    this.#forget(lane)
  }

  #keep(organization: string, tenant: Tenant): void {
    if (tenant.running.attempts === 0 && tenant.waiting === 0) this.#tenants.delete(organization)
    else this.#tenants.set(organization, tenant)
  }

  #forget(lane: Lane): void {
    if (lane.running === 0 && waitingIn(lane) === 0) this.#lanes.delete(lane.place.endpoint)
  }
}
