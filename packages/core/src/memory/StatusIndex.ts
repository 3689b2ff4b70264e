import type { Call } from "../calls/rules/Call.ts"
import type { CallStatus } from "../calls/rules/CallStatus.ts"
import { OrderedIndex, type Ordinal } from "./OrderedIndex.ts"

type Direction = Call["direction"]

/** The rows of one owner, each on the one shelf of its direction and status. */
type Shelves<A extends Ordinal> = { readonly [direction in Direction]: Map<CallStatus, OrderedIndex<A>> }

const directions: ReadonlyArray<Direction> = ["outbound", "inbound"]

/** Calls of an owner (an organization, an agent, a batch, a campaign) by status and direction together, in list order. */
export class StatusIndex<A extends Ordinal> {
  readonly #byOwner = new Map<string, Shelves<A>>()

  add(owner: string, { direction, status }: Call, item: A): void {
    let shelves = this.#byOwner.get(owner)
    if (shelves === undefined) {
      shelves = { outbound: new Map(), inbound: new Map() }
      this.#byOwner.set(owner, shelves)
    }
    let shelf = shelves[direction].get(status)
    if (shelf === undefined) {
      shelf = new OrderedIndex()
      shelves[direction].set(status, shelf)
    }
    shelf.add(item)
  }

  remove(owner: string, { direction, status }: Call, item: A): void {
    this.#byOwner.get(owner)?.[direction].get(status)?.remove(item)
  }

  /** The shelves that hold between them, each once, the rows of an owner with these statuses and this direction; undefined: any. */
  get(
    owner: string,
    statuses: ReadonlySet<CallStatus> | undefined,
    direction: Direction | undefined,
  ): ReadonlyArray<OrderedIndex<A>> {
    const shelves = this.#byOwner.get(owner)
    if (shelves === undefined) return []
    const found: Array<OrderedIndex<A>> = []
    for (const each of direction === undefined ? directions : [direction]) {
      for (const [status, shelf] of shelves[each]) {
        if (shelf.size > 0 && (statuses === undefined || statuses.has(status))) found.push(shelf)
      }
    }
    return found
  }
}
