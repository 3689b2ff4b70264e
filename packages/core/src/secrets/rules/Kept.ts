import type { Organization } from "../../organizations/rules/Organization.ts"
import type { Provider } from "../../providers/rules/Provider.ts"
import type { Subscription } from "../../webhooks/rules/Subscription.ts"
import type { SecretPlace } from "./SecretPlace.ts"

/** A secret as it lies in its row, and where that is. */
export interface Kept {
  readonly sealed: string
  readonly place: SecretPlace
}

type OfSubscription = Pick<Subscription, "organization_id" | "subscription_id">

/** Where the secret of a subscription lies. */
export const subscriptionSecretPlace = ({ organization_id, subscription_id }: OfSubscription): SecretPlace => ({
  organization_id,
  kind: "subscription",
  id: subscription_id,
  field: "secret",
})

/** Where the value of one of its headers lies. */
export const headerPlace = ({ organization_id, subscription_id }: OfSubscription, name: string): SecretPlace => ({
  organization_id,
  kind: "subscription",
  id: subscription_id,
  field: `headers.${name}`,
})

/** Where the secret of an organization lies. */
export const organizationSecretPlace = ({ organization_id }: Pick<Organization, "organization_id">): SecretPlace => ({
  organization_id,
  kind: "organization",
  id: organization_id,
  field: "webhook_secret",
})

/** Where the value of a provider lies. */
export const providerValuePlace = ({
  organization_id,
  provider_id,
}: Pick<Provider, "organization_id" | "provider_id">): SecretPlace => ({
  organization_id,
  kind: "provider",
  id: provider_id,
  field: "provider_value",
})

/** An empty secret is none. */
const kept = (sealed: string | null, place: SecretPlace): Kept | null =>
  sealed === null || sealed === "" ? null : { sealed, place }

/** The secret that signs the deliveries of a subscription: its own, or the organization's; null where neither has one. */
export const signingSecret = (subscription: Subscription | null, organization: Organization | null): Kept | null =>
  (subscription === null ? null : kept(subscription.secret, subscriptionSecretPlace(subscription))) ??
  (organization === null ? null : kept(organization.webhook_secret, organizationSecretPlace(organization)))

/** The headers of a subscription. */
export const keptHeaders = (subscription: Subscription): ReadonlyArray<readonly [name: string, value: Kept]> =>
  subscription.headers.map(([name, sealed]) => [name, { sealed, place: headerPlace(subscription, name) }])
