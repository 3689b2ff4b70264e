import { Context, Effect, Layer } from "effect"
import { Ids } from "../engine/ports/Ids.ts"
import { Steps } from "../engine/Steps.ts"
import type { EngineError, NotFound, PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { providerValuePlace } from "../secrets/rules/Kept.ts"
import { SecretKeeping } from "../secrets/ports/SecretKeeping.ts"
import type { SecretUnreadable } from "../secrets/rules/SecretUnreadable.ts"
import { addProvider } from "./steps/AddProvider.ts"
import { previewValue, type Provider } from "./rules/Provider.ts"
import { ProviderStore } from "./ports/ProviderStore.ts"
import { providerOf, removeProvider } from "./steps/RemoveProvider.ts"

interface ProvidersShape {
  /** Stores a credential under a name that is not taken. */
  readonly add: (
    caller: Caller,
    request: { readonly provider_name: string; readonly provider_value: string },
  ) => Effect.Effect<Provider, EngineError>
  /** The credential itself, for the host that serves the agents. */
  readonly value: (
    organizationId: string,
    providerName: string,
  ) => Effect.Effect<string, NotFound | SecretUnreadable | PortError>
  /** Newest first. */
  readonly page: (organizationId: string, page: PageRequest) => Effect.Effect<Page<Provider>, PortError>
  /** Forgets a credential. */
  readonly remove: (caller: Caller, providerName: string) => Effect.Effect<Provider, EngineError>
}

/** The provider credentials of organizations (decisions.md, "Other resources"). */
export class Providers extends Context.Service<Providers, ProvidersShape>()("@carillon/core/providers/Providers") {
  static readonly layer = Layer.effect(
    Providers,
    Effect.gen(function* () {
      const store = yield* ProviderStore
      const steps = yield* Steps
      const ids = yield* Ids
      const keeping = yield* SecretKeeping
      let nth = 0

      return Providers.of({
        add: Effect.fnUntraced(function* (caller, { provider_name, provider_value }) {
          const { organization_id } = caller
          const provider_id = ids.mint("provider", organization_id, nth++)
          const place = providerValuePlace({ organization_id, provider_id })
          return yield* steps.take(addProvider, {
            caller,
            provider_id,
            provider_name,
            provider_value: yield* keeping.seal(provider_value, place),
            provider_value_preview: previewValue(provider_value),
          })
        }),
        value: (organizationId, providerName) =>
          Effect.flatMap(
            steps.look(() => providerOf(organizationId, providerName)),
            (provider) => keeping.open({ sealed: provider.provider_value, place: providerValuePlace(provider) }),
          ),
        page: store.page,
        remove: (caller, provider_name) => steps.take(removeProvider, { caller, provider_name }),
      })
    }),
  )
}
