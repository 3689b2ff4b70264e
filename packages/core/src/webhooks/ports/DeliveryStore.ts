import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { OldestRequest, Page, PageRequest, Placed } from "../../Pagination.ts"
import type { Delivery, DeliveryStatus } from "../rules/Delivery.ts"
import type { EventType } from "../rules/EventType.ts"
import type { PlacedEvent, WebhookEvent } from "../rules/WebhookEvent.ts"

/** Filters of the delivery ledger; everything given must hold. Dates are epoch milliseconds, inclusive, on creation time. */
export interface DeliveryFilter {
  readonly event_id?: string
  readonly event_type?: EventType
  readonly execution_id?: string
  readonly subscription_id?: string
  readonly status?: DeliveryStatus
  readonly from_date?: number
  readonly to_date?: number
}

/** What a look at events and deliveries asks for. */
export interface StandingRequest {
  readonly event_ids: ReadonlyArray<string>
  readonly execution_ids: ReadonlyArray<string>
  /** So many deliveries of each call are told at most. */
  readonly deliveries_of_call: number
}

/** How an event stands, without what it tells: whether it waits in the outbox, and whether it has a place among kept events. */
export interface EventStanding {
  readonly event_id: string
  readonly is_waiting: boolean
  readonly is_kept: boolean
}

/** How a delivery stands, without its attempts. */
export type DeliveryStanding = Pick<Delivery, "delivery_id" | "execution_id" | "status">

/** Events and deliveries as they stand, in no order. */
export interface Standings {
  readonly events: ReadonlyArray<EventStanding>
  readonly deliveries: ReadonlyArray<DeliveryStanding>
}

/** Reads of the outbox and of the delivery ledger. Lists are newest first, by creation time, then by commit order. */
export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /** The event of a wake-up or of a delivery. */
    readonly event: (eventId: string) => Effect.Effect<WebhookEvent | null, PortError>
    readonly find: (organizationId: string, deliveryId: string) => Effect.Effect<Delivery | null, PortError>
    /** The delivery of a wake-up, which knows no organization. */
    readonly locate: (deliveryId: string) => Effect.Effect<Delivery | null, PortError>
    /** Rows that have not expired at `now`. */
    readonly page: (
      organizationId: string,
      filter: DeliveryFilter,
      page: PageRequest,
      now: number,
    ) => Effect.Effect<Page<Delivery>, PortError>
    /** The oldest rows, expired ones too. */
    readonly oldest: (
      organizationId: string,
      request: OldestRequest,
    ) => Effect.Effect<ReadonlyArray<Placed<Delivery>>, PortError>
    /** How an organization's events of the given ids, and the deliveries of its calls, stand; expired ones, too. */
    readonly standings: (organizationId: string, asked: StandingRequest) => Effect.Effect<Standings, PortError>
    /** Events that wait in the outbox, for rebuilding wake-ups, in pages after the given id. */
    readonly waiting: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<WebhookEvent>, PortError>
    /** Deliveries with a `due_at`, for rebuilding wake-ups, in pages after the given id. */
    readonly due: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<Delivery>, PortError>
    /**
     * Kept events in their places after the given one, in order, up to `limit`; fewer where they would be more than `limits.pageBytes`, but
     * one where there is any. Places are given without a gap to what is committed, an event never before one that its commit could have known
     * of, and none that is committed later has a place before one that was read.
     */
    readonly kept: (after: number, limit: number) => Effect.Effect<ReadonlyArray<PlacedEvent>, PortError>
    /** The last place that was given; 0 for none. Its event may have expired. */
    readonly lastKept: Effect.Effect<number, PortError>
    /** Up to `limit` rows of both kinds that have expired at `now`. */
    readonly expired: (
      now: number,
      limit: number,
    ) => Effect.Effect<
      { readonly events: ReadonlyArray<WebhookEvent>; readonly deliveries: ReadonlyArray<Delivery> },
      PortError
    >
  }
>()("@carillon/core/webhooks/DeliveryStore") {}
