/** The eight scopes (Authentication > Scopes). */
export const allScopes = [
  "agents:read",
  "agents:write",
  "calls:read",
  "calls:write",
  "batches:write",
  "webhooks:write",
  "keys:write",
  "audit:read",
] as const

/** What a grandfathered key holds. */
export const grandfatheredScopes: ReadonlyArray<string> = allScopes.filter((scope) => scope !== "keys:write")
