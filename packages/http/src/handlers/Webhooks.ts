import {
  deliveryStatusFilter,
  eventTypeFilter,
  pageRequest,
  paginate,
  toWireDelivery,
  toWireSubscription,
  toWireTestResult,
} from "@carillon/api"
import { Deliveries, Subscriptions, WebhookTests } from "@carillon/core"
import type { DeliveryFilter } from "@carillon/core/ports"
import { Effect } from "effect"
import type { HandlersOf, Incoming } from "../Handler.ts"
import { enumeration, instant } from "./CallPages.ts"
import { rowsOf } from "../PageText.ts"

const deliveryFilter = Effect.fnUntraced(function* (query: Incoming<"webhooks.deliveries">["query"]) {
  const { event_id, event_type, execution_id, from_date, status, subscription_id, to_date } = query
  const filter: DeliveryFilter = {
    ...(event_id === undefined ? {} : { event_id }),
    ...(event_type === undefined ? {} : { event_type: yield* enumeration(eventTypeFilter(event_type)) }),
    ...(execution_id === undefined ? {} : { execution_id }),
    ...(subscription_id === undefined ? {} : { subscription_id }),
    ...(status === undefined ? {} : { status: yield* enumeration(deliveryStatusFilter(status)) }),
    ...(from_date === undefined ? {} : { from_date: yield* instant("from_date", from_date) }),
    ...(to_date === undefined ? {} : { to_date: yield* instant("to_date", to_date) }),
  }
  return filter
})

/** Webhook subscriptions, their test, and the delivery ledger. */
export const webhookHandlers = Effect.gen(function* () {
  const subscriptions = yield* Subscriptions
  const deliveries = yield* Deliveries
  const tests = yield* WebhookTests

  const handlers: HandlersOf<"webhooks"> = {
    "webhooks.create": ({ caller, payload }) =>
      Effect.map(subscriptions.create(caller, payload), (subscription) => ({
        status: 201,
        body: toWireSubscription(subscription),
      })),
    "webhooks.list": Effect.fnUntraced(function* ({ caller, query }) {
      const request = pageRequest(query)
      const filter = query.agent_id === undefined ? {} : { agent_id: query.agent_id }
      const { items, total } = yield* subscriptions.page(caller.organization_id, filter, request)
      return { status: 200, body: { data: rowsOf(items, toWireSubscription), pagination: paginate(request, total) } }
    }),
    "webhooks.test": ({ caller, payload }) =>
      Effect.map(
        tests.send(caller, {
          callback_url: payload.callback_url ?? null,
          subscription_id: payload.subscription_id ?? null,
          event_type: payload.event_type ?? null,
          agent_id: payload.agent_id ?? null,
          method_type: payload.method_type ?? null,
          headers: payload.headers ?? null,
          secret: payload.secret ?? null,
        }),
        (result) => ({ status: 202, body: toWireTestResult(result) }),
      ),
    "webhooks.deliveries": Effect.fnUntraced(function* ({ caller, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* deliveries.page(caller.organization_id, yield* deliveryFilter(query), request)
      return { status: 200, body: { data: rowsOf(items, toWireDelivery), pagination: paginate(request, total) } }
    }),
    "webhooks.delivery": ({ caller, params }) =>
      Effect.map(deliveries.find(caller.organization_id, params.delivery_id), (delivery) => ({
        status: 200,
        body: toWireDelivery(delivery),
      })),
    "webhooks.redeliver": ({ caller, params }) =>
      Effect.map(deliveries.redeliver(caller, params.delivery_id), (delivery) => ({
        status: 202,
        body: toWireDelivery(delivery),
      })),
    "webhooks.get": ({ caller, params }) =>
      Effect.map(subscriptions.find(caller.organization_id, params.subscription_id), (subscription) => ({
        status: 200,
        body: toWireSubscription(subscription),
      })),
    "webhooks.update": ({ caller, params, payload }) =>
      Effect.map(subscriptions.patch(caller, params.subscription_id, payload), (subscription) => ({
        status: 200,
        body: toWireSubscription(subscription),
      })),
    "webhooks.delete": ({ caller, params }) =>
      Effect.as(subscriptions.remove(caller, params.subscription_id), { status: 204 }),
    "webhooks.event_subscriptions": ({ caller, params, payload }) =>
      Effect.map(subscriptions.setEventTypes(caller, params.agent_id, payload.event_types), (set) => ({
        status: 200,
        body: {
          agent_id: params.agent_id,
          event_types: set.event_types,
          subscriptions: set.subscriptions.map(toWireSubscription),
        },
      })),
  }
  return handlers
})
