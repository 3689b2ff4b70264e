import { gap, informative, required, specified } from "../Clause.ts"

export const timing = specified("Resources and their fields > Timing (per call)", [
  informative("(per call)"),
  required("TIMING-1", "http", "Fields: `execution_id`"),
  required("TIMING-2", "http", "`measured` (boolean, false when no turns)"),
  required(
    "TIMING-3",
    "telephony",
    "`not_measured_reason` (`in_progress`, `no_turns_completed`, `never_recorded`, or null)",
  ),
  required("TIMING-4", "telephony", "`setup` (one-off connection costs before the conversation, or null)"),
  required("TIMING-5", "telephony", "`turns` (array, one per turn in order)"),
  required("TIMING-6", "telephony", "`summary`."),
  required(
    "TIMING-7",
    "telephony",
    "Each turn reports `heard` (time for the caller's words to settle into a final transcript)",
  ),
  required("TIMING-8", "telephony", "`thought` (time to the model's first and last token)"),
  required("TIMING-9", "telephony", "`spoke` (time to first audio and to end of reply)"),
  required("TIMING-10", "telephony", "and `round_trip_ms` (the three summed"),
  required("TIMING-11", "telephony", "null unless every part was measured)"),
  required("TIMING-12", "telephony", "with `round_trip_missing` naming the stages that did not report."),
  gap("TIMING-G1", "telephony", "Inner field names of setup, turn and summary objects: not shown."),
])
