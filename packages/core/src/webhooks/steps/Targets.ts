import { all, glance, type Reading, row } from "../../engine/steps/Reading.ts"
import type { Delivery } from "../rules/Delivery.ts"
import { type Targeted, targetOfAgent, targetOfSubscription } from "../rules/Sending.ts"

/** Where a delivery goes as it is configured now; `madeUnder` is the revision of its subscription under which it was made, null for one that is still to be made, or does not say it. */
export function* targetedNow(
  { agent_id, organization_id, subscription_id }: Delivery,
  allowed: ReadonlyArray<string>,
  madeUnder: number | null,
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
  return targetOfSubscription(subscription, owner, allowed, madeUnder)
}
