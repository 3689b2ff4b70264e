import { conflict, notFound } from "./errors.ts"
import { text } from "./fields.ts"
import { mint } from "./ids.ts"
import { pageOf } from "./query.ts"
import type { Context, Route } from "./route.ts"

/** A credential for somebody else's service; its value is never told again. */
export interface Provider {
  readonly provider_id: string
  readonly provider_name: string
  readonly provider_value_preview: string
  readonly created_at: string
}

const preview = (value: string): string => (value.length <= 8 ? "…" : `…${value.slice(-4)}`)

const add = async (context: Context) => {
  const { organization, world } = context
  const body = await context.fields()
  const provider_name = body.required("provider_name", text(1, 200))
  const value = body.required("provider_value", text(1, 10_000))
  if (organization.providers.get(provider_name) !== undefined) throw conflict("This provider is already registered.")
  const made = {
    provider_id: mint("prv"),
    provider_name,
    provider_value_preview: preview(value),
    created_at: world.clock.iso(),
  }
  organization.providers.put(provider_name, made)
  context.touch("provider", made.provider_id)
  return { status: 201, body: made }
}

const remove = (context: Context) => {
  const { id, organization } = context
  const found = organization.providers.get(id)
  if (found === undefined) throw notFound("Provider")
  organization.providers.delete(id)
  context.touch("provider", found.provider_id)
  return { status: 200, body: { provider_id: found.provider_id, provider_name: id, deleted: true } }
}

export const providerRoutes: ReadonlyArray<Route> = [
  {
    method: "GET",
    path: "/v2/providers",
    handle: ({ organization, query }) => ({
      status: 200,
      body: pageOf(query, organization.providers.newestFirst(), (row) => row),
    }),
  },
  { method: "POST", path: "/v2/providers", action: "provider.create", handle: add },
  { method: "DELETE", path: "/v2/providers/{provider_name}", action: "provider.delete", handle: remove },
]
