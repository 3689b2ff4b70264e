import { Context, Effect, Layer } from "effect"
import { Audit } from "../audit/Audit.ts"
import { unchanged, write } from "../engine/Commit.ts"
import { Ids } from "../engine/Ids.ts"
import { put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, NotFound, type PortError, StateConflict } from "../Errors.ts"
import type { Caller } from "../keys/Caller.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { providerValuePlace } from "../secrets/Kept.ts"
import { SecretKeeping } from "../secrets/SecretKeeping.ts"
import type { SecretUnreadable } from "../secrets/Secrets.ts"
import { previewValue, type Provider } from "./Provider.ts"
import { ProviderStore } from "./ProviderStore.ts"

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
      const audit = yield* Audit
      const ids = yield* Ids
      const keeping = yield* SecretKeeping
      let nth = 0

      const existing = (organizationId: string, providerName: string) =>
        Effect.flatMap(store.find(organizationId, providerName), (provider) =>
          provider === null ? Effect.fail(new NotFound({ message: "Provider not found." })) : Effect.succeed(provider),
        )

      const entry = (caller: Caller, action: string, id: string) =>
        audit.allowed(caller, { action, resource: { type: "provider", id } })

      return Providers.of({
        add: Effect.fnUntraced(function* (caller, { provider_name, provider_value }) {
          const { organization_id } = caller
          const id = { organization_id, provider_id: ids.mint("provider", organization_id, nth++) }
          const sealed = yield* keeping.seal(provider_value, providerValuePlace(id))
          const { reply } = yield* steps.run(store.find(organization_id, provider_name), (known, now) => {
            if (known !== null) return unchanged(null)
            const provider: Provider = {
              ...id,
              revision: 1,
              provider_name,
              provider_value: sealed,
              provider_value_preview: previewValue(provider_value),
              created_at: now,
            }
            return write(
              {
                organization_id,
                changes: [put("provider", null, provider)],
                audit: [entry(caller, "provider.create", provider.provider_id)],
              },
              provider,
            )
          })
          return reply ?? (yield* new StateConflict({ message: "A provider of this name already exists." }))
        }),
        value: (organizationId, providerName) =>
          Effect.flatMap(existing(organizationId, providerName), (provider) =>
            keeping.open({ sealed: provider.provider_value, place: providerValuePlace(provider) }),
          ),
        page: store.page,
        remove: Effect.fnUntraced(function* (caller, providerName) {
          const { organization_id } = caller
          const { reply } = yield* steps.run(existing(organization_id, providerName), (provider) => {
            const { provider_id: id, revision } = provider
            return write(
              {
                organization_id,
                changes: [{ put: "removal", organization_id, kind: "provider", id, revision }],
                audit: [entry(caller, "provider.delete", id)],
              },
              provider,
            )
          })
          return reply
        }),
      })
    }),
  )
}
