import { put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all as together, ask, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import type { Subscription } from "../../webhooks/rules/Subscription.ts"
import { keptHeaders, subscriptionSecretPlace } from "../rules/Kept.ts"
import { foundIn, nothing, renewed } from "./Renewal.ts"

const ownSecret = (subscription: Subscription) =>
  subscription.secret === null ? [] : [{ sealed: subscription.secret, place: subscriptionSecretPlace(subscription) }]

/** Brings the secrets of a subscription under the first key; one that is gone meanwhile had nothing to renew. */
export const resealSubscription = step({
  name: "secrets.reseal_subscription",
  *reads({ organization_id, subscription_id }: ByEngine & { readonly subscription_id: string }) {
    const before = yield* row("subscription", subscription_id, { of: organization_id })
    if (before === null) return null
    const values = keptHeaders(before).map(([, value]) => value)
    const [secret, headers] = yield* together(ask(renewed, ownSecret(before)), ask(renewed, values))
    return { before, secret, headers }
  },
  decide(_, seen) {
    if (seen === null) return unchanged(nothing)
    const { before, headers, secret } = seen
    const found = foundIn([...secret, ...headers])
    if (found.resealed === 0) return unchanged(found)
    const after = {
      ...before,
      secret: secret[0]?.text ?? before.secret,
      headers: before.headers.map(([name, value], nth) => [name, headers[nth]?.text ?? value] as const),
    }
    return write([put("subscription", before, after)], { reply: found })
  },
})
