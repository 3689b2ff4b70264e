import type { Key } from "./keys.ts"
import type { Route } from "./route.ts"

/** The eight scopes ("Scopes"). */
export const scopes = [
  { scope: "agents:read", description: "List and read agents, configuration and call history" },
  { scope: "agents:write", description: "Create, replace, update, clone, archive agents" },
  { scope: "calls:read", description: "List and read calls, transcripts, recordings, batch progress" },
  { scope: "calls:write", description: "Place and stop calls" },
  { scope: "batches:write", description: "Create, upload, schedule, pause, resume, stop batches" },
  { scope: "webhooks:write", description: "Manage webhook subscriptions" },
  { scope: "keys:write", description: "Mint and revoke API keys; never granted implicitly" },
  { scope: "audit:read", description: "Read the audit trail and verify its hash chain" },
] as const

export type Scope = (typeof scopes)[number]["scope"]

/** Whether a key may do what a scope allows. Wildcards never include `keys:write`. */
export const grants = (key: Key, scope: Scope): boolean => {
  if (key.scopes === null) return scope !== "keys:write" || key.keys_write
  if (key.scopes.includes(scope)) return true
  if (scope === "keys:write") return false
  return key.scopes.includes("*") || key.scopes.includes(`${scope.slice(0, scope.indexOf(":"))}:*`)
}

/** What of the scopes a key holds, and what each opens. */
export const describeScopes = (key: Key, routes: ReadonlyArray<Route>) => ({
  scopes: scopes.map(({ description, scope }) => ({
    scope,
    description,
    granted: grants(key, scope),
    routes: routes
      .filter((route) => route.scope === scope || route.announced === scope)
      .map(({ method, path }) => `${method} ${path}`),
  })),
  key: {
    key_id: key.key_id,
    organization_id: key.organization?.organization_id,
    scopes_source: key.scopes_source,
    grandfathered: key.scopes === null,
    granted: scopes.map(({ scope }) => scope).filter((scope) => grants(key, scope)),
  },
  note: "A key without a scopes field may do everything but manage keys.",
})
