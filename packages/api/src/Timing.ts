import { Schema } from "effect"
import { chosen, described } from "./Annotations.ts"
import { Flag, Integer, nullable, oneOf, Quantity, Text } from "./Scalars.ts"

const milliseconds = chosen(nullable(Quantity))

/** One-off connection costs before the conversation, in milliseconds. */
export const SetupTiming = Schema.Struct({
  stream_connect_ms: milliseconds,
  transcriber_connect_ms: milliseconds,
  language_model_connect_ms: milliseconds,
  synthesizer_connect_ms: milliseconds,
  time_to_first_audio_ms: milliseconds,
}).annotate({ identifier: "SetupTiming" })
export type SetupTiming = typeof SetupTiming.Type

/** The stages of a turn, in the order in which they run. */
export const timingStages = ["heard", "thought", "spoke"] as const
export type TimingStage = (typeof timingStages)[number]

/** One turn: how long it took to be heard, thought and spoken. A part that was not measured is null. */
export const TurnTiming = Schema.Struct({
  turn: chosen(Integer, "Counts from 1."),
  heard: described(
    Schema.Struct({ final_transcript_ms: milliseconds }),
    "Time for the caller's words to settle into a final transcript.",
  ),
  thought: described(
    Schema.Struct({ first_token_ms: milliseconds, last_token_ms: milliseconds }),
    "Time to the model's first and last token.",
  ),
  spoke: described(
    Schema.Struct({ first_audio_ms: milliseconds, complete_ms: milliseconds }),
    "Time to first audio and to the end of the reply.",
  ),
  round_trip_ms: described(
    nullable(Quantity),
    "Final transcript, first token and first audio summed; null unless each was measured.",
  ),
  round_trip_missing: described(Schema.Array(oneOf(timingStages)), "The stages that did not report."),
}).annotate({ identifier: "TurnTiming" })
export type TurnTiming = typeof TurnTiming.Type

const figure = chosen(Quantity)

/** The spread of one measure over the turns of a call, in milliseconds. */
export const TimingSpread = Schema.Struct({
  p50: figure,
  p90: figure,
  p95: figure,
  p99: figure,
  min: figure,
  max: figure,
  avg: figure,
}).annotate({ identifier: "TimingSpread", description: "Percentiles by nearest rank." })
export type TimingSpread = typeof TimingSpread.Type

/** The turns of a call summed up; a spread is null when nothing was measured. */
export const TimingSummary = Schema.Struct({
  turns: chosen(Integer),
  turns_measured: chosen(Integer, "Turns with a round trip."),
  round_trip: chosen(nullable(TimingSpread)),
  heard: chosen(nullable(TimingSpread), "Of `final_transcript_ms`."),
  thought: chosen(nullable(TimingSpread), "Of `first_token_ms`."),
  spoke: chosen(nullable(TimingSpread), "Of `first_audio_ms`."),
}).annotate({ identifier: "TimingSummary" })
export type TimingSummary = typeof TimingSummary.Type

/** 200 of `GET /v2/calls/{execution_id}/timing`. */
export const CallTiming = Schema.Struct({
  execution_id: Text,
  measured: described(Flag, "False when there are no turns."),
  not_measured_reason: nullable(oneOf(["in_progress", "no_turns_completed", "never_recorded"])),
  setup: described(nullable(SetupTiming), "One-off connection costs before the conversation."),
  turns: described(Schema.Array(TurnTiming), "One per turn, in order."),
  summary: TimingSummary,
}).annotate({ identifier: "CallTiming", description: "How fast a call's conversation was, turn by turn." })
export type CallTiming = typeof CallTiming.Type
