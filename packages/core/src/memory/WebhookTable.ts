import type { OldestRequest, Page, PageRequest, Placed } from "../Pagination.ts"
import type { Delivery } from "../webhooks/rules/Delivery.ts"
import type { DeliveryFilter, StandingRequest, Standings } from "../webhooks/ports/DeliveryStore.ts"
import type { PlacedEvent, WebhookEvent } from "../webhooks/rules/WebhookEvent.ts"
import { type DeliveryEntry, DeliveryListing } from "./DeliveryListing.ts"
import { OrderedIndex } from "./OrderedIndex.ts"
import { TimeHeap } from "../engine/rules/TimeHeap.ts"

/** A kept event in the order of kept events; its place stands where other rows have their time. */
interface KeptEntry {
  readonly created_at: number
  readonly sequence: 0
  readonly event_id: string
}

/** The outbox, kept events and the delivery ledger of the world. */
export class WebhookTable {
  readonly #events = new Map<string, WebhookEvent>()
  readonly #waiting = new Map<string, WebhookEvent>()
  readonly #kept = new OrderedIndex<KeptEntry>()
  readonly #keptById = new Map<string, KeptEntry>()
  #lastKept = 0
  readonly #entries = new Map<string, DeliveryEntry>()
  readonly #listings = new Map<string, DeliveryListing>()
  readonly #due = new Map<string, Delivery>()
  /** By id; an event and a delivery never have the same one. */
  readonly #expiring = new TimeHeap<"event" | "delivery">()

  event(eventId: string): WebhookEvent | undefined {
    return this.#events.get(eventId)
  }

  delivery(deliveryId: string): Delivery | undefined {
    return this.#entries.get(deliveryId)?.delivery
  }

  waiting(): Iterable<WebhookEvent> {
    return this.#waiting.values()
  }

  /** The last place that was given to a kept event. */
  get lastKept(): number {
    return this.#lastKept
  }

  kept(place: number, limit: number): ReadonlyArray<PlacedEvent> {
    const [from, to] = this.#kept.range(place + 1, undefined)
    const found: Array<PlacedEvent> = []
    for (let position = from; position < Math.min(to, from + limit); position++) {
      const entry = this.#kept.at(position)
      const event = entry === undefined ? undefined : this.#events.get(entry.event_id)
      if (entry !== undefined && event !== undefined) found.push({ place: entry.created_at, event })
    }
    return found
  }

  due(): Iterable<Delivery> {
    return this.#due.values()
  }

  /** How many deliveries and events are kept. */
  get size(): number {
    return this.#entries.size + this.#events.size
  }

  page(organizationId: string, filter: DeliveryFilter, page: PageRequest, now: number): Page<Delivery> {
    return this.#listings.get(organizationId)?.page(filter, page, now) ?? { items: [], total: 0 }
  }

  /** The oldest deliveries of an organization. */
  oldest(organizationId: string, request: OldestRequest): ReadonlyArray<Placed<Delivery>> {
    const found = this.#listings.get(organizationId)?.oldest(request) ?? []
    return found.map(({ created_at, delivery, sequence }) => ({ place: { created_at, sequence }, row: delivery }))
  }

  standings(organizationId: string, { deliveries_of_call, event_ids, execution_ids }: StandingRequest): Standings {
    const listing = this.#listings.get(organizationId)
    return {
      events: event_ids
        .flatMap((id) => this.#events.get(id) ?? [])
        .filter((event) => event.organization_id === organizationId)
        .map(({ event_id, routed_at }) => ({
          event_id,
          is_waiting: routed_at === null,
          is_kept: this.#keptById.has(event_id),
        })),
      deliveries: execution_ids.flatMap((id) =>
        (listing?.ofCall(id, deliveries_of_call) ?? []).map(({ delivery: { delivery_id, execution_id, status } }) => ({
          delivery_id,
          execution_id,
          status,
        })),
      ),
    }
  }

  expired(now: number, limit: number) {
    const events: Array<WebhookEvent> = []
    const deliveries: Array<Delivery> = []
    while (events.length + deliveries.length < limit) {
      const found = this.#expiring.popDue(now)
      if (found === undefined) break
      const event = found.value === "event" ? this.#events.get(found.key) : undefined
      const delivery = found.value === "delivery" ? this.delivery(found.key) : undefined
      if (event !== undefined) events.push(event)
      if (delivery !== undefined) deliveries.push(delivery)
    }
    // Looking takes nothing away: what is not removed is found again.
    for (const { event_id, expires_at } of events) this.#expires("event", event_id, expires_at)
    for (const { delivery_id, expires_at } of deliveries) this.#expires("delivery", delivery_id, expires_at)
    return { events, deliveries }
  }

  putEvent(event: WebhookEvent): void {
    this.#events.set(event.event_id, event)
    if (event.kept === true && !this.#keptById.has(event.event_id)) this.#keep(event.event_id)
    if (event.routed_at === null) this.#waiting.set(event.event_id, event)
    else this.#waiting.delete(event.event_id)
    this.#expires("event", event.event_id, event.expires_at)
  }

  putDelivery(delivery: Delivery, sequence: number): void {
    const known = this.#entries.get(delivery.delivery_id)
    if (known === undefined) {
      const entry: DeliveryEntry = { created_at: delivery.created_at, sequence, delivery }
      this.#entries.set(delivery.delivery_id, entry)
      this.#listingOf(delivery.organization_id).add(entry)
      this.#expires("delivery", delivery.delivery_id, delivery.expires_at)
    } else this.#listingOf(delivery.organization_id).replace(known, delivery)
    if (delivery.due_at === null) this.#due.delete(delivery.delivery_id)
    else this.#due.set(delivery.delivery_id, delivery)
  }

  removeEvent(id: string): void {
    this.#events.delete(id)
    this.#waiting.delete(id)
    this.#expiring.delete(id)
    this.#unkeep(id)
  }

  removeDelivery(id: string): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    this.#due.delete(id)
    this.#expiring.delete(id)
    this.#listings.get(entry.delivery.organization_id)?.remove(entry)
  }

  #expires(kind: "event" | "delivery", id: string, at: number): void {
    this.#expiring.set(id, at, kind)
  }

  #keep(event_id: string): void {
    this.#lastKept += 1
    const entry: KeptEntry = { created_at: this.#lastKept, sequence: 0, event_id }
    this.#keptById.set(event_id, entry)
    this.#kept.add(entry)
  }

  #unkeep(eventId: string): void {
    const entry = this.#keptById.get(eventId)
    if (entry === undefined) return
    this.#keptById.delete(eventId)
    this.#kept.remove(entry)
  }

  #listingOf(organizationId: string): DeliveryListing {
    let listing = this.#listings.get(organizationId)
    if (listing === undefined) {
      listing = new DeliveryListing()
      this.#listings.set(organizationId, listing)
    }
    return listing
  }
}
