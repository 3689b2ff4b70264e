import { chosen, informative, profile } from "../Clause.ts"

export const webhookDecisions = chosen("Webhooks", [
  profile(
    "SUBSCRIPTION-P1",
    "http",
    "Subscription: `subscription_id, organization_id, agent_id` (null = organization default)`, callback_url, method_type, event_types` (resolved)`, enabled, has_secret, header_names, description, failing_since, last_failure, created_at, updated_at`.",
  ),
  profile("SUBSCRIPTION-P2", "http", "`secret` and `headers` are never returned."),
  profile(
    "SUBSCRIPTION-P3",
    "http",
    "`POST /v2/webhooks` 201, `GET /v2/webhooks` (page, `agent_id`), `GET /v2/webhooks/{subscription_id}`, `PATCH` 200",
  ),
  profile(
    "EVENT-ROUTING-P1",
    "telephony",
    "an agent may have several subscriptions, each gets its own delivery of the events it lists",
  ),
  profile("SUBSCRIPTION-P4", "http", "one default per organization (1201/409 for a second)."),
  profile(
    "SUBSCRIPTION-P5",
    "http",
    "`PATCH /v2/agents/{agent_id}/event-subscriptions` `{event_types}` sets the list on all of the agent's subscriptions (404 when it has none).",
  ),
  profile(
    "LEDGER-P1",
    "telephony",
    "Delivery: `delivery_id, event_id, event_type, subscription_id, agent_id, execution_id, callback_host, method_type, status` (pending, retrying, delivered, failed)`, attempt_count, max_attempts, signed, http_status, error_class, error_message, duration_ms, next_attempt_at, first_attempt_at, last_attempt_at, created_at, expires_at, attempts`.",
  ),
  profile(
    "LEDGER-P2",
    "telephony",
    "Filters: `event_id, event_type, execution_id, subscription_id, status, from_date, to_date`.",
  ),
  profile(
    "LEDGER-P3",
    "telephony",
    "`POST /v2/webhooks/deliveries/{delivery_id}/redeliver` 202 (extension): same `event_id`, new `delivery_id`.",
  ),
  profile(
    "DELIVERY-P1",
    "telephony",
    "Attempts start 0, 5, 30 and 90 s after the first start, each no sooner than the end of the one before, so that all four are over inside two minutes even when each takes its full 30 s.",
  ),
  profile("DELIVERY-P2", "telephony", "Any non-2xx, redirects included, is retried"),
  profile("DELIVERY-P3", "telephony", "redirects are never followed."),
  profile(
    "DELIVERY-P4",
    "telephony",
    "The payload is frozen when the event is raised (byte-identical on every attempt)",
  ),
  profile("DELIVERY-P5", "telephony", "`t` and the signature are fresh on each"),
  profile("DELIVERY-P6", "telephony", "URL, method, headers and secret are read at send time"),
  profile("DELIVERY-P7", "telephony", "deleting or disabling the subscription stops what is pending."),
  profile(
    "DELIVERY-P8",
    "telephony",
    "Endpoint health (`failing_since`, `last_failure`) is shown, and nothing is ever disabled by itself.",
  ),
  profile(
    "WEBHOOK-TARGET-P1",
    "http",
    "Header names refused (1000/400): `host`, `content-length`, `content-type`, `transfer-encoding`, `connection`, `te`, `upgrade`, `proxy-*`, `sec-*`, `cookie`, `x-service-*`.",
  ),
  profile("WEBHOOK-TARGET-P2", "http", "`authorization` is allowed."),
  profile(
    "SIGNATURE-P1",
    "no",
    "Signature tolerance in our verifier: 300 s either way; constant-time comparison; several `v1` accepted, so that secrets can be rotated.",
    "Binds our verifier, not the service.",
  ),
  profile("EVENT-TYPE-P1", "telephony", "Events: `call_ringing` (first ringing)"),
  profile("EVENT-TYPE-P2", "telephony", "`call_started` (answered; never for busy or no answer)"),
  profile(
    "EVENT-TYPE-P3",
    "telephony",
    "`call_completed` (any terminal status; `processing_incomplete: true` with `missing_fields`)",
  ),
  profile(
    "EVENT-TYPE-P4",
    "telephony",
    "`recording_completed`, `platform_analysis_completed`, `client_analysis_completed`",
  ),
  profile("EVENT-TYPE-P5", "telephony", "`call_corrected` (adds `correction: {fields, previous}`)"),
  profile("EVENT-TYPE-P6", "telephony", "`all_processing_completed` (once, last"),
  profile(
    "EVENT-TYPE-P7",
    "telephony",
    "sent at a deadline of 10 minutes with `processing_incomplete: true` if something never came).",
  ),
  profile(
    "EVENT-TYPE-P8",
    "telephony",
    'All carry the one envelope of `all_processing_completed` with null for what is not known; `version: "1"`.',
  ),
  profile(
    "EVENT-TYPE-P9",
    "no",
    "`event_id` is derived from execution, event type and sequence, so a crash between raising and sending cannot change it.",
    "Needs a crash of the process between raising and sending.",
  ),
  profile("WEBHOOK-TARGET-P3", "http", "Destinations: only http and https, no credentials in the URL."),
  profile(
    "WEBHOOK-TARGET-P4",
    "telephony",
    "The name is resolved once, the call is refused if any of its addresses is refused, the checked address is pinned for the connection",
  ),
  profile(
    "WEBHOOK-TARGET-P5",
    "no",
    "and the connected peer is checked again",
    "A black box sees the refusal, not which of the checks made it.",
  ),
  profile("WEBHOOK-TARGET-P6", "http", "literal addresses go through the same check"),
  profile("WEBHOOK-TARGET-P7", "fixtures", "one overall deadline covers connect, headers and a dripping body."),
  profile(
    "WEBHOOK-TARGET-P8",
    "http",
    "IPv4 refused: 0/8, 10/8, 100.64/10, 127/8, 168.63.129.16, 169.254/16, 172.16/12, 192.0.0/24, 192.0.2/24, 192.88.99/24, 192.168/16, 198.18/15, 198.51.100/24, 203.0.113/24, 224/4, 240/4.",
  ),
  profile(
    "WEBHOOK-TARGET-P9",
    "http",
    "IPv6: only 2000::/3 is allowed, less 2001::/23, 2001:db8::/32, 2002::/16, 2620:4f:8000::/48, 3fff::/20",
  ),
  profile(
    "WEBHOOK-TARGET-P10",
    "http",
    "mapped, compatible and translated (64:ff9b::/96) forms are judged by the IPv4 address inside.",
  ),
  profile("WEBHOOK-TARGET-P11", "http", "Metadata host names are refused by name."),
  informative("A host may open CIDRs or host names explicitly; the list is empty by default."),
])
