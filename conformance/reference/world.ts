import { Carrier } from "./carrier.ts"
import { Clock } from "./clock.ts"
import { Deliveries } from "./deliveries.ts"
import { Dispatcher } from "./dispatcher.ts"
import { Network } from "./inbox.ts"
import type { Key } from "./keys.ts"
import { Lifecycle } from "./lifecycle.ts"
import { Lines } from "./lines.ts"
import type { Organization } from "./organization.ts"
import type { Context } from "./route.ts"
import { Table } from "./table.ts"

const maxKeys = 100_000
const maxOrganizations = 50_000

/** Numbers of an area that nobody has, for organizations that name none. */
const firstNumber = 2_000_000
const numbersToGive = 3_000_000

/** A request that only time can answer. */
interface Waiting {
  readonly request_id: string
  readonly method: string
  readonly path: string
  readonly since: string
}

/** Everything that the server is made of. */
export class World {
  readonly clock = new Clock()
  readonly network = new Network()
  readonly carrier = new Carrier(this.clock)
  readonly deliveries = new Deliveries(this.clock, this.network)
  /** By hash. */
  readonly keys = new Table<Key>(maxKeys)
  readonly organizations = new Table<Organization>(maxOrganizations)
  readonly waiting = new Set<Waiting>()
  #numbersMade = 0
  readonly lines: Lines
  readonly dispatcher: Dispatcher
  readonly lifecycle: Lifecycle

  constructor() {
    const { carrier, clock, deliveries } = this
    const lines = () => this.lines
    this.dispatcher = new Dispatcher({
      clock,
      lines,
      lifecycle: () => this.lifecycle,
      isUnfunded: (phone) => carrier.isUnfunded(phone),
    })
    this.lines = new Lines(clock, (organization) => this.dispatcher.startOne(organization))
    this.lifecycle = new Lifecycle({
      clock,
      carrier,
      deliveries,
      lines,
      ended: (organization, call) => this.dispatcher.ended(organization, call),
      waits: (context) => this.waits(context),
      zoneOf: (organization, { campaign_id }) => organization.campaigns.get(campaign_id ?? "")?.timezone ?? "UTC",
    })
  }

  /** Shows a request as waiting until the function that comes back is called. */
  waits({ request, requestId }: Context): () => void {
    const [path = ""] = (request.url ?? "").split("?", 1)
    const one = { request_id: requestId, method: request.method ?? "", path, since: this.clock.iso() }
    this.waiting.add(one)
    return () => this.waiting.delete(one)
  }

  /** Lets so much time pass for a request. */
  passing(context: Context, ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve()
    const done = this.waits(context)
    return new Promise((resolve) => {
      this.clock.after(ms, () => {
        done()
        resolve()
      })
    })
  }

  /** A number that nobody has been given before. */
  newNumber(): string {
    this.#numbersMade += 1
    return `+1555${firstNumber + (this.#numbersMade % numbersToGive)}`
  }

  /** A number belongs to one organization. */
  ownerOf(phone: string): Organization | null {
    return this.organizations.find((organization) => organization.ownsNumber(phone)) ?? null
  }
}
