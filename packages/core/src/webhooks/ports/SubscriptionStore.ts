import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Page, PageRequest } from "../../Pagination.ts"
import type { Listeners, Subscription } from "../rules/Subscription.ts"

/**
 * Reads of webhook subscriptions. Commits keep two rules beside the revision of the row: an organization has one default, a second
 * one is a `Conflict`; and a put leaves the stored `health` as it is.
 */
export class SubscriptionStore extends Context.Service<
  SubscriptionStore,
  {
    readonly find: (organizationId: string, subscriptionId: string) => Effect.Effect<Subscription | null, PortError>
    /** Newest first; with `agent_id` those of one agent. */
    readonly page: (
      organizationId: string,
      filter: { readonly agent_id?: string },
      page: PageRequest,
    ) => Effect.Effect<Page<Subscription>, PortError>
    /** Up to `limit` of them in ascending order of their ids, after the given one. */
    readonly after: (
      organizationId: string,
      after: string | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Subscription>, PortError>
    /** Who listens to an agent: its subscriptions, oldest first, and the organization's default. Nothing else of them is read. */
    readonly listeners: (organizationId: string, agentId: string) => Effect.Effect<Listeners, PortError>
    /** The organization's default, or null. */
    readonly fallback: (organizationId: string) => Effect.Effect<Subscription | null, PortError>
  }
>()("@carillon/core/webhooks/SubscriptionStore") {}
