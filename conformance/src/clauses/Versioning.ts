import { gap, informative, required, specified } from "./Clause.ts"

export const versioning = specified("Versioning", [
  required("VERSION-1", "http", "The public API lives under the path prefix `/v2`."),
  required(
    "VERSION-2",
    "http",
    "Every public route, the error envelope and the integer error codes belong to that version.",
  ),
  informative(
    'A separate internal surface under `/api/v1` exists for the dashboard, uses browser session tokens, and returns a different error shape (`{"detail": ...}`); it is not part of this contract and `/v2` error handling applies only to paths beginning with `/v2`.',
  ),
  informative("Stability promises: integer error codes are stable while message wording may change."),
  informative(
    "New capabilities are added as new endpoints rather than changing the shape of published responses (for example the timing endpoint is separate from the call read).",
  ),
  required("VERSION-3", "telephony", "Webhook payloads carry a `version` field (payload version string)."),
  required(
    "VERSION-4",
    "fixtures",
    "Key scope model: keys minted before scopes existed remain unrestricted (except `keys:write`)",
  ),
  required(
    "VERSION-5",
    "fixtures",
    "that grandfathering is permanent for those keys and does not propagate to newer keys.",
  ),
  required("VERSION-6", "fixtures", "`webhooks:write` is published ahead of enforcement"),
  informative("keys already holding it keep working when it starts to gate."),
  required(
    "VERSION-7",
    "telephony",
    "Reserved or always-null fields are documented as such (`expires_at` on the recording response is reserved and currently null; `provider` on calls is always `custom`).",
  ),
  gap("VERSION-G1", "no", "Deprecation and version-retirement policy: not shown.", "Speaks of later revisions."),
])
