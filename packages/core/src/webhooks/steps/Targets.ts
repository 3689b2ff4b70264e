import { all, glance, type Reading, row } from "../../engine/steps/Reading.ts"
import type { Delivery } from "../rules/Delivery.ts"
import { type Targeted, targetOfAgent, targetOfSubscription } from "../rules/Sending.ts"

/** Where a delivery goes as it is configured now; `pendingSince` is when it was made, Infinity for one that is still to be made. */
export function* targetedNow(
  { agent_id, organization_id, subscription_id }: Delivery,
  allowed: ReadonlyArray<string>,
  pendingSince: number,
): Reading<Targeted> {
  if (subscription_id === null) {
    const [agent, owner] = yield* glance(
      "earlier",
      "A delivery goes to where its agent sent it a moment before.",
      all(row("agent", agent_id, { of: organization_id }), row("organization", organization_id)),
    )
    return targetOfAgent(agent, owner, allowed)
  }
  const [subscription, owner] = yield* glance(
    "earlier",
    "A delivery goes to where its subscription sent it a moment before.",
    all(row("subscription", subscription_id, { of: organization_id }), row("organization", organization_id)),
  )
  return targetOfSubscription(subscription, owner, allowed, pendingSince)
}
