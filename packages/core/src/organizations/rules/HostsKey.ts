import type { ApiKey } from "../../keys/rules/ApiKey.ts"
import type { KeptText } from "../../keys/rules/KeptText.ts"
import { scopes } from "../../keys/rules/ScopePolicy.ts"
import type { Organization } from "./Organization.ts"

/** Whose a key of the host's is said to be, and what for. */
interface Given {
  readonly developer: { readonly id: string; readonly name: string }
  readonly description: string
  readonly at: number
}

/** A key of the host's making, which holds every scope. */
export const hostsKey = (
  { organization_id, plan, rate_limit_tier }: Organization,
  { hash, key_id, key_preview }: KeptText,
  { at, description, developer }: Given,
): ApiKey => ({
  key_id,
  revision: 1,
  hash,
  key_preview,
  organization_id,
  developer: { ...developer, email: "" },
  plan,
  rate_limit_tier,
  token_type: "api_key",
  status: "active",
  description,
  scopes,
  scopes_source: "explicit",
  keys_write_enabled: false,
  created_at: at,
  revoked_at: null,
})
