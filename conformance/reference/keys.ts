import { randomBytes } from "node:crypto"
import { conflict, invalid, notFound, Refusal } from "./errors.ts"
import { flag, list, text } from "./fields.ts"
import { sha256 } from "./ids.ts"
import type { Organization } from "./organization.ts"
import { pageOf } from "./query.ts"
import type { Context, Route } from "./route.ts"
import { grants, scopes } from "./scopes.ts"

/** A stored key: its hash stands for it. */
export interface Key {
  readonly key_id: string
  readonly hash: string
  readonly key_preview: string
  readonly organization: Organization | null
  readonly description: string
  /** Null: from before scopes existed. */
  readonly scopes: ReadonlyArray<string> | null
  readonly scopes_source: "grandfathered" | "explicit" | "inherited"
  /** A grandfathered key manages keys only where this was enabled. */
  readonly keys_write: boolean
  readonly created_at: string
  active: boolean
  revoked_at: string | null
}

/** A new secret: the prefix, and 32 bytes of entropy. */
const newSecret = (): string => `gat_${randomBytes(32).toString("base64url")}`

const preview = (secret: string): string =>
  secret.length <= 16 ? secret : `${secret.slice(0, 12)}...${secret.slice(-4)}`

type Making = Pick<Key, "organization" | "description" | "scopes" | "scopes_source" | "keys_write" | "created_at"> & {
  readonly active?: boolean
}

export const makeKey = ({ active = true, ...making }: Making): { readonly secret: string; readonly key: Key } => {
  const secret = newSecret()
  const hash = sha256(secret)
  const key = { ...making, key_id: `key_${hash.slice(0, 16)}`, hash, key_preview: preview(secret) }
  return { secret, key: { ...key, active, revoked_at: null } }
}

const show = (key: Key, current: Key) => ({
  key_id: key.key_id,
  key_preview: key.key_preview,
  developer_id: key.organization?.developer.id,
  developer_name: key.organization?.developer.name,
  developer_email: key.organization?.developer.email,
  plan: key.organization?.plan,
  rate_limit_tier: key.organization?.plan,
  token_type: "api_key",
  status: key.active ? "active" : "inactive",
  description: key.description,
  created_at: key.created_at,
  is_current: key === current,
})

const mayManage = ({ key }: Context): void => {
  if (grants(key, "keys:write")) return
  const message =
    "This API key is not authorized to manage API keys. Ask an account admin to enable the 'keys:write' scope."
  throw new Refusal(1102, message)
}

const isKnown = (scope: string): boolean => {
  const [resource, action] = scope.split(":")
  if (scope === "*" || scopes.some((one) => one.scope === scope)) return true
  return action === "*" && scopes.some((one) => one.scope.startsWith(`${resource}:`))
}

/** A wildcard is passed on only by one who holds it. */
const holds = (key: Key, scope: string): boolean => {
  const found = scopes.find((one) => one.scope === scope)
  if (found !== undefined) return grants(key, found.scope)
  if (key.scopes === null || key.scopes.includes("*") || key.scopes.includes(scope)) return key.scopes !== null
  return false
}

const effective = (key: Key): ReadonlyArray<string> => {
  const inherited = key.scopes ?? scopes.map(({ scope }) => scope)
  return inherited.filter((scope) => scope !== "keys:write")
}

const scopesFor = (key: Key, asked: ReadonlyArray<string> | undefined, grantKeysWrite: boolean) => {
  if (asked === undefined) return [...effective(key), ...(grantKeysWrite ? ["keys:write"] : [])]
  const unknown = asked.find((scope) => !isKnown(scope))
  if (unknown !== undefined) {
    throw invalid("scopes", `unknown scope; valid values are ${scopes.map(({ scope }) => scope).join(", ")}`)
  }
  if (asked.includes("keys:write") && !grantKeysWrite) {
    throw invalid("grant_api_keys_write", "must be true to grant keys:write")
  }
  const missing = asked.filter((scope) => !holds(key, scope))
  if (missing.length > 0) {
    throw new Refusal(1102, `This API key does not hold the scopes it was asked to grant: ${missing.join(", ")}.`)
  }
  return [...new Set([...asked, ...(grantKeysWrite ? ["keys:write"] : [])])]
}

const mintKey = async (context: Context) => {
  const { key, organization, world } = context
  const body = await context.fields()
  const name = body.required("name", text(1, 200))
  const asked = body.optional("scopes", list(text()))
  const grantKeysWrite = body.optional("grant_api_keys_write", flag) ?? false
  const granted = scopesFor(key, asked, grantKeysWrite)
  const made = makeKey({
    organization,
    description: name,
    scopes: granted,
    scopes_source: asked === undefined ? "inherited" : "explicit",
    keys_write: false,
    created_at: world.clock.iso(),
  })
  world.keys.put(made.key.hash, made.key)
  const { key_id, key_preview, scopes_source, created_at } = made.key
  context.touch("api_key", key_id)
  const body201 = {
    key: made.secret,
    key_id,
    key_preview,
    name,
    scopes: granted,
    scopes_source,
    status: "active",
    created_at,
  }
  return { status: 201, body: body201 }
}

const revoke = (context: Context) => {
  const { key, organization, params, world } = context
  const found = world.keys.find((one) => one.key_id === params[0] && one.organization === organization)
  if (found === undefined) throw notFound("API key")
  context.touch("api_key", found.key_id)
  if (found === key) throw conflict("You cannot revoke the key you are authenticating with.")
  found.active = false
  found.revoked_at ??= world.clock.iso()
  return {
    status: 200,
    body: { key_id: found.key_id, status: "inactive", revoked: true, revoked_at: found.revoked_at },
  }
}

export const keyRoutes: ReadonlyArray<Route> = [
  {
    method: "GET",
    path: "/v2/api-keys",
    handle: ({ key, organization, query, world }) => ({
      status: 200,
      body: pageOf(
        query,
        world.keys.newestFirst((one) => one.organization === organization),
        (one) => show(one, key),
      ),
    }),
  },
  {
    method: "POST",
    path: "/v2/api-keys",
    action: "api_key.mint",
    scope: "keys:write",
    guard: mayManage,
    handle: mintKey,
  },
  {
    method: "DELETE",
    path: "/v2/api-keys/{key_id}",
    action: "api_key.revoke",
    scope: "keys:write",
    guard: mayManage,
    handle: revoke,
  },
]
