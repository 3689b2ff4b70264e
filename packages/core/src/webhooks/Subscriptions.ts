import { Context, Effect, Layer } from "effect"
import { Ids } from "../engine/ports/Ids.ts"
import { Pieces } from "../engine/Pieces.ts"
import { Steps } from "../engine/Steps.ts"
import type { EngineError, PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { changeSubscription } from "./steps/ChangeSubscription.ts"
import { createSubscription, type NewSubscription } from "./steps/CreateSubscription.ts"
import { AllowedDestinations } from "./ports/AllowedDestinations.ts"
import type { EventType } from "./rules/EventType.ts"
import { removeSubscription } from "./steps/RemoveSubscription.ts"
import { Routing } from "./Routing.ts"
import { setEventTypes } from "./steps/SetEventTypes.ts"
import type { Subscription } from "./rules/Subscription.ts"
import { subscriptionOf } from "./steps/SubscriptionReads.ts"
import { readSettings, type SubscriptionBody } from "./rules/SubscriptionSettings.ts"
import { SubscriptionStore } from "./ports/SubscriptionStore.ts"

interface SubscriptionsShape {
  readonly create: (caller: Caller, body: NewSubscription) => Effect.Effect<Subscription, EngineError>
  readonly find: (organizationId: string, subscriptionId: string) => Effect.Effect<Subscription, EngineError>
  readonly page: (
    organizationId: string,
    filter: { readonly agent_id?: string },
    page: PageRequest,
  ) => Effect.Effect<Page<Subscription>, PortError>
  readonly patch: (
    caller: Caller,
    subscriptionId: string,
    body: SubscriptionBody,
  ) => Effect.Effect<Subscription, EngineError>
  /** Forgets a subscription altogether; what was delivered stays in the ledger. */
  readonly remove: (caller: Caller, subscriptionId: string) => Effect.Effect<void, EngineError>
  /** Sets the event types of all of an agent's subscriptions; an agent without any is not found. */
  readonly setEventTypes: (
    caller: Caller,
    agentId: string,
    eventTypes: ReadonlyArray<string> | null,
  ) => Effect.Effect<
    { readonly event_types: ReadonlyArray<EventType>; readonly subscriptions: ReadonlyArray<Subscription> },
    EngineError
  >
}

/** Webhook subscriptions as customers manage them (specification, "Webhooks"). Changes are live at once in this process. */
export class Subscriptions extends Context.Service<Subscriptions, SubscriptionsShape>()(
  "@carillon/core/webhooks/Subscriptions",
) {
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.gen(function* () {
      const store = yield* SubscriptionStore
      const routing = yield* Routing
      const steps = yield* Steps
      const pieces = yield* Pieces
      const ids = yield* Ids
      const allowed = yield* AllowedDestinations
      let nth = 0

      /** What was changed is live at once in this process. */
      const live =
        ({ organization_id }: Caller) =>
        <A, E>(changed: Effect.Effect<A, E>) =>
          Effect.tap(changed, () => Effect.sync(() => routing.forget(organization_id)))

      return Subscriptions.of({
        create: Effect.fnUntraced(function* (caller, body) {
          const settings = yield* Effect.fromResult(readSettings(body, allowed))
          const subscription_id = ids.mint("subscription", caller.organization_id, nth++)
          return yield* live(caller)(steps.take(createSubscription, { caller, subscription_id, body, settings }))
        }),
        find: (organizationId, subscriptionId) => steps.look(() => subscriptionOf(organizationId, subscriptionId)),
        page: store.page,
        patch: (caller, subscription_id, body) =>
          live(caller)(steps.take(changeSubscription, { caller, subscription_id, body, allowed })),
        remove: (caller, subscription_id) => live(caller)(steps.take(removeSubscription, { caller, subscription_id })),
        // Each reads and writes as many rows as an agent may have.
        setEventTypes: (caller, agent_id, given) =>
          live(caller)(pieces.piece(caller.organization_id, steps.take(setEventTypes, { caller, agent_id, given }))),
      })
    }),
  )
}
