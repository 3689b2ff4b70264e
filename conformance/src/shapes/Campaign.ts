import * as Kind from "./Kind.ts"
import { field, type Shape } from "./Shape.ts"

/** The statuses of a campaign (States > Campaign status). */
const campaignStatuses = ["created", "active", "paused", "completed", "cancelled", "expired", "archived"] as const

const retryPolicy = Kind.record({
  max_retries: Kind.integer,
  strategy: Kind.text,
  cooldown_minutes: Kind.number,
  base_delay_minutes: Kind.number,
  max_delay_minutes: Kind.nullable(Kind.number),
  respect_working_hours: Kind.boolean,
})

const counters = [
  "completed_calls",
  "failed_calls",
  "busy_calls",
  "no_answer_calls",
  "in_progress_calls",
  "follow_up_calls",
  "follow_up_exhausted",
] as const

/** The campaign object (Resources > Campaign). */
export const campaign: Shape = {
  name: "campaign",
  fields: [
    field("campaign_id", Kind.text, "CAMPAIGN-FIELD-1"),
    field("organization_id", Kind.nullable(Kind.text), "CAMPAIGN-FIELD-2"),
    field("name", Kind.text, "CAMPAIGN-FIELD-3"),
    field("agent_id", Kind.text, "CAMPAIGN-FIELD-4"),
    field("phone_numbers", Kind.arrayOf(Kind.e164), "CAMPAIGN-FIELD-5"),
    field("phone_number_strategy", Kind.literal("round_robin", "random", "least_loaded"), "CAMPAIGN-FIELD-7"),
    field("phone_number_index", Kind.integer, "CAMPAIGN-FIELD-8"),
    field("timezone", Kind.text, "CAMPAIGN-FIELD-9"),
    field("working_hours_enforced", Kind.boolean, "CAMPAIGN-FIELD-10"),
    field("working_hours", Kind.object, "CAMPAIGN-FIELD-11"),
    field("max_concurrent_calls", Kind.nullable(Kind.integer), "CAMPAIGN-FIELD-13"),
    field("retry_policy", retryPolicy, "CAMPAIGN-FIELD-15"),
    field("follow_up_policy.enabled", Kind.boolean, "CAMPAIGN-FIELD-19"),
    field("follow_up_policy.triggers", Kind.arrayOf(Kind.text), "CAMPAIGN-FIELD-19"),
    field("transliteration.enabled", Kind.boolean, "CAMPAIGN-FIELD-21"),
    field("transliteration.fields", Kind.arrayOf(Kind.text), "CAMPAIGN-FIELD-21"),
    field("start_time", Kind.nullable(Kind.timestamp), "CAMPAIGN-FIELD-23"),
    field("end_time", Kind.nullable(Kind.timestamp), "CAMPAIGN-FIELD-23"),
    field("default_call_variables", Kind.object, "CAMPAIGN-FIELD-27"),
    field("default_call_context", Kind.object, "CAMPAIGN-FIELD-28"),
    field("status", Kind.literal(...campaignStatuses), "CAMPAIGN-FIELD-29", "CAMPAIGN-STATUS-1"),
    field("metadata", Kind.object, "CAMPAIGN-FIELD-30"),
    field("batch_id", Kind.nullable(Kind.text), "CAMPAIGN-FIELD-31"),
    field("total_contacts", Kind.integer, "CAMPAIGN-FIELD-33"),
    field("total_batches", Kind.integer, "CAMPAIGN-FIELD-34"),
    field("active_batches", Kind.integer, "CAMPAIGN-FIELD-34"),
    field("completed_contacts", Kind.integer, "CAMPAIGN-FIELD-35"),
    ...counters.map((counter) => field(counter, Kind.integer, "CAMPAIGN-FIELD-36")),
    field("voicemail_calls", Kind.integer, "CAMPAIGN-FIELD-37"),
    field("created_at", Kind.timestamp, "CAMPAIGN-FIELD-38"),
    field("updated_at", Kind.timestamp, "CAMPAIGN-FIELD-38"),
  ],
}

const integers = (...names: ReadonlyArray<string>) =>
  Kind.record(Object.fromEntries(names.map((name) => [name, Kind.integer])))

/** The live statistics (Resources > Campaign stats). */
export const campaignStats: Shape = {
  name: "campaign-stats",
  fields: [
    field("campaign_id", Kind.text, "STATS-2"),
    field("status", Kind.literal(...campaignStatuses), "STATS-2"),
    field("timezone", Kind.text, "STATS-2"),
    field("working_hours_enforced", Kind.boolean, "STATS-2"),
    field("start_time", Kind.nullable(Kind.timestamp), "STATS-2"),
    field("end_time", Kind.nullable(Kind.timestamp), "STATS-2"),
    field("total_contacts", Kind.integer, "STATS-2"),
    field("contacts_dialled", Kind.nullable(Kind.integer), "STATS-3"),
    field("in_flight_contacts", Kind.integer, "STATS-4"),
    field("outcome_counts", integers("completed", "failed", "in_flight", "pending", "total"), "STATS-5"),
    field("contact_counts", integers("pending", "in_progress", "completed", "failed"), "STATS-6"),
    field("batch_counts", Kind.object, "STATS-7"),
    field(
      "call_counters",
      integers(
        "completed_calls",
        "failed_calls",
        "busy_calls",
        "no_answer_calls",
        "voicemail_calls",
        "follow_up_calls",
      ),
      "STATS-8",
    ),
    field("retry_breakdown", Kind.nullable(Kind.object), "STATS-9"),
    field("follow_up_attempts", Kind.nullable(Kind.integer), "STATS-10"),
    field("total_call_attempts", Kind.nullable(Kind.integer), "STATS-11"),
    field("retry_policy", retryPolicy, "STATS-12"),
  ],
}

/** The batch record (decisions, Campaigns and batches). */
export const batch: Shape = {
  name: "batch",
  fields: [
    ...["batch_id", "organization_id", "agent_id", "status"].map((name) => field(name, Kind.text, "BATCH-FIELD-P1")),
    ...["campaign_id", "name", "file_name"].map((name) => field(name, Kind.nullable(Kind.text), "BATCH-FIELD-P1")),
    field("phone_numbers", Kind.arrayOf(Kind.e164), "BATCH-FIELD-P1"),
    ...[
      "valid_contacts",
      "total_contacts",
      "pending_contacts",
      "in_progress_contacts",
      "completed_contacts",
      "failed_contacts",
      "skipped_contacts",
    ].map((name) => field(name, Kind.integer, "BATCH-FIELD-P1")),
    field("execution_status", Kind.object, "BATCH-FIELD-P1"),
    field("retry_policy", retryPolicy, "BATCH-FIELD-P1"),
    field("concurrency_limit", Kind.nullable(Kind.integer), "BATCH-FIELD-P1"),
    ...["scheduled_at", "started_at", "completed_at"].map((name) =>
      field(name, Kind.nullable(Kind.timestamp), "BATCH-FIELD-P1"),
    ),
    field("metadata", Kind.object, "BATCH-FIELD-P1"),
    field("created_at", Kind.timestamp, "BATCH-FIELD-P1"),
    field("updated_at", Kind.timestamp, "BATCH-FIELD-P1"),
  ],
}
