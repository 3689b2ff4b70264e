import { Effect, Layer } from "effect"
import type { Delivery } from "../webhooks/rules/Delivery.ts"
import { DeliveryStore } from "../webhooks/ports/DeliveryStore.ts"
import { SubscriptionStore } from "../webhooks/ports/SubscriptionStore.ts"
import type { WebhookEvent } from "../webhooks/rules/WebhookEvent.ts"
import type { MemoryTables } from "./MemoryTables.ts"
import { after, bounded, pageOf } from "./RowPages.ts"

const eventIdOf = (event: WebhookEvent): string => event.event_id
const deliveryIdOf = (delivery: Delivery): string => delivery.delivery_id

/** The ports of webhooks. */
export const webhookPorts = (tables: MemoryTables) =>
  Layer.mergeAll(
    Layer.succeed(SubscriptionStore, {
      find: (organizationId, subscriptionId) =>
        Effect.sync(() => {
          const subscription = tables.subscriptions.get(subscriptionId)
          return subscription?.organization_id === organizationId ? subscription : null
        }),
      page: (organizationId, { agent_id }, page) =>
        bounded(() => {
          const all = tables.subscriptions.of(organizationId)
          const own = agent_id === undefined ? all : all.filter((row) => row.agent_id === agent_id)
          return pageOf(own.toReversed(), page)
        }),
      after: (organizationId, id, limit) =>
        Effect.sync(() =>
          after(tables.subscriptions.of(organizationId), ({ subscription_id }) => subscription_id, id, limit),
        ),
      listeners: (organizationId, agentId) =>
        Effect.sync(() => tables.subscriptions.listeners(organizationId, agentId)),
      fallback: (organizationId) => Effect.sync(() => tables.subscriptions.fallback(organizationId)),
    }),
    Layer.succeed(DeliveryStore, {
      event: (eventId) => Effect.sync(() => tables.webhooks.event(eventId) ?? null),
      find: (organizationId, deliveryId) =>
        Effect.sync(() => {
          const delivery = tables.webhooks.delivery(deliveryId)
          return delivery?.organization_id === organizationId ? delivery : null
        }),
      locate: (deliveryId) => Effect.sync(() => tables.webhooks.delivery(deliveryId) ?? null),
      page: (organizationId, filter, page, now) =>
        bounded(() => tables.webhooks.page(organizationId, filter, page, now)),
      oldest: (organizationId, request) => Effect.sync(() => tables.webhooks.oldest(organizationId, request)),
      standings: (organizationId, asked) => Effect.sync(() => tables.webhooks.standings(organizationId, asked)),
      waiting: (id, limit) => Effect.sync(() => after(tables.webhooks.waiting(), eventIdOf, id, limit)),
      due: (id, limit) => Effect.sync(() => after(tables.webhooks.due(), deliveryIdOf, id, limit)),
      kept: (place, limit) => Effect.sync(() => tables.webhooks.kept(place, limit)),
      lastKept: Effect.sync(() => tables.webhooks.lastKept),
      expired: (now, limit) => Effect.sync(() => tables.webhooks.expired(now, limit)),
    }),
  )
