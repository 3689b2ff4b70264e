import type { OldestRequest, Page, PageRequest } from "../Pagination.ts"
import type { Delivery } from "../webhooks/rules/Delivery.ts"
import type { DeliveryFilter } from "../webhooks/ports/DeliveryStore.ts"
import { FieldIndex, narrowestOf } from "./FieldIndex.ts"
import { OrderedIndex } from "./OrderedIndex.ts"

/** A stored delivery with its place in the order of lists. The entry is stable while the row is replaced. */
export interface DeliveryEntry {
  readonly created_at: number
  readonly sequence: number
  delivery: Delivery
}

/** Fields that lists are filtered by; each value of each has an index of its own. */
const fields = ["event_id", "event_type", "execution_id", "status", "subscription_id"] as const

/** The deliveries of one organization. Each filter that is asked for alone costs a page and no more, and so does the status of what one subscription was sent. */
export class DeliveryListing {
  readonly #all = new OrderedIndex<DeliveryEntry>()
  readonly #by: { readonly [field in (typeof fields)[number]]: FieldIndex<DeliveryEntry> } = {
    event_id: new FieldIndex(),
    event_type: new FieldIndex(),
    execution_id: new FieldIndex(),
    status: new FieldIndex(),
    subscription_id: new FieldIndex(),
  }
  readonly #byStatusOfSubscription = new FieldIndex<DeliveryEntry>()
  /** How long each delivery is kept, while that is one time for all: then those that have expired are the oldest. */
  #keptFor: number | "each its own" | undefined

  add(entry: DeliveryEntry): void {
    const keptFor = entry.delivery.expires_at - entry.created_at
    this.#keptFor ??= keptFor
    if (this.#keptFor !== keptFor) this.#keptFor = "each its own"
    this.#all.add(entry)
    for (const field of fields) {
      const value = entry.delivery[field]
      if (value !== null) this.#by[field].add(value, entry)
    }
    const pair = pairOf(entry.delivery)
    if (pair !== undefined) this.#byStatusOfSubscription.add(pair, entry)
  }

  remove(entry: DeliveryEntry): void {
    this.#all.remove(entry)
    for (const field of fields) {
      const value = entry.delivery[field]
      if (value !== null) this.#by[field].remove(value, entry)
    }
    const pair = pairOf(entry.delivery)
    if (pair !== undefined) this.#byStatusOfSubscription.remove(pair, entry)
  }

  /** Gives an entry its next row. Of what lists are filtered by, only the status of a delivery changes. */
  replace(entry: DeliveryEntry, delivery: Delivery): void {
    const before = entry.delivery
    entry.delivery = delivery
    if (before.status === delivery.status) return
    this.#by.status.remove(before.status, entry)
    this.#by.status.add(delivery.status, entry)
    const [was, is] = [pairOf(before), pairOf(delivery)]
    if (was !== undefined) this.#byStatusOfSubscription.remove(was, entry)
    if (is !== undefined) this.#byStatusOfSubscription.add(is, entry)
  }

  page(filter: DeliveryFilter, request: PageRequest, now: number): Page<Delivery> {
    const { index, isExact } = this.#narrowest(filter)
    const expired = typeof this.#keptFor === "number" ? now - this.#keptFor : -Infinity
    const within = index.range(Math.max(filter.from_date ?? 0, expired + 1), filter.to_date)
    const isWanted = ({ delivery }: DeliveryEntry) => delivery.expires_at > now && matches(delivery, filter)
    const isEach = isExact && typeof this.#keptFor === "number"
    const { items, total } = index.page(request, {
      order: "newest first",
      within,
      isWanted: isEach ? undefined : isWanted,
    })
    return { items: items.map(({ delivery }) => delivery), total }
  }

  oldest(request: OldestRequest): ReadonlyArray<DeliveryEntry> {
    return this.#all.oldest(request)
  }

  /** The first deliveries that tell of a call. */
  ofCall(executionId: string, limit: number): ReadonlyArray<DeliveryEntry> {
    return this.#by.execution_id.get(executionId).oldest({ after: null, limit })
  }

  /** Of the indexes that hold every match, the one with the fewest deliveries; and whether it holds nothing else, dates aside. */
  #narrowest(filter: DeliveryFilter): { readonly index: OrderedIndex<DeliveryEntry>; readonly isExact: boolean } {
    const { asked, index } = narrowestOf(this.#all, this.#by, fields, filter)
    const { status, subscription_id } = filter
    if (status === undefined || subscription_id === undefined) return { index, isExact: asked < 2 }
    const both = this.#byStatusOfSubscription.get(pairKey(subscription_id, status))
    return both.size > index.size ? { index, isExact: false } : { index: both, isExact: asked === 2 }
  }
}

const pairKey = (subscriptionId: string, status: Delivery["status"]): string => `${subscriptionId} ${status}`

const pairOf = ({ status, subscription_id }: Delivery): string | undefined =>
  subscription_id === null ? undefined : pairKey(subscription_id, status)

const matches = (delivery: Delivery, filter: DeliveryFilter): boolean =>
  fields.every((field) => filter[field] === undefined || filter[field] === delivery[field])
