import { subscriptionsOf } from "../../engine/rules/Guards.ts"
import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { WakeupChange } from "../../engine/rules/Wakeup.ts"
import type { Delivery } from "./Delivery.ts"
import type { Subscription } from "./Subscription.ts"
import type { WebhookEvent } from "./WebhookEvent.ts"

/** An organization has one default subscription at most. */
export const subscriptionRow: RowDescription<Subscription> = {
  id: (subscription) => subscription.subscription_id,
  dependency: "webhook_store",
  // Its deliveries name its revisions, so one that comes from another installation goes on where it was.
  first: ({ revision }) => revision,
  unique: ({ agent_id }) => (agent_id === null ? "default" : null),
  joins: (before, { agent_id }) => (before === null && agent_id !== null ? [subscriptionsOf(agent_id)] : []),
}

/** The outbox lies beside the calls, so that an event is written whatever becomes of the subscriptions. */
export const eventRow: RowDescription<WebhookEvent> = {
  id: (event) => event.event_id,
  dependency: "call_storage",
}

/** When to look at a delivery again. */
const dueWakeup = ({ delivery_id, due_at }: Delivery): WakeupChange =>
  due_at === null
    ? { clear: { kind: "delivery", subject: delivery_id } }
    : { set: { kind: "delivery", subject: delivery_id, at: due_at } }

export const deliveryRow: RowDescription<Delivery> = {
  id: (delivery) => delivery.delivery_id,
  dependency: "webhook_store",
  // Also where the time stays as it is: the wake-up that was set for it may be the one that is handled just now.
  follows: (_, after) => ({ changes: [], wakeups: after === null ? [] : [dueWakeup(after)] }),
}
