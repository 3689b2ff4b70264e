import { gap, required, specified } from "../Clause.ts"

export const webhookTestResult = specified("Resources and their fields > Webhook test result", [
  required("WEBHOOK-RESULT-1", "fixtures", "`accepted` (always true)"),
  required("WEBHOOK-RESULT-2", "fixtures", "`delivered` (true when the endpoint answered 2xx)"),
  required("WEBHOOK-RESULT-3", "fixtures", "`http_status` (integer or null)"),
  required(
    "WEBHOOK-RESULT-4",
    "fixtures",
    "`error_class` (`dns_error`, `timeout`, `connect_error`, `tls_error`, `http_error`, or null)",
  ),
  required("WEBHOOK-RESULT-5", "fixtures", "`error_message` (capped, no response body)"),
  required("WEBHOOK-RESULT-6", "fixtures", "`duration_ms`"),
  required("WEBHOOK-RESULT-7", "fixtures", "`signed` (boolean)"),
  required("WEBHOOK-RESULT-8", "fixtures", "`signature_header` (name of the signature header)"),
  required("WEBHOOK-RESULT-9", "fixtures", "`event_type`, `event_id`"),
  required("WEBHOOK-RESULT-10", "fixtures", "`delivery_id` (synthetic, not in the ledger)"),
  required("WEBHOOK-RESULT-11", "fixtures", "`callback_host`, `method_type`"),
  required("WEBHOOK-RESULT-12", "fixtures", "`sent_header_names` (names only)"),
  required("WEBHOOK-RESULT-13", "fixtures", "`body` (the exact signed payload)."),
  gap("OTHER-G1", "http", "Fields of usage, phone number, provider, inbound agent and audit-log records: not shown."),
])
