import { Context, Effect, Layer } from "effect"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import type { EngineError, PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { makeAttempts } from "./Attempts.ts"
import { bodyBytesOf, type Delivery } from "./rules/Delivery.ts"
import { type DeliveryFilter, DeliveryStore } from "./ports/DeliveryStore.ts"
import { AllowedDestinations } from "./ports/AllowedDestinations.ts"
import { EndpointLanes, type Place } from "./rules/EndpointLanes.ts"
import { forgetExpired } from "./steps/ForgetExpired.ts"
import { makeIsBehind } from "./LastEvent.ts"
import { noSuchDelivery, redeliverEvent } from "./steps/Redeliver.ts"
import { routeEvent } from "./steps/RouteEvent.ts"
import { Routing } from "./Routing.ts"
import { agentUrlOf } from "./rules/AgentUrl.ts"
import { headerBytesOf } from "./rules/Sending.ts"
import { routesOf } from "./rules/Subscription.ts"

interface DeliveriesShape {
  /** Writes the ledger rows of an event that was kept because nobody could say where it goes, one for each endpoint. */
  readonly route: (eventId: string) => Effect.Effect<void, PortError>
  /** Looks at a delivery whose time may have come, and attempts it; returns its time where that is still to come. */
  readonly wake: (deliveryId: string) => Effect.Effect<number | null, PortError>
  /** Removes what has expired; the ledger keeps its rows for 30 days. */
  readonly sweep: Effect.Effect<void, PortError>
  readonly find: (organizationId: string, deliveryId: string) => Effect.Effect<Delivery, EngineError>
  readonly page: (
    organizationId: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ) => Effect.Effect<Page<Delivery>, PortError>
  /** Makes an attempt that belongs to no delivery in a place among theirs; null where there is none for it now. It waits for none. */
  readonly beside: <A, E>(place: Place, bytes: number, attempt: Effect.Effect<A, E>) => Effect.Effect<A | null, E>
  /** Sends an event once more to where its delivery went: the same event, the same body, a new delivery. */
  readonly redeliver: (caller: Caller, deliveryId: string) => Effect.Effect<Delivery, EngineError>
}

const endpointOf = (delivery: Delivery): string => delivery.subscription_id ?? `agent:${delivery.agent_id}`

/**
 * Brings events to their endpoints (specification, "Delivery rules"). Each state of a delivery is a row: it is written before the first
 * byte leaves, an attempt is written before it is made, and a process that is lost leaves a row that says so.
 */
export class Deliveries extends Context.Service<Deliveries, DeliveriesShape>()("@carillon/core/webhooks/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const agents = yield* AgentStore
      const { listeners: listenersOf } = yield* Routing
      const activity = yield* Activity
      const steps = yield* Steps
      const clock = yield* DomainClock
      const allowed = yield* AllowedDestinations
      const lanes = new EndpointLanes({
        perEndpoint: limits.webhookEndpointInFlight,
        atAll: limits.webhookInFlight,
        bytes: limits.webhookInFlightBytes,
        queue: limits.webhookQueue,
      })
      const meters = yield* CurrentMeters
      meters?.watch(metrics.deliveriesRunning, () => lanes.running)
      meters?.watch(metrics.deliveriesQueued, () => lanes.waiting)
      const attempts = yield* makeAttempts
      const isBehind = yield* makeIsBehind

      const route: DeliveriesShape["route"] = Effect.fnUntraced(function* (eventId) {
        const event = yield* store.event(eventId)
        if (event === null || event.routed_at !== null) return
        const { agent_id, event_id, event_type, organization_id } = event
        const listeners = yield* listenersOf(organization_id, agent_id)
        const isOwn = listeners.own.length > 0 || listeners.fallback !== null
        const agent = isOwn ? null : yield* agents.find(organization_id, agent_id)
        const routes = routesOf(listeners, agentUrlOf(agent), event_type)
        yield* steps.take(routeEvent, { organization_id, event_id, routes })
      })

      /** Whether there was something to attempt; if not yet, when there will be. */
      const look = Effect.fnUntraced(function* (deliveryId: string): Effect.fn.Return<boolean | number, PortError> {
        const delivery = yield* attempts.due(deliveryId)
        if (typeof delivery === "number") return delivery
        const target = delivery === null ? null : yield* attempts.targetFor(delivery)
        if (delivery === null || target === null) return false
        if (yield* isBehind(delivery)) {
          // Ever less often: an endpoint may take its thirty seconds.
          const waited = Math.floor((clock.now() - delivery.created_at) / 2)
          yield* attempts.lookAgain(deliveryId, Math.max(limits.webhookBehindLookMs, waited))
          return false
        }
        const place: Place = {
          organization: delivery.organization_id,
          endpoint: endpointOf(delivery),
          host: target.host,
        }
        const bytes = bodyBytesOf(delivery) + headerBytesOf(target.headers)
        switch (lanes.enter(place, { delivery: deliveryId, isRetry: delivery.attempts.length > 0, bytes })) {
          case "crowded":
            yield* attempts.lookAgain(deliveryId, limits.webhookCrowdedLookMs)
            break
          case "queued":
            yield* attempts.lookAgain(deliveryId, limits.webhookQueuedLookMs)
            break
          case "run":
            yield* Effect.ensuring(
              // A large body that has left may make room for many small ones: whoever is let in calls up the next one.
              Effect.andThen(callUp(lanes.next()), attempts.whileDue(delivery, target)),
              Effect.suspend(() => callUp(lanes.leave(place, bytes))),
            )
        }
        return true
      })

      /** Gives a free place to whose turn it is; one that has been seen to meanwhile lets another go first. */
      const callUp = (next: string | null): Effect.Effect<void> => {
        if (next === null) return Effect.void
        const called = Effect.flatMap(look(next), (found) =>
          found === true ? Effect.void : Effect.suspend(() => callUp(lanes.next())),
        )
        return Effect.asVoid(activity.fork(Effect.ignore(called)))
      }

      const beside: DeliveriesShape["beside"] = (place, bytes, attempt) =>
        Effect.acquireUseRelease(
          Effect.sync(() => lanes.take(place, bytes)),
          (isTaken) => (isTaken ? attempt : Effect.succeed(null)),
          (isTaken) => (isTaken ? Effect.suspend(() => callUp(lanes.leave(place, bytes))) : Effect.void),
        )

      const wake: DeliveriesShape["wake"] = (deliveryId) =>
        Effect.map(look(deliveryId), (found) => (typeof found === "number" ? found : null))

      const find: DeliveriesShape["find"] = (organizationId, deliveryId) =>
        Effect.flatMap(store.find(organizationId, deliveryId), (delivery) =>
          delivery === null || delivery.expires_at <= clock.now()
            ? Effect.fail(noSuchDelivery)
            : Effect.succeed(delivery),
        )

      const sweep: DeliveriesShape["sweep"] = Effect.gen(function* () {
        for (;;) {
          const { deliveries, events } = yield* store.expired(clock.now(), limits.ledgerSweepRows)
          const expired = Map.groupBy([...deliveries, ...events], ({ organization_id }) => organization_id)
          for (const [organization_id, rows] of expired) {
            yield* steps.take(forgetExpired, {
              organization_id,
              deliveries: rows.flatMap((row) => ("delivery_id" in row ? [row.delivery_id] : [])),
              events: rows.flatMap((row) => ("delivery_id" in row ? [] : [row.event_id])),
            })
          }
          if (deliveries.length + events.length < limits.ledgerSweepRows) return
        }
      })

      return Deliveries.of({
        route,
        wake,
        sweep,
        find,
        page: (organizationId, filter, page) => store.page(organizationId, filter, page, clock.now()),
        beside,
        redeliver: (caller, delivery_id) => steps.take(redeliverEvent, { caller, delivery_id, allowed }),
      })
    }),
  )
}
