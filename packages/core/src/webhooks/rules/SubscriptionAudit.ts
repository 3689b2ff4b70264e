import type { Recorded } from "../../engine/rules/AuditEntry.ts"
import type { Subscription } from "./Subscription.ts"

/** What is recorded of a subscription that somebody makes, changes or removes. */
export const recorded = ({ agent_id, event_types, subscription_id }: Subscription): Recorded => ({
  resource: { type: "webhook_subscription", id: subscription_id },
  details: { agent_id, event_types: [...event_types] },
})
