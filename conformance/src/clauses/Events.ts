import { gap, informative, required, specified } from "./Clause.ts"

export const events = specified("Events", [
  required("EVENT-1", "telephony", "The service delivers events to customers' endpoints"),
  informative("it has no event stream of its own for polling."),
])

export const eventTypes = specified("Events > Event types", [
  required(
    "EVENT-TYPE-1",
    "telephony",
    "`all_processing_completed`, `call_completed`, `call_corrected`, `call_ringing`, `call_started`, `client_analysis_completed`, `platform_analysis_completed`, `recording_completed`.",
  ),
  required(
    "EVENT-TYPE-2",
    "http",
    "A subscription with no `event_types` or an empty list resolves to `all_processing_completed`",
  ),
  required("EVENT-TYPE-3", "telephony", "no value means every event."),
  gap(
    "EVENT-TYPE-G1",
    "telephony",
    "Payload shapes of the seven event types other than `all_processing_completed`: not shown.",
  ),
])

export const routing = specified("Events > Routing", [
  required(
    "EVENT-ROUTING-1",
    "telephony",
    "Events go to the organization's webhook subscription for the agent (`POST /v2/webhooks`)",
  ),
  required(
    "EVENT-ROUTING-2",
    "telephony",
    "if the agent has none, to the organization-wide default subscription if one exists",
  ),
  required(
    "EVENT-ROUTING-3",
    "telephony",
    "otherwise to the `webhook_url` configured on the agent (`integrations.webhook.url`).",
  ),
])

export const deliveryRules = specified("Events > Delivery rules", [
  required("DELIVERY-1", "telephony", "`all_processing_completed` is sent once per call"),
  required("DELIVERY-2", "telephony", "after the call finished and processing completed."),
  required("DELIVERY-3", "telephony", "The receiving endpoint answers 2xx within 30 seconds to acknowledge"),
  required("DELIVERY-4", "telephony", "anything else is retried."),
  required("DELIVERY-5", "telephony", "Four delivery attempts are made inside about two minutes."),
  gap("DELIVERY-G1", "telephony", "Intervals between attempts: not shown."),
  required("DELIVERY-6", "telephony", "`event_id` is stable per event, identical across all attempts"),
  informative("handlers deduplicate on it."),
  required("DELIVERY-7", "telephony", "A retry can arrive after an earlier attempt succeeded."),
  required("DELIVERY-8", "fixtures", "Request headers include `Content-Type`"),
  required(
    "DELIVERY-9",
    "telephony",
    "`X-Service-Delivery-Id` (per-delivery id, for support, never for deduplication)",
  ),
  required("DELIVERY-10", "fixtures", "and, when signed, `X-Service-Signature`."),
  required("SIGNATURE-1", "fixtures", "Signature: header value `t=<unix_seconds>,v1=<hex>`"),
  required(
    "SIGNATURE-2",
    "fixtures",
    'where `v1` is HMAC-SHA256 over `"<timestamp>." + <raw body>` with the signing secret.',
  ),
  required(
    "SIGNATURE-3",
    "no",
    "Receivers recompute over the raw body bytes and reject a stale `t`.",
    "Binds the receiver.",
  ),
  gap("SIGNATURE-G1", "no", "The staleness tolerance: not shown.", "Binds the receiver."),
  required(
    "SIGNATURE-4",
    "telephony",
    "Without a configured secret (subscription or organization) the delivery is unsigned",
  ),
  required("SIGNATURE-5", "telephony", "and the ledger records `signed: false`"),
  informative("a signature check can then never pass."),
  required("DELIVERY-11", "telephony", "Deliveries are listed in the delivery ledger (`GET /v2/webhooks/deliveries`)"),
  required("DELIVERY-12", "telephony", "retained 30 days."),
])

export const payload = specified("Events > Payload of `all_processing_completed`", [
  required("PAYLOAD-1", "telephony", "JSON object; all fields are nullable unless noted."),
  required("PAYLOAD-2", "telephony", "| event_type (required) | string | Which event |"),
  required("PAYLOAD-3", "telephony", "| event_id (required) | string | Stable id of the event |"),
  required("PAYLOAD-4", "telephony", "| version | string | Payload version |"),
  required("PAYLOAD-5", "telephony", "| timestamp | string | Emission time |"),
  required("PAYLOAD-6", "telephony", "| call_id (required) | string | The execution_id |"),
  required("PAYLOAD-7", "telephony", "| call_sid | string | Carrier leg id |"),
  required("PAYLOAD-8", "telephony", "| agent_id, agent_name | string | Agent and its name at call time |"),
  required("PAYLOAD-9", "telephony", "| organization_id, workspace_id | string | Same value |"),
  required(
    "PAYLOAD-10",
    "telephony",
    "| status (required) | string | Outcome such as completed, failed, busy, no-answer |",
  ),
  required("PAYLOAD-11", "telephony", "| sub_status | string | Finer reason |"),
  required("PAYLOAD-12", "telephony", "| call_type | string | `inbound` or `outbound` |"),
  required("PAYLOAD-13", "telephony", "| calling_source | string | `api`, `campaign`, `retry`, `follow-up` |"),
  required("PAYLOAD-14", "telephony", "| custom_args_values | object | Variables sent with the call |"),
  required("PAYLOAD-15", "telephony", "| to_number, from_number | string | E.164 |"),
  required("PAYLOAD-16", "telephony", "| bulk_list_id | string | Batch of the call |"),
  required("PAYLOAD-17", "telephony", "| called_on | string | Placement time in the campaign's timezone |"),
  required("PAYLOAD-18", "telephony", "| created_at | string | UTC |"),
  required("PAYLOAD-19", "telephony", "| call_cost | number | Total cost |"),
  required("PAYLOAD-20", "telephony", "| call_cost_currency | string | USD unless configured otherwise |"),
  required("PAYLOAD-21", "telephony", "| cost_breakdown | object | llm, network, platform, synthesizer, transcriber |"),
  required("PAYLOAD-22", "telephony", "| call_duration | number | Seconds, as the carrier reported |"),
  required("PAYLOAD-23", "telephony", "| agent_message_count, user_message_count | integer | Turns by each side |"),
  required(
    "PAYLOAD-24",
    "telephony",
    "| overall_latency_seconds, first_utterance_seconds | number | Latency figures |",
  ),
  required("PAYLOAD-25", "telephony", "| transcript | array | One entry per turn |"),
  required("PAYLOAD-26", "telephony", "| transcript_status | string | `available`, `unavailable`, `truncated` |"),
  required("PAYLOAD-27", "telephony", "| recording_url | string | When recording was on |"),
  required("PAYLOAD-28", "telephony", "| recording_duration | number | Seconds |"),
  required("PAYLOAD-29", "telephony", "| retry_count | integer | Prior attempts on the contact |"),
  required("PAYLOAD-30", "telephony", "| attempts | array | Every attempt, oldest first |"),
  required("PAYLOAD-31", "telephony", "| parent_call_id | string | Call this retries or follows up |"),
  required("PAYLOAD-32", "telephony", "| retry_chain | array | execution_ids of the chain |"),
  required("PAYLOAD-33", "telephony", "| platform_analysis | object | Summary, sentiment, outcome |"),
  required(
    "PAYLOAD-34",
    "telephony",
    "| platform_analysis_status | string | `completed`, `partial`, `pending`, `unavailable` |",
  ),
  required("PAYLOAD-35", "telephony", "| client_analysis | object | Customer-configured analysis variables |"),
  required(
    "PAYLOAD-36",
    "telephony",
    "| client_analysis_status | string | `completed`, `partial`, `pending`, `not_configured` |",
  ),
  required("PAYLOAD-37", "telephony", "| tool_call_logs | array | Tools invoked |"),
  required("PAYLOAD-38", "telephony", "| answered_by_voice_mail | boolean | Machine picked up |"),
  required("PAYLOAD-39", "telephony", "| hangup_by | string | `agent` or `customer` |"),
  required("PAYLOAD-40", "telephony", "| ab_version_id | string | Experiment that routed the call |"),
  required("PAYLOAD-41", "telephony", "| ab_is_variant | boolean | True when the challenger agent ran |"),
  required(
    "PAYLOAD-42",
    "telephony",
    "| processing_incomplete | boolean | True when sent before every field was ready |",
  ),
  required(
    "PAYLOAD-43",
    "telephony",
    "| missing_fields | array | Fields missing when `processing_incomplete` is true |",
  ),
  required(
    "PAYLOAD-44",
    "fixtures",
    "The test event carries the same envelope keys (`event_type`, `event_id`, `call_id`, `agent_id`) plus `test: true`.",
  ),
])
