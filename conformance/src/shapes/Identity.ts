import * as Kind from "./Kind.ts"
import { field, type Shape } from "./Shape.ts"

/** The identity object (`GET /v2/user/me`). */
export const identity: Shape = {
  name: "identity",
  fields: [
    field("organization_id", Kind.text, "ME-1"),
    field("developer.id", Kind.text, "ME-2"),
    field("developer.name", Kind.text, "ME-2"),
    field("developer.key_id", Kind.text, "ME-2"),
    field("developer.key_preview", Kind.text, "ME-2"),
    field("plan", Kind.text, "ME-3"),
    field("rate_limit_tier", Kind.text, "ME-4"),
    field("rate_limits", Kind.object, "ME-5"),
    field("concurrency.max", Kind.integer, "ME-6"),
    field("concurrency.enforced", Kind.boolean, "ME-7"),
  ],
}

/** The scope object (`GET /v2/scopes`). */
export const scopeObject: Shape = {
  name: "scopes",
  fields: [
    field("scopes[].scope", Kind.text, "SCOPES-1"),
    field("scopes[].description", Kind.text, "SCOPES-2"),
    field("scopes[].granted", Kind.boolean, "SCOPES-3"),
    field("scopes[].routes", Kind.arrayOf(Kind.text), "SCOPES-4"),
    field("key.key_id", Kind.text, "SCOPES-5"),
    field("key.organization_id", Kind.text, "SCOPES-5"),
    field("key.scopes_source", Kind.text, "SCOPES-6"),
    field("key.grandfathered", Kind.boolean, "SCOPES-7"),
    field("key.granted", Kind.arrayOf(Kind.text), "SCOPES-8"),
    field("note", Kind.text, "SCOPES-9"),
  ],
}
