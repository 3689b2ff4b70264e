import type { Change } from "../engine/rules/Commit.ts"
import { healthAfter, type Listener, type Listeners, type Subscription } from "../webhooks/rules/Subscription.ts"

const listenerOf = ({ enabled, event_types, revision, subscription_id }: Subscription): Listener => ({
  subscription_id,
  revision,
  enabled,
  event_types,
})

/** The subscriptions of the world. */
export class SubscriptionTable {
  readonly #rows = new Map<string, Subscription>()
  readonly #ofOrganization = new Map<string, Set<string>>()

  get(subscriptionId: string): Subscription | undefined {
    return this.#rows.get(subscriptionId)
  }

  /** The subscriptions of an organization, oldest first. */
  of(organizationId: string): ReadonlyArray<Subscription> {
    const found: Array<Subscription> = []
    for (const id of this.#ofOrganization.get(organizationId) ?? []) {
      const subscription = this.#rows.get(id)
      if (subscription !== undefined) found.push(subscription)
    }
    return found
  }

  fallback(organizationId: string): Subscription | null {
    return this.of(organizationId).find(({ agent_id }) => agent_id === null) ?? null
  }

  listeners(organizationId: string, agentId: string): Listeners {
    const fallback = this.fallback(organizationId)
    return {
      own: this.of(organizationId)
        .filter(({ agent_id }) => agent_id === agentId)
        .map(listenerOf),
      fallback: fallback === null ? null : listenerOf(fallback),
    }
  }

  /** The default subscription is the only one with a second key. */
  holder(organizationId: string): string | null {
    return this.fallback(organizationId)?.subscription_id ?? null
  }

  /** How its endpoint does is written by attempts alone. */
  put(row: Subscription): void {
    const health = this.#rows.get(row.subscription_id)?.health ?? row.health
    this.#rows.set(row.subscription_id, { ...row, health })
    const own = this.#ofOrganization.get(row.organization_id)
    if (own === undefined) this.#ofOrganization.set(row.organization_id, new Set([row.subscription_id]))
    else own.add(row.subscription_id)
  }

  attempted({ at, failure, subscription_id }: Extract<Change, { readonly put: "endpoint_attempt" }>): void {
    const row = this.#rows.get(subscription_id)
    if (row !== undefined) this.#rows.set(subscription_id, { ...row, health: healthAfter(row.health, { at, failure }) })
  }

  remove(id: string, organizationId: string): void {
    this.#rows.delete(id)
    this.#ofOrganization.get(organizationId)?.delete(id)
  }
}
