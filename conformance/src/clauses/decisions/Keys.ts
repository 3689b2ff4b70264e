import { chosen, profile } from "../Clause.ts"

export const keyDecisions = chosen("Keys and identity", [
  profile(
    "KEY-MINT-P1",
    "fixtures",
    'Mint answers 201 `{key, key_id, key_preview, name, scopes, scopes_source: "explicit" | "inherited", status, created_at}`',
  ),
  profile("KEY-MINT-P2", "fixtures", "`name` is shown as `description` in listings."),
  profile("KEY-REVOKE-P1", "fixtures", 'Revoke answers 200 `{key_id, status: "inactive", revoked: true, revoked_at}`'),
  profile("KEY-REVOKE-P2", "fixtures", "revoking an unknown or foreign key is 404"),
  profile("KEY-REVOKE-P3", "fixtures", "revoking twice is 200 with the same body."),
  profile(
    "KEY-STORE-P1",
    "no",
    "Keys are stored only as SHA-256; lookups are by hash; comparison reveals nothing by timing.",
    "Storage and timing lie behind the interface.",
  ),
  profile(
    "ME-P1",
    "http",
    '`rate_limits`: `{"calls.create": {limit, remaining, reset, window_seconds: 60}, …}` for the four buckets',
  ),
  profile("ME-P2", "http", "read without consuming more than the request's own bucket."),
  profile(
    "ME-P3",
    "http",
    "`concurrency`: `{max, enforced, current, available, levels: {platform, organization, agent}}`.",
  ),
  profile(
    "RATE-P6",
    "no",
    "Plans may carry ceilings: the engine takes a plan → ceilings table from its host",
    "A setting of the host.",
  ),
  profile("RATE-P7", "http", "the default table has one plan, `standard`."),
  profile("KEY-CACHE-P1", "clock", "Key cache: 60 s per process"),
  profile("KEY-CACHE-P2", "fixtures", "revocation is live at once in the serving process."),
])
