import type { HeaderList } from "./DeliveryHeaders.ts"
import type { ErrorClass } from "./ErrorClass.ts"
import { defaultEventTypes, type EventType } from "./EventType.ts"

export const deliveryMethods = ["POST", "PUT"] as const

export type DeliveryMethod = (typeof deliveryMethods)[number]

/** The failure that an endpoint showed last. */
export interface EndpointFailure {
  readonly at: number
  readonly http_status: number | null
  readonly error_class: ErrorClass
}

/** How an endpoint has fared of late. Shown, and never acted upon. */
export interface EndpointHealth {
  /** Since when nothing was delivered any more; null while the last attempt succeeded, or none was made. */
  readonly failing_since: number | null
  readonly last_failure: EndpointFailure | null
}

export const untriedEndpoint: EndpointHealth = { failing_since: null, last_failure: null }

/** The health of an endpoint after one more attempt; a failure of null is a success. */
export const healthAfter = (
  health: EndpointHealth,
  attempt: { readonly at: number; readonly failure: EndpointFailure | null },
): EndpointHealth => ({
  failing_since: attempt.failure === null ? null : (health.failing_since ?? attempt.at),
  last_failure: attempt.failure ?? health.last_failure,
})

/** Where an organization wants which events of an agent; `agent_id` null is the organization's default. */
export interface Subscription {
  readonly subscription_id: string
  readonly organization_id: string
  readonly revision: number
  readonly agent_id: string | null
  readonly callback_url: string
  readonly method_type: DeliveryMethod
  /** The values are kept by `Secrets`. */
  readonly headers: HeaderList
  /** Kept by `Secrets`. */
  readonly secret: string | null
  readonly event_types: ReadonlyArray<EventType>
  readonly enabled: boolean
  /** The last revision before it was disabled last: what was made under it or an earlier one stays stopped, also where it is enabled again. Absent where it never was. */
  readonly disabled_after?: number
  readonly description: string | null
  /** Kept by the store from the attempts' own commits; a put does not touch it. */
  readonly health: EndpointHealth
  readonly created_at: number
  readonly updated_at: number
}

/** What decides whether an event goes to a subscription: a small part of it, however large its headers are. */
export type Listener = Pick<Subscription, "subscription_id" | "revision" | "enabled" | "event_types">

/** Everything that decides where the events of one agent go. */
export interface Listeners {
  readonly own: ReadonlyArray<Listener>
  readonly fallback: Listener | null
}

/** Where one event goes: to a subscription as it was at a revision, or, with null for both, to the URL on the agent itself. */
export interface Route {
  readonly subscription_id: string | null
  readonly subscription_revision: number | null
}

const routeTo = ({ revision, subscription_id }: Listener): Route => ({
  subscription_id,
  subscription_revision: revision,
})

/**
 * Where an event of an agent goes (specification, "Routing"): to each of the agent's own subscriptions that lists it; if the agent has
 * none at all, to the organization's default; without that to the agent's own URL, which gets `all_processing_completed` only.
 * A disabled subscription, or one that leaves the event out, means no delivery: nothing falls through.
 */
export const routesOf = (listeners: Listeners, agentUrl: string | null, type: EventType): ReadonlyArray<Route> => {
  const wants = ({ enabled, event_types }: Listener) => enabled && event_types.includes(type)
  if (listeners.own.length > 0) return listeners.own.filter(wants).map(routeTo)
  if (listeners.fallback !== null) {
    return wants(listeners.fallback) ? [routeTo(listeners.fallback)] : []
  }
  return agentUrl !== null && type === defaultEventTypes[0]
    ? [{ subscription_id: null, subscription_revision: null }]
    : []
}
