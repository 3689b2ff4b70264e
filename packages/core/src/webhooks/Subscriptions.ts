import { Context, Effect, Layer, Result } from "effect"
import { AgentStore } from "../agents/AgentStore.ts"
import { Audit } from "../audit/Audit.ts"
import { type Decision, unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { subscriptionsOf } from "../engine/Guards.ts"
import { Ids } from "../engine/Ids.ts"
import { put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, Malformed, NotFound, type PortError, StateConflict } from "../Errors.ts"
import type { Caller } from "../keys/Caller.ts"
import { limits } from "../Limits.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { headerPlace, subscriptionSecretPlace } from "../secrets/Kept.ts"
import { SecretKeeping } from "../secrets/SecretKeeping.ts"
import { AllowedDestinations } from "./Destination.ts"
import type { EventType } from "./EventType.ts"
import { Routing } from "./Routing.ts"
import { type Subscription, untriedEndpoint } from "./Subscription.ts"
import {
  readEventTypes,
  readSettings,
  type SubscriptionBody,
  type SubscriptionSettings,
} from "./SubscriptionSettings.ts"
import { SubscriptionStore } from "./SubscriptionStore.ts"

interface SubscriptionsShape {
  readonly create: (
    caller: Caller,
    body: SubscriptionBody & { readonly callback_url: string; readonly agent_id?: string | null },
  ) => Effect.Effect<Subscription, EngineError>
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

const notFound = new NotFound({ message: "Webhook subscription not found." })

/** Webhook subscriptions as customers manage them (specification, "Webhooks"). Changes are live at once in this process. */
export class Subscriptions extends Context.Service<Subscriptions, SubscriptionsShape>()(
  "@carillon/core/webhooks/Subscriptions",
) {
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.gen(function* () {
      const store = yield* SubscriptionStore
      const agents = yield* AgentStore
      const routing = yield* Routing
      const steps = yield* Steps
      const keeping = yield* SecretKeeping
      const audit = yield* Audit
      const clock = yield* DomainClock
      const ids = yield* Ids
      const allowed = yield* AllowedDestinations
      let nth = 0

      const find: SubscriptionsShape["find"] = (organizationId, subscriptionId) =>
        Effect.flatMap(store.find(organizationId, subscriptionId), (subscription) =>
          subscription === null ? Effect.fail(notFound) : Effect.succeed(subscription),
        )

      const agentOf = (organizationId: string, agentId: string) =>
        Effect.flatMap(agents.find(organizationId, agentId), (agent) =>
          agent === null ? Effect.fail(new NotFound({ message: "Agent not found." })) : Effect.succeed(agent),
        )

      const changed = (caller: Caller, action: string, subscription: Subscription) =>
        audit.allowed(caller, {
          action,
          resource: { type: "webhook_subscription", id: subscription.subscription_id },
          details: { agent_id: subscription.agent_id, event_types: [...subscription.event_types] },
        })

      /** The settings with what the body brings of secrets sealed; what is kept of an earlier row is sealed already. */
      const sealed = Effect.fnUntraced(function* (
        subscription: Pick<Subscription, "organization_id" | "subscription_id">,
        body: SubscriptionBody,
        settings: SubscriptionSettings,
      ) {
        const header = ([name, value]: readonly [string, string]) =>
          Effect.map(keeping.seal(value, headerPlace(subscription, name)), (text) => [name, text] as const)
        const written: SubscriptionSettings = {
          ...settings,
          secret:
            body.secret === undefined
              ? settings.secret
              : yield* keeping.seal(settings.secret, subscriptionSecretPlace(subscription)),
          headers: body.headers === undefined ? settings.headers : yield* Effect.forEach(settings.headers, header),
        }
        return written
      })

      const forget = (caller: Caller) => Effect.sync(() => routing.forget(caller.organization_id))

      /** Why one more subscription cannot be had, or null. */
      const fullness = Effect.fnUntraced(function* (organizationId: string, agentId: string | null) {
        if (agentId === null) {
          const fallback = yield* store.fallback(organizationId)
          return fallback === null ? null : "This organization already has a default webhook subscription."
        }
        const { own } = yield* store.listeners(organizationId, agentId)
        return own.length < limits.subscriptionsPerAgent
          ? null
          : `An agent may have at most ${limits.subscriptionsPerAgent} webhook subscriptions.`
      })

      const create: SubscriptionsShape["create"] = Effect.fnUntraced(function* (caller, body) {
        const read = yield* Effect.fromResult(readSettings(body, allowed))
        const agent_id = body.agent_id ?? null
        const { organization_id } = caller
        if (agent_id !== null) yield* agentOf(organization_id, agent_id)
        const now = clock.now()
        const id = { organization_id, subscription_id: ids.mint("subscription", organization_id, nth++) }
        const settings = yield* sealed(id, body, read)
        const subscription: Subscription = {
          ...id,
          revision: 1,
          agent_id,
          ...settings,
          callback_url: settings.callback_url ?? body.callback_url,
          health: untriedEndpoint,
          created_at: now,
          updated_at: now,
        }
        // The default one is alone by its second key; how many an agent has is nobody's row.
        const guards = agent_id === null ? [] : [subscriptionsOf(agent_id)]
        const view = Effect.all({ standing: steps.standing(...guards), full: fullness(organization_id, agent_id) })
        const { reply } = yield* steps.run(view, ({ full, standing }): Decision<string | null> => {
          if (full !== null) return unchanged(full)
          return write(
            {
              organization_id,
              expect: standing,
              changes: [
                ...guards.map((guard) => ({ put: "guard", guard }) as const),
                put("subscription", null, subscription),
              ],
              audit: [changed(caller, "webhook.create", subscription)],
            },
            null,
          )
        })
        if (reply !== null) return yield* new StateConflict({ message: reply })
        yield* forget(caller)
        return subscription
      })

      const patch: SubscriptionsShape["patch"] = Effect.fnUntraced(function* (caller, subscriptionId, body) {
        if (Object.keys(body).length === 0) {
          return yield* new Malformed({ message: "The request body has no field to change." })
        }
        const view = Effect.gen(function* () {
          const before = yield* find(caller.organization_id, subscriptionId)
          const settings = readSettings(body, allowed, before)
          if (Result.isFailure(settings)) return { before, settings }
          return { before, settings: Result.succeed(yield* sealed(before, body, settings.success)) }
        })
        const { reply } = yield* steps.run(
          view,
          ({ before, settings }, now): Decision<Result.Result<Subscription, Malformed>> => {
            if (Result.isFailure(settings)) return unchanged(Result.fail(settings.failure))
            const change = put("subscription", before, {
              ...before,
              ...settings.success,
              callback_url: settings.success.callback_url ?? before.callback_url,
              updated_at: now,
            })
            return write(
              {
                organization_id: caller.organization_id,
                changes: [change],
                audit: [changed(caller, "webhook.update", change.row)],
              },
              Result.succeed(change.row),
            )
          },
        )
        yield* forget(caller)
        return yield* Effect.fromResult(reply)
      })

      const remove: SubscriptionsShape["remove"] = Effect.fnUntraced(function* (caller, subscriptionId) {
        const { organization_id } = caller
        yield* steps.run(find(organization_id, subscriptionId), (before) =>
          write(
            {
              organization_id,
              expect: [{ kind: "subscription", id: subscriptionId, revision: before.revision }],
              changes: [{ put: "discard", organization_id, kind: "subscription", id: subscriptionId }],
              audit: [changed(caller, "webhook.delete", before)],
            },
            undefined,
          ),
        )
        yield* forget(caller)
      })

      const setEventTypes: SubscriptionsShape["setEventTypes"] = Effect.fnUntraced(function* (caller, agentId, given) {
        const event_types = yield* Effect.fromResult(readEventTypes(given))
        const { organization_id } = caller
        yield* agentOf(organization_id, agentId)
        const { reply } = yield* steps.run(store.listeners(organization_id, agentId), ({ own }, now) => {
          if (own.length === 0) return unchanged<ReadonlyArray<Subscription>>(own)
          const changes = own.map((row) => put("subscription", row, { ...row, event_types, updated_at: now }))
          const after = changes.map(({ row }) => row)
          return write(
            {
              organization_id,
              changes,
              audit: after.map((row) => changed(caller, "webhook.update", row)),
            },
            after,
          )
        })
        if (reply.length === 0) {
          return yield* new NotFound({ message: "This agent has no webhook subscription." })
        }
        yield* forget(caller)
        return { event_types, subscriptions: reply }
      })

      return Subscriptions.of({ create, find, page: store.page, patch, remove, setEventTypes })
    }),
  )
}
