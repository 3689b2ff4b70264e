import { chosen, informative, profile } from "../Clause.ts"

export const callingWindowDecisions = chosen("Calling windows (agent `calling_guard`, campaign `working_hours`)", [
  informative("(agent `calling_guard`, campaign `working_hours`)"),
  profile("CALL-WINDOW-P1", "http", "`days`: 0 = Monday … 6 = Sunday"),
  profile("CALL-WINDOW-P2", "http", "omitted or empty means every day."),
  profile("CALL-WINDOW-P3", "http", "`start < end` is required (1000/400 otherwise)"),
  profile("CALL-WINDOW-P4", "clock", "windows are half-open `[start, end)` in the IANA zone."),
  profile("CALL-WINDOW-P5", "clock", "A local time that daylight saving skips maps to the first existing minute"),
  profile("CALL-WINDOW-P6", "clock", "one that it repeats maps to its first occurrence."),
  profile(
    "CALL-WINDOW-P7",
    "http",
    "Deferred time: `opening + hash(execution_id) mod (closing − 5 min − opening)` on whole seconds",
  ),
  profile("CALL-WINDOW-P8", "http", "a window of five minutes or less gives its opening."),
  profile(
    "CALL-WINDOW-P9",
    "http",
    "With `scheduled_at` outside the window the next window after `scheduled_at` is taken.",
  ),
])
