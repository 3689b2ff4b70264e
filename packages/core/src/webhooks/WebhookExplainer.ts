import { Context, Effect, Layer, Result } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { NotFound, PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { noSuchOrganization } from "../organizations/steps/OrganizationReads.ts"
import type { Delivery, DeliveryStatus } from "./rules/Delivery.ts"
import { DeliveryStore } from "./ports/DeliveryStore.ts"
import { parseDestination } from "./rules/Destination.ts"
import { AllowedDestinations } from "./ports/AllowedDestinations.ts"
import {
  attemptsOf,
  countsOf,
  type DeliveryCounts,
  type EndpointAttempts,
  nextAttemptOf,
} from "./rules/EndpointStanding.ts"
import type { EventType } from "./rules/EventType.ts"
import type { EndpointHealth, Subscription } from "./rules/Subscription.ts"
import { SubscriptionStore } from "./ports/SubscriptionStore.ts"

/** How an endpoint of a subscription stands. It tells the host alone: a path may be a secret. */
export interface ExplainedSubscription {
  readonly subscription_id: string
  /** Null: it is the organization's default. */
  readonly agent_id: string | null
  /** Null: the rules of this process allow no webhook to it. */
  readonly host: string | null
  readonly enabled: boolean
  readonly event_types: ReadonlyArray<EventType>
  readonly health: EndpointHealth
  /** Every delivery that has not expired, by how it stands. */
  readonly counts: DeliveryCounts
  /** What its newest deliveries say. */
  readonly newest: EndpointAttempts
}

/** How the URL on an agent itself stands, as far as the newest deliveries of its organization say. */
export interface ExplainedAgentUrl {
  readonly agent_id: string
  readonly host: string | null
  readonly counts: DeliveryCounts
  readonly newest: EndpointAttempts
}

/** How webhooks of an organization stand. */
export interface ExplainedWebhooks {
  /** Subscriptions in the order of their ids. */
  readonly subscriptions: ReadonlyArray<ExplainedSubscription>
  /** With the first page of them alone. */
  readonly agent_urls: ReadonlyArray<ExplainedAgentUrl>
  /** The id after which the next page begins; null: there is none. */
  readonly next: string | null
}

interface WebhookExplainerShape {
  /**
   * Says of each endpoint of an organization how its webhooks fare: so many subscriptions at a time, after that id, and of each what
   * `limits.explainedDeliveries` deliveries say. It reads only, and tells no secret. Fails with `NotFound`.
   */
  readonly explain: (
    organizationId: string,
    page?: { readonly after?: string | null; readonly limit?: number },
  ) => Effect.Effect<ExplainedWebhooks, NotFound | PortError>
}

const newestPage = { page: 1, page_size: limits.explainedDeliveries }
const countOnly = { page: 1, page_size: 1 }

/** Says why webhooks do not arrive, for whoever operates the engine; customers read the delivery ledger. */
export class WebhookExplainer extends Context.Service<WebhookExplainer, WebhookExplainerShape>()(
  "@carillon/core/webhooks/WebhookExplainer",
) {
  static readonly layer = Layer.effect(
    WebhookExplainer,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const subscriptions = yield* SubscriptionStore
      const deliveries = yield* DeliveryStore
      const allowed = yield* AllowedDestinations
      const clock = yield* DomainClock

      const explained = Effect.fnUntraced(function* (
        { agent_id, callback_url, enabled, event_types, health, organization_id, subscription_id }: Subscription,
        now: number,
      ) {
        const judged = parseDestination(callback_url, allowed)
        const of = (status: DeliveryStatus, page = countOnly) =>
          deliveries.page(organization_id, { subscription_id, status }, page, now)
        const all = yield* deliveries.page(organization_id, { subscription_id }, newestPage, now)
        // Some that wait may be older than those.
        const [pending, retrying] = [yield* of("pending", newestPage), yield* of("retrying", newestPage)]
        const failed = (yield* of("failed")).total
        const delivered = Math.max(0, all.total - pending.total - retrying.total - failed)
        const next_attempt_at = nextAttemptOf([...all.items, ...pending.items, ...retrying.items])
        return {
          subscription_id,
          agent_id,
          host: Result.isSuccess(judged) ? judged.success.host : null,
          enabled,
          event_types,
          health,
          counts: { pending: pending.total, retrying: retrying.total, delivered, failed },
          newest: { ...attemptsOf(all.items), next_attempt_at },
        } satisfies ExplainedSubscription
      })

      const agentUrls = Effect.fnUntraced(function* (organizationId: string, now: number) {
        const { items } = yield* deliveries.page(organizationId, {}, newestPage, now)
        const own = items.filter(({ subscription_id }) => subscription_id === null)
        const byAgent = Map.groupBy(own, ({ agent_id }: Delivery) => agent_id)
        return [...byAgent].map(([agent_id, some]): ExplainedAgentUrl => ({
          agent_id,
          host: some.find(({ callback_host }) => callback_host !== null)?.callback_host ?? null,
          counts: countsOf(some),
          newest: attemptsOf(some),
        }))
      })

      return WebhookExplainer.of({
        explain: Effect.fnUntraced(function* (
          organizationId,
          { after = null, limit = limits.explainedSubscriptions } = {},
        ) {
          if ((yield* accounts.organization(organizationId)) === null) return yield* noSuchOrganization
          const now = clock.now()
          const size = Math.max(1, Math.min(limit, limits.explainedSubscriptions))
          // One more than is shown tells whether there is another page.
          const found = yield* subscriptions.after(organizationId, after, size + 1)
          const shown = found.slice(0, size)
          return {
            subscriptions: yield* Effect.forEach(shown, (each) => explained(each, now)),
            agent_urls: after === null ? yield* agentUrls(organizationId, now) : [],
            next: found.length > size ? (shown.at(-1)?.subscription_id ?? null) : null,
          }
        }),
      })
    }),
  )
}
