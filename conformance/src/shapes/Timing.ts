import * as Kind from "./Kind.ts"
import { field, type Shape } from "./Shape.ts"

/** The timing object (Resources > Timing). */
export const timing: Shape = {
  name: "timing",
  fields: [
    field("execution_id", Kind.text, "TIMING-1"),
    field("measured", Kind.boolean, "TIMING-2"),
    field("not_measured_reason", Kind.literal("in_progress", "no_turns_completed", "never_recorded", null), "TIMING-3"),
    field("setup", Kind.nullable(Kind.object), "TIMING-4"),
    field("turns", Kind.array, "TIMING-5"),
    field("turns[].heard", Kind.nullable(Kind.object), "TIMING-7"),
    field("turns[].thought", Kind.nullable(Kind.object), "TIMING-8"),
    field("turns[].spoke", Kind.nullable(Kind.object), "TIMING-9"),
    field("turns[].round_trip_ms", Kind.nullable(Kind.number), "TIMING-10"),
    field("turns[].round_trip_missing", Kind.nullable(Kind.array), "TIMING-12"),
    field("summary", Kind.nullable(Kind.object), "TIMING-6"),
  ],
}
