import { Effect } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { limits } from "../Limits.ts"
import { type Delivery, isFinished } from "./rules/Delivery.ts"
import { DeliveryStore } from "./ports/DeliveryStore.ts"
import { type EventType, eventTypes } from "./rules/EventType.ts"
import { Routing } from "./Routing.ts"
import type { Listeners } from "./rules/Subscription.ts"
import { eventIdOf } from "./rules/WebhookEvent.ts"

/** The last event of a call (specification, "Delivery rules"). */
const lastType: EventType = "all_processing_completed"

/** What a call tells before its last event. */
const earlierTypes = eventTypes.filter((type) => type !== lastType)

/** Whether a delivery is of a call's last event and was never attempted; it waits for no others for longer than a while. */
export const mayWaitForOthers = ({ attempts, created_at, event_type }: Delivery, now: number): boolean =>
  event_type === lastType && attempts.length === 0 && now < created_at + limits.webhookBehindMaxMs

/** Whether a subscription asks for one type of event alone: then it is sent no others. */
export const asksForOneType = ({ fallback, own }: Listeners, subscriptionId: string): boolean =>
  [...own, fallback].some((one) => one?.subscription_id === subscriptionId && one.event_types.length === 1)

/** Whether another delivery of the call is still on its way for the first time. */
export const isOnFirstWay = (other: Delivery): boolean =>
  other.event_type !== lastType && other.attempts.length === 0 && !isFinished(other)

/**
 * Looks whether others of its call are still on their way for the first time to the endpoint of the event that is to be the last: two that are
 * sent together may come in any order, however little one is behind the other.
 */
export const makeIsBehind = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const { listeners: listenersOf } = yield* Routing
  const clock = yield* DomainClock

  /** Whether others of its call wait in the outbox: where they go could not be read when they were raised, and is looked for again. */
  const isBeforeRouting = Effect.fnUntraced(function* ({ execution_id, organization_id }: Delivery) {
    const { events } = yield* store.standings(organization_id, {
      event_ids: earlierTypes.map((type) => eventIdOf(execution_id, type, 1)),
      execution_ids: [],
      deliveries_of_call: 0,
    })
    return events.some(({ is_waiting }) => is_waiting)
  })

  return Effect.fnUntraced(function* (delivery: Delivery) {
    const { agent_id, execution_id, organization_id, subscription_id } = delivery
    const now = clock.now()
    // An agent's own URL gets no other events.
    if (subscription_id === null || !mayWaitForOthers(delivery, now)) return false
    if (asksForOneType(yield* listenersOf(organization_id, agent_id), subscription_id)) return false
    const first = { page: 1, page_size: limits.deliveriesOfCall }
    const { items } = yield* store.page(organization_id, { execution_id, subscription_id }, first, now)
    return items.some(isOnFirstWay) || (yield* isBeforeRouting(delivery))
  })
})
