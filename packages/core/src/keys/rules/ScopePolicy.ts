/** What a key may do, and what a key may give to a key it mints (specification, "Scopes" and `POST /v2/api-keys`). */

/** The eight scopes with what they allow, in the specification's order. */
export const scopeDescriptions = {
  "agents:read": "List and read agents, configuration and call history",
  "agents:write": "Create, replace, update, clone, archive agents",
  "calls:read": "List and read calls, transcripts, recordings, batch progress",
  "calls:write": "Place and stop calls",
  "batches:write": "Create, upload, schedule, pause, resume, stop batches",
  "webhooks:write": "Manage webhook subscriptions",
  "keys:write": "Mint and revoke API keys; never granted implicitly",
  "audit:read": "Read the audit trail and verify its hash chain",
} as const

export type Scope = keyof typeof scopeDescriptions

/** The full taxonomy, in the specification's order. */
export const scopes = [
  "agents:read",
  "agents:write",
  "calls:read",
  "calls:write",
  "batches:write",
  "webhooks:write",
  "keys:write",
  "audit:read",
] as const satisfies ReadonlyArray<Scope>

/**
 * The stored policy of a key. `scopes` null is a key from before scopes existed (grandfathered); a list may hold wildcards
 * (`calls:*`, `*`) and words that no longer mean anything. `keys_write_enabled` is the host's switch for `keys:write` on a
 * grandfathered key and has no effect on any other.
 */
export interface StoredPolicy {
  readonly scopes: ReadonlyArray<string> | null
  readonly keys_write_enabled: boolean
}

const everything = "*"

const resourceWildcard = (scope: string): string => `${scope.slice(0, scope.indexOf(":"))}:*`

const resourceWildcards: ReadonlySet<string> = new Set(scopes.map(resourceWildcard))

const known: ReadonlySet<string> = new Set([...scopes, everything, ...resourceWildcards])

/** Whether the policy grants a scope. Wildcards never include `keys:write`. */
export const allows = (policy: StoredPolicy, scope: Scope): boolean => {
  if (scope === "keys:write") return policy.scopes?.includes(scope) ?? policy.keys_write_enabled
  return policy.scopes === null || covers(policy.scopes, scope)
}

/** Whether a list holds a scope or wildcard, or a wildcard that includes it. */
const covers = (held: ReadonlyArray<string>, wanted: string): boolean =>
  held.includes(wanted) ||
  held.includes(everything) ||
  (wanted !== everything && held.includes(resourceWildcard(wanted)))

/** Every scope that the policy grants, in the specification's order. */
export const effectiveScopes = (policy: StoredPolicy): ReadonlyArray<Scope> =>
  scopes.filter((scope) => allows(policy, scope))

/** The body of a mint as far as scopes go; `scopes` is undefined where the body leaves it out. */
export interface MintRequest {
  readonly scopes: ReadonlyArray<string> | undefined
  readonly grant_api_keys_write: boolean
}

/**
 * The new key's stored scopes, or why there is none: `unknown_scope` (1001, the valid values are `scopes`),
 * `grant_required` for `keys:write` without `grant_api_keys_write: true` (1001), `not_held` by the minting key (1102).
 */
export type MintDecision =
  | { readonly ok: true; readonly scopes: ReadonlyArray<string>; readonly scopes_source: "explicit" | "inherited" }
  | { readonly ok: false; readonly reason: "unknown_scope"; readonly unknown: ReadonlyArray<string> }
  | { readonly ok: false; readonly reason: "grant_required" }
  | { readonly ok: false; readonly reason: "not_held"; readonly missing: ReadonlyArray<string> }

/**
 * Decides the scopes of a new key. It always gets an explicit list, so that grandfathering and wildcards never spread by
 * inheritance; what the minting key does not hold is refused by name and never trimmed. The grant alone adds `keys:write`
 * to an inherited list; a list that is written out is taken as written.
 */
export const mint = (minter: StoredPolicy, request: MintRequest): MintDecision => {
  const inherits = request.scopes === undefined
  const wanted = [...new Set(request.scopes ?? inherited(minter, request.grant_api_keys_write))]
  const unknown = wanted.filter((scope) => !known.has(scope))
  if (unknown.length > 0) return { ok: false, reason: "unknown_scope", unknown }
  if (wanted.includes("keys:write") && !request.grant_api_keys_write) return { ok: false, reason: "grant_required" }
  const missing = wanted.filter((scope) => !mayPassOn(minter, scope))
  if (missing.length > 0) return { ok: false, reason: "not_held", missing }
  return { ok: true, scopes: wanted, scopes_source: inherits ? "inherited" : "explicit" }
}

const inherited = (minter: StoredPolicy, grantsKeysWrite: boolean): ReadonlyArray<Scope> =>
  scopes.filter((scope) => (scope === "keys:write" ? grantsKeysWrite : allows(minter, scope)))

/** A wildcard speaks of scopes to come, so only a key that stores it, or a wider one, holds it; a grandfathered key does not. */
const mayPassOn = (minter: StoredPolicy, wanted: string): boolean =>
  isScope(wanted) ? allows(minter, wanted) : minter.scopes !== null && covers(minter.scopes, wanted)

const isScope = (text: string): text is Scope => Object.hasOwn(scopeDescriptions, text)
