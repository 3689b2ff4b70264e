import { transcriptRoles } from "@carillon/core/domain"
import { Schema } from "effect"
import { chosen } from "./Annotations.ts"
import { Integer, nullable, oneOf, Quantity, Text } from "./Scalars.ts"

/** One turn of a normalised transcript. */
export const TranscriptTurn = Schema.Struct({
  index: chosen(Integer, "Counts from 0."),
  role: chosen(oneOf(transcriptRoles)),
  content: chosen(Text),
  start_ms: chosen(nullable(Quantity), "Milliseconds from the start of the call."),
  end_ms: chosen(nullable(Quantity), "Milliseconds from the start of the call."),
}).annotate({ identifier: "TranscriptTurn" })
export type TranscriptTurn = typeof TranscriptTurn.Type

/** 200 of `GET /v2/calls/{execution_id}/transcript`; the specification leaves the shape open. */
export const CallTranscript = Schema.Struct({
  execution_id: chosen(Text),
  format: chosen(Schema.Literal("turns")),
  transcript_status: chosen(oneOf(["available", "unavailable", "truncated"])),
  turn_count: chosen(Integer),
  turns: chosen(Schema.Array(TranscriptTurn)),
  text: chosen(Text, "The turns as lines of `role: content`."),
}).annotate({ identifier: "CallTranscript", description: "What was said, in one shape." })
export type CallTranscript = typeof CallTranscript.Type
