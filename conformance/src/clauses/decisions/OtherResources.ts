import { chosen, profile } from "../Clause.ts"

export const otherResourceDecisions = chosen("Other resources (scope: valid key only)", [
  profile("OTHER-P1", "fixtures", "(scope: valid key only)"),
  profile(
    "NUMBER-P1",
    "http",
    "Phone numbers `GET/POST /v2/phone-numbers`, `GET/PATCH/DELETE /v2/phone-numbers/{phone_number_id}`",
  ),
  profile(
    "NUMBER-P2",
    "http",
    'Phone numbers `GET/POST /v2/phone-numbers`, `GET/PATCH/DELETE /v2/phone-numbers/{phone_number_id}`: `{phone_number_id, phone_number, label, country, provider: "custom", status, capabilities, inbound_agent_id, calls_in_progress, created_at, updated_at}`',
  ),
  profile("NUMBER-P3", "http", "duplicates 1201/409"),
  profile("NUMBER-P4", "telephony", "deleting a number in use by a running campaign 1201/409."),
  profile(
    "PROVIDER-P1",
    "http",
    "Providers `GET/POST /v2/providers`, `DELETE /v2/providers/{provider_name}` 200: `{provider_id, provider_name, provider_value_preview, created_at}`, `provider_value` write-only.",
  ),
  profile(
    "INBOUND-P1",
    "http",
    "Inbound agents `GET/POST /v2/inbound-agents`, `DELETE /v2/inbound-agents/{inbound_agent_id}` 200: `{inbound_agent_id, agent_id, phone_number_id, phone_number, enabled, created_at, updated_at}`",
  ),
  profile("INBOUND-P2", "http", "one agent per number (1201/409)."),
  profile(
    "USAGE-P1",
    "http",
    "Usage `GET /v2/usage`: `from_date, to_date` (default: this month to now, at most 32 days), `agent_id?`",
  ),
  profile(
    "USAGE-P2",
    "telephony",
    "`group_by?` = day | agent | campaign → `{from_date, to_date, currency, total_calls, connected_calls, total_duration_seconds, total_cost, cost_breakdown, status_counts, buckets}`.",
  ),
  profile(
    "AUDIT-P1",
    "fixtures",
    "Audit `GET /v2/audit-logs` (`action, actor, resource_type, resource_id, outcome, from_date, to_date`, page), `GET /v2/audit-logs/{event_id}`, `GET /v2/audit-logs/verify?expected_head=&expected_count=`",
  ),
  profile(
    "AUDIT-P2",
    "fixtures",
    "record `{event_id, sequence, organization_id, actor: {type, key_id}, action, resource: {type, id}, outcome: allowed|denied|failed, error_code, http_status, request_id, details, created_at, prev_hash, hash}`",
  ),
  profile("AUDIT-P3", "fixtures", "`hash` = SHA-256 over the RFC 8785 canonical JSON of the record without `hash`"),
  profile("AUDIT-P4", "fixtures", "the first `prev_hash` is 64 zeros"),
  profile(
    "AUDIT-P5",
    "fixtures",
    "verify answers `{valid, checked, first_event_id, last_event_id, head_hash, broken_at, reason}`",
  ),
  profile("AUDIT-P6", "no", "and detects edits, gaps, reordering", "No route of the contract alters the trail."),
  profile("AUDIT-P7", "fixtures", "and, with `expected_*`, a cut tail."),
  profile("AUDIT-P8", "fixtures", "Every write and every scope denial is audited"),
  profile("AUDIT-P9", "fixtures", "no phone numbers, secrets or bodies in `details`."),
])
