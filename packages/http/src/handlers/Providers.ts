import { type DeletedProvider, pageRequest, paginate, toWireProvider } from "@carillon/api"
import { Providers } from "@carillon/core"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"
import { rowsOf } from "../PageText.ts"

/** The provider credentials of an organization. */
export const providerHandlers = Effect.gen(function* () {
  const providers = yield* Providers

  const handlers: HandlersOf<"providers"> = {
    "providers.list": Effect.fnUntraced(function* ({ caller, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* providers.page(caller.organization_id, request)
      return { status: 200, body: { data: rowsOf(items, toWireProvider), pagination: paginate(request, total) } }
    }),
    "providers.add": ({ caller, payload }) =>
      Effect.map(providers.add(caller, payload), (provider) => ({ status: 201, body: toWireProvider(provider) })),
    "providers.remove": ({ caller, params }) =>
      Effect.map(providers.remove(caller, params.provider_name), ({ provider_id, provider_name }) => ({
        status: 200,
        body: { provider_id, provider_name, deleted: true } satisfies DeletedProvider,
      })),
  }
  return handlers
})
