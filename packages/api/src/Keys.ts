import { ScopePolicy } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { chosen, described, RequiredScope } from "./Annotations.ts"
import { Conflict, PayloadTooLarge } from "./Errors.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery } from "./Query.ts"
import { Flag, listOf, nonEmptyTextUpTo, objectOf, oneOf, Text, Timestamp } from "./Scalars.ts"

/** Characters that the name of a key may have. */
export const keyNameMax = 200

/** The API key record as listed (specification, "API key record"). */
export const KeyRecord = Schema.Struct({
  key_id: described(Text, '`"key_"` and the first 16 hex characters of the SHA-256 of the key.'),
  key_preview: described(Text, "Display only."),
  developer_id: Text,
  developer_name: Text,
  developer_email: Text,
  plan: Text,
  rate_limit_tier: Text,
  token_type: Text,
  status: oneOf(["active", "inactive"]),
  description: Text,
  created_at: Timestamp,
  is_current: described(Flag, "True for the key making the request."),
}).annotate({ identifier: "KeyRecord", description: "An API key, without its secret." })
export type KeyRecord = typeof KeyRecord.Type

/** A page of key records. */
export const KeyPage = pageOf(KeyRecord).annotate({ identifier: "KeyPage" })

/** The query of `GET /v2/api-keys`. */
export const KeysQuery = Schema.Struct({ ...pageQuery, ...organizationQuery })

/** The body of `POST /v2/api-keys`. Which scopes exist and which the minter holds is judged by the scope policy. */
export const MintRequest = objectOf({
  name: nonEmptyTextUpTo(keyNameMax),
  scopes: described(
    Schema.optionalKey(listOf(Text)),
    `Of ${ScopePolicy.scopes.join(", ")}. Omitted: what the minting key holds, minus \`keys:write\`.`,
  ),
  grant_api_keys_write: described(Schema.optionalKey(Flag), "Required true to give the new key `keys:write`."),
}).annotate({ identifier: "MintRequest" })
export type MintRequest = typeof MintRequest.Type

/** 201 of `POST /v2/api-keys`: the only answer that ever carries the key. */
export const MintedKey = Schema.Struct({
  key: described(Text, "The secret, shown once."),
  key_id: chosen(Text),
  key_preview: chosen(Text),
  name: chosen(Text),
  scopes: chosen(listOf(Text)),
  scopes_source: chosen(oneOf(["explicit", "inherited"])),
  status: chosen(oneOf(["active", "inactive"])),
  created_at: chosen(Timestamp),
}).annotate({ identifier: "MintedKey", description: "A new key with its one-time secret." })
export type MintedKey = typeof MintedKey.Type

/** 200 of `DELETE /v2/api-keys/{key_id}`. */
export const RevokedKey = Schema.Struct({
  key_id: chosen(Text),
  status: chosen(Schema.Literal("inactive")),
  revoked: chosen(Schema.Literal(true)),
  revoked_at: chosen(Timestamp),
}).annotate({ identifier: "RevokedKey", description: "The key is revoked." })
export type RevokedKey = typeof RevokedKey.Type

const organizationOnly = Schema.Struct(organizationQuery)

/** Minting, listing and revoking API keys (specification, "Identity and keys"). */
export const KeysGroup = HttpApiGroup.make("keys").add(
  HttpApiEndpoint.get("list", "/api-keys", { query: KeysQuery, success: KeyPage }).annotateMerge(
    OpenApi.annotations({ summary: "List API keys", description: "Newest first; secrets are never included." }),
  ),
  HttpApiEndpoint.post("mint", "/api-keys", {
    query: organizationOnly,
    payload: MintRequest,
    success: MintedKey.pipe(HttpApiSchema.status(201)),
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RequiredScope, "keys:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Mint an API key",
        description: "A key may pass on only what it holds; the list of scopes is never silently trimmed.",
      }),
    ),
  HttpApiEndpoint.delete("revoke", "/api-keys/:key_id", {
    params: { key_id: Schema.String },
    query: organizationOnly,
    success: RevokedKey,
    error: Conflict,
  })
    .annotate(RequiredScope, "keys:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Revoke an API key",
        description: "The key that authenticates the request cannot be revoked (1201).",
      }),
    ),
)
