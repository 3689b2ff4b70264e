import { discard, write } from "../../engine/rules/Outcome.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { recorded } from "../rules/SubscriptionAudit.ts"
import { subscriptionOf } from "./SubscriptionReads.ts"

/** A caller has a subscription forgotten altogether. */
export const removeSubscription = step({
  name: "webhook.delete",
  reads: ({ caller, subscription_id }: ByCaller & { readonly subscription_id: string }) =>
    subscriptionOf(caller.organization_id, subscription_id),
  decide: (_, before) =>
    write([discard("subscription", before.subscription_id)], { audit: [recorded(before)], reply: undefined }),
})
