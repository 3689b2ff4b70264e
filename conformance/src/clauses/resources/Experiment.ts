import { informative, required, specified } from "../Clause.ts"

export const experiment = specified("Resources and their fields > A/B experiment (agent version)", [
  informative("(agent version)"),
  required("EXPERIMENT-FIELD-1", "http", "`version_id`, `main_agent_id` (control; equals the path agent)"),
  required("EXPERIMENT-FIELD-2", "http", "`variant_agent_id` (challenger)"),
  required("EXPERIMENT-FIELD-3", "http", "`version_name`, `description` (nullable)"),
  required(
    "EXPERIMENT-FIELD-4",
    "http",
    "`variable_tested` (nullable string such as a voice, script or cadence label)",
  ),
  required("EXPERIMENT-FIELD-5", "http", "`variant_traffic_pct` (number 0-100"),
  required("EXPERIMENT-FIELD-6", "telephony", "remainder goes to control"),
  required("EXPERIMENT-FIELD-7", "telephony", "0 pauses the variant"),
  required("EXPERIMENT-FIELD-8", "telephony", "100 promotes it)"),
  required("EXPERIMENT-FIELD-9", "http", "`status` (`draft`, `active`, `paused`, `concluded`)"),
  required("EXPERIMENT-FIELD-10", "http", "`winner` (`control` or `variant`, set only on a concluded experiment)"),
  required("EXPERIMENT-FIELD-11", "http", "`start_date`, `end_date` (informational, do not gate routing)"),
  required("EXPERIMENT-FIELD-12", "telephony", "(informational, do not gate routing)"),
  required("EXPERIMENT-FIELD-13", "http", "`created_by`, `created_at`, `updated_at`."),
])
