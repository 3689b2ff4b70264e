import { ScopePolicy } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { chosen, described } from "./Annotations.ts"
import { organizationQuery } from "./Query.ts"
import { Flag, Integer, listOf, oneOf, Text } from "./Scalars.ts"

/** The live figures of one rate-limit bucket. */
export const BucketFigures = Schema.Struct({
  limit: chosen(Integer, "Requests per window."),
  remaining: chosen(Integer, "Requests left, by the estimate of the sliding window."),
  reset: chosen(Integer, "Seconds until the window rolls."),
  window_seconds: chosen(Integer),
}).annotate({ identifier: "BucketFigures" })
export type BucketFigures = typeof BucketFigures.Type

/** The identity object (specification, "Identity object"). */
export const Identity = Schema.Struct({
  organization_id: Text,
  developer: Schema.Struct({ id: Text, name: Text, key_id: Text, key_preview: Text }),
  plan: Text,
  rate_limit_tier: Text,
  rate_limits: described(
    Schema.Struct({
      "calls.create": chosen(BucketFigures),
      "executions.list": chosen(BucketFigures),
      "knowledge.upload": chosen(BucketFigures),
      default: chosen(BucketFigures),
    }),
    "The live figures per bucket.",
  ),
  concurrency: Schema.Struct({
    max: described(Integer, "The effective ceiling; read it together with `enforced`."),
    enforced: Flag,
    current: chosen(Integer, "Live calls of the organization."),
    available: chosen(Integer),
    levels: chosen(
      Schema.Struct({ platform: chosen(Integer), organization: chosen(Integer), agent: chosen(Integer) }),
      "The ceiling of each level.",
    ),
  }),
}).annotate({ identifier: "Identity", description: "Who the key belongs to, and what it may use." })
export type Identity = typeof Identity.Type

/** 200 of `GET /v2/scopes` (specification, "Scope object"). */
export const Scopes = Schema.Struct({
  scopes: Schema.Array(
    Schema.Struct({
      scope: oneOf(ScopePolicy.scopes),
      description: Text,
      granted: Flag,
      routes: described(listOf(Text), "`METHOD /path` of every route that the scope opens."),
    }),
  ),
  key: Schema.Struct({
    key_id: Text,
    organization_id: Text,
    scopes_source: oneOf(["explicit", "inherited", "grandfathered"]),
    grandfathered: Flag,
    granted: listOf(Text),
  }),
  note: Text,
}).annotate({ identifier: "Scopes", description: "What each scope allows, and what the key holds." })
export type Scopes = typeof Scopes.Type

const organizationOnly = Schema.Struct(organizationQuery)

/** Who is calling, and what the key may do (specification, "Identity and keys"). */
export const IdentityGroup = HttpApiGroup.make("identity").add(
  HttpApiEndpoint.get("me", "/user/me", { query: organizationOnly, success: Identity }).annotateMerge(
    OpenApi.annotations({ summary: "Read the caller's identity", description: "With live limits and concurrency." }),
  ),
  HttpApiEndpoint.get("scopes", "/scopes", { query: organizationOnly, success: Scopes }).annotateMerge(
    OpenApi.annotations({
      summary: "Read the key's scopes",
      description: "Needs no scope, so that a key can discover why it is refused.",
    }),
  ),
)
