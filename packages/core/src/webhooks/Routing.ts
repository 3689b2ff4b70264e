import { Context, Effect, Exit, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { ListenerMemory } from "./rules/ListenerMemory.ts"
import type { Listeners } from "./rules/Subscription.ts"
import { SubscriptionStore } from "./ports/SubscriptionStore.ts"

/** Who listens to the events of an agent, remembered for 60 s in each process and forgotten at once where it changes. */
export class Routing extends Context.Service<
  Routing,
  {
    readonly listeners: (organizationId: string, agentId: string) => Effect.Effect<Listeners, PortError>
    readonly forget: (organizationId: string) => void
  }
>()("@carillon/core/webhooks/Routing") {
  static readonly layer = Layer.effect(
    Routing,
    Effect.gen(function* () {
      const store = yield* SubscriptionStore
      const clock = yield* DomainClock
      const memory = new ListenerMemory(limits.cachedListeners, limits.cacheMs)

      return Routing.of({
        listeners: (organizationId, agentId) =>
          Effect.suspend(() => {
            const known = memory.get(organizationId, agentId, clock.now())
            if (known !== undefined) return Effect.succeed(known)
            const reading = memory.begin(organizationId, agentId)
            return Effect.onExit(store.listeners(organizationId, agentId), (exit) =>
              Effect.sync(() => memory.end(reading, Exit.isSuccess(exit) ? exit.value : null, clock.now())),
            )
          }),
        forget: (organizationId) => memory.forget(organizationId),
      })
    }),
  )
}
