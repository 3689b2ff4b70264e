import { gap, informative, required, specified, wording } from "./Clause.ts"

export const authentication = specified("Authentication", [
  required(
    "AUTH-KEY-5",
    "http",
    "The public API accepts exactly one credential: an API key with prefix `gat_` sent as an HTTP bearer token.",
  ),
  required("AUTH-KEY-6", "http", "No other header, query parameter or browser session works."),
  required("AUTH-HEADER-1", "http", "| Header | `Authorization` |"),
  required("AUTH-HEADER-2", "http", "| Scheme | `Bearer`, matched case-insensitively |"),
  required("AUTH-HEADER-3", "http", "| Credential | The key including its `gat_` prefix |"),
  required("AUTH-HEADER-4", "http", "The header is split on the first run of whitespace into scheme and credential."),
  required(
    "AUTH-HEADER-5",
    "http",
    "A header that is not two whitespace-separated parts (a bare key, or another scheme such as Basic) counts as no credential and gives 1100, not 1101.",
  ),
])

export const rejectionOrder = specified("Authentication > Rejection order", [
  required("AUTH-REJECT-1", "fixtures", "Evaluated in this order, stopping at the first failure:"),
  required("AUTH-REJECT-2", "http", "| 1 | No header, non-Bearer scheme, or empty credential | 1100 | 401 |"),
  gap("AUTH-REJECT-G1", "http", "Missing bearer token. Send Authorization: Bearer gat_...", wording),
  required("AUTH-REJECT-3", "http", "| 2 | Credential does not start with `gat_` | 1101 | 401 |"),
  gap(
    "AUTH-REJECT-G2",
    "http",
    "A browser session token is not a public API key. Authenticate with Authorization: Bearer gat_...",
    wording,
  ),
  required("AUTH-REJECT-4", "http", "| 3 | Key not in the key store | 1100 | 401 |"),
  gap("AUTH-REJECT-G3", "http", "Invalid API key.", wording),
  required("AUTH-REJECT-5", "fixtures", "| 4 | Key status not `active` | 1100 | 401 |"),
  gap("AUTH-REJECT-G4", "fixtures", "API key is inactive.", wording),
  required("AUTH-REJECT-6", "fixtures", "| 5 | Key has no organization | 1102 | 403 |"),
  gap("AUTH-REJECT-G5", "fixtures", "This API key is not bound to an organization.", wording),
  required("AUTH-REJECT-7", "telephony", "Step 2 is a local prefix check and happens before the key store is read."),
  required(
    "AUTH-REJECT-8",
    "http",
    "Dashboard browser session tokens work only on an internal surface and are refused on `/v2`.",
  ),
  required(
    "AUTH-STORE-1",
    "telephony",
    "If the key store is unreachable and the in-process cache is cold, the answer is 1501/503",
  ),
  gap("AUTH-STORE-G1", "telephony", '"Authentication service is temporarily unavailable."', wording),
  required("AUTH-STORE-2", "telephony", "a warm cache is served instead of failing."),
])

export const organizationBinding = specified("Authentication > Organization binding", [
  required("ORG-3", "fixtures", "A key is bound to exactly one organization at mint time."),
  required("ORG-4", "fixtures", "Every route resolves the organization from the key."),
  required("ORG-5", "http", "`organization_id` in the query must equal it or the answer is 1102/403"),
  gap("ORG-G1", "http", '("This API key is not authorized for that organization.").', wording),
])

export const scopes = specified("Authentication > Scopes", [
  required("SCOPE-1", "http", "Eight scopes exist:"),
  required("SCOPE-2", "fixtures", "| agents:read | List and read agents, configuration and call history |"),
  required("SCOPE-3", "fixtures", "| agents:write | Create, replace, update, clone, archive agents |"),
  required("SCOPE-4", "fixtures", "| calls:read | List and read calls, transcripts, recordings, batch progress |"),
  required("SCOPE-5", "fixtures", "| calls:write | Place and stop calls |"),
  required("SCOPE-6", "fixtures", "| batches:write | Create, upload, schedule, pause, resume, stop batches |"),
  required("SCOPE-7", "http", "| webhooks:write | Manage webhook subscriptions |"),
  required("SCOPE-8", "fixtures", "| keys:write | Mint and revoke API keys"),
  required("SCOPE-9", "fixtures", "| keys:write | Mint and revoke API keys; never granted implicitly |"),
  required("SCOPE-10", "fixtures", "| audit:read | Read the audit trail and verify its hash chain |"),
  informative("Effective policy from a key's stored scopes:"),
  required(
    "SCOPE-POLICY-1",
    "fixtures",
    "| Field absent | Unrestricted except `keys:write` (grandfathered; `scopes_source` is `grandfathered`) |",
  ),
  required("SCOPE-POLICY-2", "fixtures", "| `[]` | Denies everything |"),
  required("SCOPE-POLICY-3", "fixtures", "| A list | Exactly those scopes"),
  required("SCOPE-POLICY-4", "fixtures", "plus `resource:*` and `*` wildcards if present"),
  required(
    "SCOPE-ENFORCED-1",
    "fixtures",
    "Enforced today (a key with an explicit list lacking the scope gets 1102/403",
  ),
  required("SCOPE-ENFORCED-2", "fixtures", "and the denial is recorded in the audit trail):"),
  required(
    "SCOPE-ENFORCED-3",
    "fixtures",
    "| agents:read | GET /v2/agents, GET /v2/agents/{agent_id}, GET /v2/agents/{agent_id}/executions |",
  ),
  required(
    "SCOPE-ENFORCED-4",
    "fixtures",
    "| agents:write | POST /v2/agents, PUT, PATCH, DELETE /v2/agents/{agent_id}, POST /v2/agents/{agent_id}/clone |",
  ),
  required(
    "SCOPE-ENFORCED-5",
    "fixtures",
    "| calls:read | GET /v2/calls, GET /v2/calls/{execution_id}, its /transcript, and the three GET /v2/batches reads |",
  ),
  required("SCOPE-ENFORCED-6", "fixtures", "| calls:write | POST /v2/calls, POST /v2/calls/{execution_id}/stop |"),
  required(
    "SCOPE-ENFORCED-7",
    "fixtures",
    "| batches:write | POST /v2/batches, /upload, and schedule, stop, pause, resume of a batch |",
  ),
  required("SCOPE-ENFORCED-8", "fixtures", "| keys:write | POST /v2/api-keys, DELETE /v2/api-keys/{key_id} |"),
  required(
    "SCOPE-ENFORCED-9",
    "fixtures",
    "| audit:read | GET /v2/audit-logs, GET /v2/audit-logs/{event_id}, GET /v2/audit-logs/verify |",
  ),
  required(
    "SCOPE-OPEN-1",
    "fixtures",
    "Routes needing only a valid key: `GET /v2/user/me`, `GET /v2/usage`, `GET /v2/api-keys`, `GET /v2/scopes`",
  ),
  required(
    "SCOPE-OPEN-2",
    "fixtures",
    "and every route under `/v2/webhooks`, `/v2/knowledge-bases`, `/v2/agents/{agent_id}/versions`, `/v2/phone-numbers`, `/v2/providers`, `/v2/inbound-agents`.",
  ),
  required("SCOPE-OPEN-3", "fixtures", "`webhooks:write` is listed for the webhook writes but does not gate them yet"),
  required(
    "SCOPE-OPEN-4",
    "no",
    "when it starts gating, keys already carrying it keep working.",
    "Speaks of a later revision.",
  ),
  gap(
    "SCOPE-DENIED-G1",
    "fixtures",
    'The scope-denial message reads "This API key is not authorized for this action. Missing scope: <scope>."',
    wording,
  ),
  gap(
    "SCOPE-DENIED-G2",
    "fixtures",
    "key-management denial reads \"This API key is not authorized to manage API keys. Ask an account admin to enable the 'keys:write' scope.\"",
    wording,
  ),
  required("SCOPE-DENIED-1", "fixtures", "Both are code 1102"),
  informative("clients branch on the code, never the message."),
])
