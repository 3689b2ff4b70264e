import { gap, required, specified } from "../Clause.ts"

export const webhookSubscription = specified("Resources and their fields > Webhook subscription", [
  required("SUBSCRIPTION-1", "http", "Fields that appear: `subscription_id` (string)"),
  required("SUBSCRIPTION-2", "http", "`callback_url` (string, max 2048)"),
  required("SUBSCRIPTION-3", "http", "`method_type` (`POST` or `PUT`, default `POST`)"),
  required("SUBSCRIPTION-4", "http", "`headers` (object of extra headers; stored, write-only)"),
  required("SUBSCRIPTION-5", "http", "`secret` (signing secret; write-only)"),
  required("SUBSCRIPTION-6", "http", "`event_types` (array of event type names)"),
  required("SUBSCRIPTION-7", "http", "`enabled` (boolean)"),
  required("SUBSCRIPTION-8", "http", "`agent_id` (string)."),
  gap("SUBSCRIPTION-G1", "http", "Fields of the webhook subscription record beyond those listed: not shown."),
])
