import type { ApiKey } from "@carillon/core"
import { Timestamp } from "@carillon/core/domain"
import type { KeyRecord, MintedKey, RevokedKey } from "../Keys.ts"

/** A key as it is listed, never with its secret; `currentKeyId` is the key that makes the request. */
export const toWireKey = (key: ApiKey, currentKeyId: string): KeyRecord => ({
  key_id: key.key_id,
  key_preview: key.key_preview,
  developer_id: key.developer.id,
  developer_name: key.developer.name,
  developer_email: key.developer.email,
  plan: key.plan,
  rate_limit_tier: key.rate_limit_tier,
  token_type: key.token_type,
  status: key.status,
  description: key.description,
  created_at: Timestamp.formatUtc(key.created_at),
  is_current: key.key_id === currentKeyId,
})

/** A new key with its text, which is shown here and never again. A minted key always has an explicit list of scopes. */
export const toWireMintedKey = (minted: { readonly key: string; readonly record: ApiKey }): MintedKey => ({
  key: minted.key,
  key_id: minted.record.key_id,
  key_preview: minted.record.key_preview,
  name: minted.record.description,
  scopes: minted.record.scopes ?? [],
  scopes_source: minted.record.scopes_source === "inherited" ? "inherited" : "explicit",
  status: minted.record.status,
  created_at: Timestamp.formatUtc(minted.record.created_at),
})

/** A revoked key. One that a host stored inactive, without the moment, never worked: its moment is that of its making. */
export const toWireRevokedKey = (key: ApiKey): RevokedKey => ({
  key_id: key.key_id,
  status: "inactive",
  revoked: true,
  revoked_at: Timestamp.formatUtc(key.revoked_at ?? key.created_at),
})
