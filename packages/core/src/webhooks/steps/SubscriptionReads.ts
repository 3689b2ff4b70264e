import { Effect } from "effect"
import { subscriptionsOf } from "../../engine/rules/Guards.ts"
import { all, ask, type Reading, refuse, row } from "../../engine/steps/Reading.ts"
import type { SetDescription } from "../../engine/steps/SetDescription.ts"
import { NotFound } from "../../Errors.ts"
import { headerPlace, subscriptionSecretPlace } from "../../secrets/rules/Kept.ts"
import { sealed } from "../../secrets/steps/Sealing.ts"
import type { Listener, Subscription } from "../rules/Subscription.ts"
import type { SubscriptionBody, SubscriptionSettings } from "../rules/SubscriptionSettings.ts"

/** The subscriptions of an agent, oldest first. */
export const agentSubscriptions: SetDescription<
  { readonly organization_id: string; readonly agent_id: string },
  ReadonlyArray<Listener>
> = {
  members: "subscriptions of an agent",
  guard: ({ agent_id }) => subscriptionsOf(agent_id),
  read: ({ subscriptions }, { agent_id, organization_id }) =>
    Effect.map(subscriptions.listeners(organization_id, agent_id), ({ own }) => own),
}

/** A subscription of an organization. */
export function* subscriptionOf(organizationId: string, subscriptionId: string) {
  const subscription = yield* row("subscription", subscriptionId, { of: organizationId })
  return subscription ?? (yield* refuse(new NotFound({ message: "Webhook subscription not found." })))
}

/** The settings with what the body brings of secrets sealed; what is kept of an earlier row is sealed already. */
export function* sealedSettings(
  subscription: Pick<Subscription, "organization_id" | "subscription_id">,
  body: SubscriptionBody,
  settings: SubscriptionSettings,
): Reading<SubscriptionSettings> {
  const { headers, secret } = settings
  const ownSecret =
    body.secret === undefined || secret === null ? [] : [{ text: secret, place: subscriptionSecretPlace(subscription) }]
  const ownHeaders = body.headers === undefined ? [] : headers
  const values = ownHeaders.map(([name, text]) => ({ text, place: headerPlace(subscription, name) }))
  const [[sealedSecret = secret], sealedValues] = yield* all(ask(sealed, ownSecret), ask(sealed, values))
  return {
    ...settings,
    secret: sealedSecret,
    headers: headers.map(([name, value], nth) => [name, sealedValues[nth] ?? value]),
  }
}
