import { Context, Effect, Layer } from "effect"
import { Steps } from "../engine/Steps.ts"
import { walkRows } from "../engine/Walk.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { ProviderStore } from "../providers/ports/ProviderStore.ts"
import { SubscriptionStore } from "../webhooks/ports/SubscriptionStore.ts"
import { nothing, type Resealed, together } from "./steps/Renewal.ts"
import { resealOrganization } from "./steps/ResealOrganization.ts"
import { resealProvider } from "./steps/ResealProvider.ts"
import { resealSubscription } from "./steps/ResealSubscription.ts"

interface ResealingShape {
  /**
   * Brings every secret under the first key, also what lies there as it is. It may be ended and begun again, and run beside processes that
   * work: a row that is there all the while is not missed, whatever goes and comes meanwhile. A row that comes meanwhile is sealed by who writes
   * it, so the keys are turned in every process first.
   */
  readonly walk: Effect.Effect<Resealed, PortError>
}

/** Brings all secrets of the installation under the first key, after the keys were changed or first given. */
export class Resealing extends Context.Service<Resealing, ResealingShape>()("@carillon/core/secrets/Resealing") {
  static readonly layer = Layer.effect(
    Resealing,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const subscriptions = yield* SubscriptionStore
      const providers = yield* ProviderStore
      const steps = yield* Steps

      const organizationOf = Effect.fnUntraced(function* (
        organization_id: string,
        note: (found: Resealed) => void,
      ): Effect.fn.Return<void, PortError> {
        const noted = (found: Effect.Effect<Resealed, PortError>) => Effect.map(found, note)
        yield* noted(steps.take(resealOrganization, { organization_id }))
        yield* walkRows(
          (after, limit) => subscriptions.after(organization_id, after, limit),
          ({ subscription_id }) => subscription_id,
          limits.resealRows,
          ({ subscription_id }) => noted(steps.take(resealSubscription, { organization_id, subscription_id })),
        )
        yield* walkRows(
          (after, limit) => providers.after(organization_id, after, limit),
          ({ provider_id }) => provider_id,
          limits.resealRows,
          ({ provider_id }) => noted(steps.take(resealProvider, { organization_id, provider_id })),
        )
      })

      return Resealing.of({
        walk: Effect.gen(function* () {
          let all = nothing
          const note = (found: Resealed) => {
            all = together(all, found)
          }
          yield* walkRows(
            accounts.organizations,
            ({ organization_id }) => organization_id,
            limits.organizationPage,
            ({ organization_id }) => organizationOf(organization_id, note),
          )
          return all
        }),
      })
    }),
  )
}
