/** An API key as stored: never the key itself, only its SHA-256. */
export interface ApiKey {
  readonly key_id: string
  readonly revision: number
  /** SHA-256 of the key, lower-case hex. */
  readonly hash: string
  readonly key_preview: string
  /** Null: not bound to an organization; every request with it is refused (1102). */
  readonly organization_id: string | null
  readonly developer: { readonly id: string; readonly name: string; readonly email: string }
  readonly plan: string
  readonly rate_limit_tier: string
  readonly token_type: string
  readonly status: "active" | "inactive"
  readonly description: string
  /** Null: minted before scopes existed (grandfathered). */
  readonly scopes: ReadonlyArray<string> | null
  readonly scopes_source: "explicit" | "inherited" | "grandfathered"
  /** A host may enable `keys:write` on a grandfathered key. */
  readonly keys_write_enabled: boolean
  readonly created_at: number
  readonly revoked_at: number | null
}
