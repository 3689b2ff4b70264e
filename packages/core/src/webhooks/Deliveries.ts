import { Context, Effect, Exit, Layer } from "effect"
import { AgentStore } from "../agents/AgentStore.ts"
import { Activity } from "../engine/Activity.ts"
import type { EndpointAttempt } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { raised } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { Wakeups } from "../engine/Wakeups.ts"
import type { EngineError, PortError } from "../Errors.ts"
import type { Caller } from "../keys/Caller.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/Catalogue.ts"
import { timed } from "../metrics/Measured.ts"
import { CurrentMeters } from "../metrics/Meters.ts"
import { CurrentTracing, traced } from "../operating/Tracing.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { SecretKeeping } from "../secrets/SecretKeeping.ts"
import {
  type AttemptOutcome,
  begun,
  bodyBytesOf,
  type Delivery,
  ended,
  givenUp,
  isFinished,
  lostAttempt,
  outcomeOf,
} from "./Delivery.ts"
import { type DeliveryFilter, DeliveryStore } from "./DeliveryStore.ts"
import { AllowedDestinations } from "./Destination.ts"
import { EndpointLanes, type Place } from "./EndpointLanes.ts"
import { eventTypes } from "./EventType.ts"
import { failingEndpoints } from "./FailingEndpoints.ts"
import { forgetExpired } from "./ForgetExpired.ts"
import { noSuchDelivery, redeliverEvent } from "./Redeliver.ts"
import { replaceDelivery } from "./ReplaceDelivery.ts"
import { routeEvent } from "./RouteEvent.ts"
import { agentUrlOf, Routing } from "./Routing.ts"
import { headerBytesOf, type OpenTarget, requestOf, type Target, underSpan } from "./Sending.ts"
import { routesOf } from "./Subscription.ts"
import { targetedNow } from "./Targets.ts"
import { eventIdOf } from "./WebhookEvent.ts"
import { type WebhookAnswer, type WebhookRequest, WebhookTransport } from "./WebhookTransport.ts"

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

type Sending = NonNullable<Delivery["sending"]>

/** What a call tells before its last event. */
const earlierTypes = eventTypes.filter((type) => type !== "all_processing_completed")

const endpointOf = (delivery: Delivery): string => delivery.subscription_id ?? `agent:${delivery.agent_id}`

const attemptOutcome = (answer: WebhookAnswer) =>
  answer._tag === "Refused" ? "refused" : (outcomeOf(answer).error_class ?? "delivered")

/** What an attempt says about its endpoint; null where that is an agent's own. */
const endpointAttempt = (
  { organization_id, subscription_id }: Delivery,
  { error_class, http_status }: AttemptOutcome,
  at: number,
): EndpointAttempt | null => {
  if (subscription_id === null) return null
  const failure = error_class === null ? null : { at, http_status, error_class }
  return { put: "endpoint_attempt", organization_id, subscription_id, at, failure }
}

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
      const transport = yield* WebhookTransport
      const keeping = yield* SecretKeeping
      const wakeups = yield* Wakeups
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
      const isTraced = yield* CurrentTracing
      meters?.watch(metrics.deliveriesRunning, () => lanes.running)
      meters?.watch(metrics.deliveriesQueued, () => lanes.waiting)
      // One that is given up is to be seen as one more than none.
      meters?.count(metrics.deliveriesGivenUp, [], 0)
      const note = yield* failingEndpoints

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

      const replace = (before: Delivery, after: Delivery, attempt: EndpointAttempt | null = null) =>
        steps.take(replaceDelivery, { organization_id: before.organization_id, before, after, attempt })

      const finish = (delivery: Delivery, sending: Sending, outcome: AttemptOutcome) => {
        const now = clock.now()
        const after = ended(delivery, sending, outcome, now)
        return Effect.map(replace(delivery, after, endpointAttempt(delivery, outcome, now)), (isWritten) => {
          if (isWritten && after.status === "failed") meters?.count(metrics.deliveriesGivenUp, [])
        })
      }

      const sendUnderSpan = (
        { attempts, delivery_id, event_type, execution_id }: Delivery,
        request: WebhookRequest,
      ): Effect.Effect<WebhookAnswer> => {
        if (!isTraced) return transport.send(request)
        const span = () => ({
          name: "carillon.webhook.attempt",
          kind: "client" as const,
          attributes: {
            "carillon.delivery_id": delivery_id,
            "carillon.execution_id": execution_id,
            "carillon.event_type": event_type,
            "carillon.attempt": attempts.length + 1,
          },
        })
        const sent = Effect.matchEffect(Effect.currentSpan, {
          onFailure: () => transport.send(request),
          onSuccess: (made) => transport.send(underSpan(request, made)),
        })
        return traced(isTraced, span, sent)
      }

      const send = Effect.fnUntraced(function* (delivery: Delivery, target: OpenTarget | null, body: string) {
        if (target === null) return outcomeOf({ _tag: "Refused" })
        const request = requestOf(
          target,
          { delivery_id: delivery.delivery_id, body },
          clock.now(),
          limits.webhookAttemptMs,
        )
        const sent = timed(meters, sendUnderSpan(delivery, request), (to, seconds, exit) => {
          if (Exit.isSuccess(exit)) to.record(metrics.deliveryAttempts, [attemptOutcome(exit.value)], seconds)
        })
        return outcomeOf(yield* sent)
      })

      /** Where the delivery goes as it is configured now; one that goes nowhere any more is given up. */
      const targetFor = Effect.fnUntraced(function* (delivery: Delivery) {
        const found = yield* steps.look(() => targetedNow(delivery, allowed))
        if (found._tag === "Target") return found.target
        yield* replace(delivery, givenUp(delivery, found.why))
        return null
      })

      const lookAgain = (deliveryId: string, afterMs: number) =>
        wakeups.set({ kind: "delivery", subject: deliveryId, at: clock.now() + afterMs })

      /** The target with its secrets open; null where nobody may be sent to. */
      const opened = Effect.fnUntraced(function* ({ destination, headers, method, secret }: Target) {
        if (destination === null) return null
        const open: OpenTarget = {
          destination,
          method,
          headers: yield* keeping.openHeaders(headers),
          secret: secret === null ? null : yield* keeping.open(secret),
        }
        return open
      })

      /** Whether there is nothing to wait for. What cannot be signed with its secret is held: it is not sent without, and loses no attempt. */
      const attempt = Effect.fnUntraced(function* (delivery: Delivery, target: Target) {
        const now = clock.now()
        const event = yield* store.event(delivery.event_id)
        if (event === null || event.erased === true) {
          yield* replace(delivery, givenUp(delivery, "The event has expired."))
          return true
        }
        const read = yield* Effect.map(opened(target), (open) => ({ open })).pipe(
          Effect.catchTag("SecretUnreadable", () => Effect.succeed(null)),
        )
        if (read === null) {
          yield* lookAgain(delivery.delivery_id, limits.webhookUnreadableLookMs)
          return false
        }
        const dispatch = { callback_host: target.host, method_type: target.method, signed: target.secret !== null }
        const sending = raised(delivery, begun(delivery, dispatch, now))
        if (sending.sending === null || !(yield* replace(delivery, sending))) return true
        const outcome = yield* send(sending, read.open, event.body)
        yield* note({ delivery, host: target.host }, outcome, sending.sending.started_at)
        yield* finish(sending, sending.sending, outcome)
        return true
      })

      /** The delivery if it is to be attempted now; else when it is, if ever. One whose attempt was lost with its process is accounted for first. */
      const due = Effect.fnUntraced(function* (
        deliveryId: string,
      ): Effect.fn.Return<Delivery | number | null, PortError> {
        const delivery = yield* store.locate(deliveryId)
        if (delivery === null || isFinished(delivery) || delivery.due_at === null) return null
        if (delivery.due_at > clock.now()) return delivery.due_at
        if (delivery.sending === null) return delivery
        yield* finish(delivery, delivery.sending, lostAttempt)
        return null
      })

      /** An attempt that took all its time is followed by the next one at once: it keeps its place at the endpoint. */
      const attemptWhileDue = Effect.fnUntraced(function* (first: Delivery, firstTarget: Target) {
        let target: Target | null = firstTarget
        for (let delivery = first; target !== null;) {
          if (!(yield* attempt(delivery, target))) return
          const next = yield* due(first.delivery_id)
          if (next === null || typeof next === "number") return
          delivery = next
          target = yield* targetFor(delivery)
        }
      })

      /** Whether others of its call wait in the outbox: where they go could not be read when they were raised, and is looked for again. */
      const isBeforeRouting = Effect.fnUntraced(function* ({ execution_id, organization_id }: Delivery) {
        const { events } = yield* store.standings(organization_id, {
          event_ids: earlierTypes.map((type) => eventIdOf(execution_id, type, 1)),
          execution_ids: [],
          deliveries_of_call: 0,
        })
        return events.some(({ is_waiting }) => is_waiting)
      })

      /**
       * Whether others of its call are still on their way for the first time to the endpoint of the event that is to be the last: two that are
       * sent together may come in any order, however little one is behind the other.
       */
      const isBehind = Effect.fnUntraced(function* (delivery: Delivery) {
        const { agent_id, attempts, created_at, event_type, execution_id, organization_id, subscription_id } = delivery
        if (event_type !== "all_processing_completed" || subscription_id === null || attempts.length > 0) return false
        const now = clock.now()
        if (now >= created_at + limits.webhookBehindMaxMs) return false
        const { fallback, own } = yield* listenersOf(organization_id, agent_id)
        const isOnly = [...own, fallback].some(
          (one) => one?.subscription_id === subscription_id && one.event_types.length === 1,
        )
        if (isOnly) return false
        const first = { page: 1, page_size: limits.deliveriesOfCall }
        const { items } = yield* store.page(organization_id, { execution_id, subscription_id }, first, now)
        const isUnderWay = items.some(
          (other) =>
            other.event_type !== "all_processing_completed" && other.attempts.length === 0 && !isFinished(other),
        )
        return isUnderWay || (yield* isBeforeRouting(delivery))
      })

      /** Whether there was something to attempt; if not yet, when there will be. */
      const look = Effect.fnUntraced(function* (deliveryId: string): Effect.fn.Return<boolean | number, PortError> {
        const delivery = yield* due(deliveryId)
        if (typeof delivery === "number") return delivery
        const target = delivery === null ? null : yield* targetFor(delivery)
        if (delivery === null || target === null) return false
        if (yield* isBehind(delivery)) {
          // Ever less often: an endpoint may take its thirty seconds.
          const waited = Math.floor((clock.now() - delivery.created_at) / 2)
          yield* lookAgain(deliveryId, Math.max(limits.webhookBehindLookMs, waited))
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
            yield* lookAgain(deliveryId, limits.webhookCrowdedLookMs)
            break
          case "queued":
            yield* lookAgain(deliveryId, limits.webhookQueuedLookMs)
            break
          case "run":
            yield* Effect.ensuring(
              // A large body that has left may make room for many small ones: whoever is let in calls up the next one.
              Effect.andThen(callUp(lanes.next()), attemptWhileDue(delivery, target)),
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
