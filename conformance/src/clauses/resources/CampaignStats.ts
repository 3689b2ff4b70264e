import { required, specified } from "../Clause.ts"

export const campaignStats = specified("Resources and their fields > Campaign stats (live, computed on read)", [
  required("STATS-1", "telephony", "(live, computed on read)"),
  required(
    "STATS-2",
    "http",
    "`campaign_id`, `status`, `timezone`, `working_hours_enforced`, `start_time`, `end_time`, `total_contacts`",
  ),
  required("STATS-3", "telephony", "`contacts_dialled` (DISTINCT contacts dialled at least once; nullable)"),
  required("STATS-4", "telephony", "`in_flight_contacts`"),
  required("STATS-5", "http", "`outcome_counts` {`completed`, `failed`, `in_flight`, `pending`, `total`}"),
  required(
    "STATS-6",
    "telephony",
    "`contact_counts` (live per-status histogram: pending, in_progress, completed, failed; overlaps the buckets)",
  ),
  required("STATS-7", "http", "`batch_counts` (batch status to count)"),
  required(
    "STATS-8",
    "telephony",
    "`call_counters` {completed_calls, failed_calls, busy_calls, no_answer_calls, voicemail_calls, follow_up_calls}",
  ),
  required(
    "STATS-9",
    "telephony",
    '`retry_breakdown` (map from retry depth string `"0"`, `"1"`... to call count; excludes follow-ups; nullable)',
  ),
  required("STATS-10", "telephony", "`follow_up_attempts` (nullable)"),
  required(
    "STATS-11",
    "telephony",
    "`total_call_attempts` (nullable; every dial including retries and follow-ups, duplicate legs excluded)",
  ),
  required("STATS-12", "http", "`retry_policy`."),
  required(
    "STATS-13",
    "telephony",
    "Rules: the four `outcome_counts` buckets (completed, failed, in_flight, pending) are mutually exclusive",
  ),
  required("STATS-14", "telephony", "and always sum to `total`."),
  required("STATS-15", "telephony", "`completed` is sticky and only grows."),
  required("STATS-16", "telephony", "Duplicate legs of an already counted call are excluded everywhere."),
])
