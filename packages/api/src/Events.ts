import type { EventType } from "@carillon/core"
import { callStatuses, eventTypes, transcriptRoles } from "@carillon/core/domain"
import { Schema } from "effect"
import { chosen, described } from "./Annotations.ts"
import { directions } from "./Filters.ts"
import { Flag, Integer, JsonObject, listOf, nullable, oneOf, Quantity, Text, Timestamp } from "./Scalars.ts"

/** When each event is sent. */
export const eventMoments = {
  all_processing_completed:
    "The call has ended and all of it is there, or ten minutes have passed since. Once per call, and the last but corrections.",
  call_completed: "The call has ended, in whatever status. `missing_fields` says what is still to come.",
  call_corrected: "A fact has changed that was told before: `correction` says which, and what it was.",
  call_ringing: "The call rings for the first time.",
  call_started: "The call was answered.",
  client_analysis_completed: "The agent's own analysis of the call is there.",
  platform_analysis_completed: "Summary and sentiment of the call are there.",
  recording_completed: "The recording of the call is there.",
} as const satisfies { readonly [type in EventType]: string }

/** A call of a chain of attempts, as events tell it. */
export const EventAttempt = Schema.Struct({
  execution_id: chosen(Text),
  status: chosen(oneOf(callStatuses)),
  retry_count: chosen(Integer, "Attempts before this one."),
  created_at: chosen(Timestamp),
  completed_at: chosen(nullable(Timestamp), "Null while it lasts."),
}).annotate({ identifier: "EventAttempt" })

/** The body of every event (specification, "Payload of `all_processing_completed`"): one envelope, null for what is not known. */
export const EventPayload = Schema.Struct({
  event_type: described(oneOf(eventTypes), "Which event."),
  event_id: described(Text, "The same on every attempt, redeliveries included: deduplicate on it."),
  version: described(Text, "Of the payload."),
  timestamp: described(Timestamp, "When the event came to be."),
  call_id: described(Text, "The `execution_id`."),
  call_sid: described(nullable(Text), "The carrier's leg id."),
  agent_id: described(nullable(Text), "Null in a test that names no agent."),
  agent_name: described(nullable(Text), "As the agent was called when the call was made."),
  organization_id: Text,
  workspace_id: described(Text, "The same as `organization_id`."),
  status: described(oneOf(callStatuses), "The call's, when the event came to be."),
  sub_status: described(nullable(Text), "The finer reason, such as `voicemail_reached`."),
  call_type: oneOf(directions),
  calling_source: described(
    nullable(oneOf(["api", "campaign", "retry", "follow-up"])),
    "What placed the call; null on an inbound one.",
  ),
  custom_args_values: described(JsonObject, "Variables of the call."),
  to_number: described(Text, "E.164."),
  from_number: described(nullable(Text), "E.164."),
  bulk_list_id: described(nullable(Text), "The batch of the call."),
  called_on: described(nullable(Timestamp), "When it was placed, in its campaign's timezone; null before that."),
  created_at: described(Timestamp, "UTC."),
  call_cost: described(nullable(Quantity), "In total."),
  call_cost_currency: Text,
  cost_breakdown: nullable(
    Schema.Struct({
      llm: Quantity,
      network: Quantity,
      platform: Quantity,
      synthesizer: Quantity,
      transcriber: Quantity,
    }),
  ),
  call_duration: described(nullable(Quantity), "Seconds, as the carrier reported."),
  agent_message_count: described(nullable(Integer), "Turns of the agent."),
  user_message_count: described(nullable(Integer), "Turns of the person called."),
  overall_latency_seconds: described(
    nullable(Quantity),
    "From the end of the person's words to the agent's first sound, over all turns that were measured.",
  ),
  first_utterance_seconds: described(nullable(Quantity), "Until the agent's first sound."),
  transcript: described(
    nullable(listOf(Schema.Struct({ role: oneOf(transcriptRoles), content: Text }))),
    "One entry per turn.",
  ),
  transcript_status: oneOf(["available", "unavailable", "truncated"]),
  recording_url: described(nullable(Text), "When recording was on."),
  recording_duration: described(nullable(Quantity), "Seconds."),
  retry_count: described(Integer, "Prior attempts on the contact."),
  attempts: described(listOf(EventAttempt), "Every attempt, oldest first."),
  parent_call_id: described(nullable(Text), "The call that this one retries or follows up."),
  retry_chain: described(listOf(Text), "The `execution_id` of every attempt, oldest first."),
  platform_analysis: nullable(
    Schema.Struct({
      summary: nullable(Text),
      sentiment: nullable(oneOf(["positive", "neutral", "negative"])),
      outcome: oneOf(callStatuses),
    }),
  ),
  platform_analysis_status: oneOf(["completed", "partial", "pending", "unavailable"]),
  client_analysis: described(nullable(JsonObject), "Keyed by the names of the agent's analysis configuration."),
  client_analysis_status: oneOf(["completed", "partial", "pending", "not_configured"]),
  tool_call_logs: described(nullable(listOf(Schema.Struct({ content: Text }))), "Tools that were invoked."),
  answered_by_voice_mail: described(nullable(Flag), "Whether a machine picked up."),
  hangup_by: described(nullable(oneOf(["agent", "customer"])), "Which side hung up."),
  ab_version_id: described(nullable(Text), "The experiment that routed the call."),
  ab_is_variant: described(nullable(Flag), "Whether the challenger ran."),
  processing_incomplete: described(nullable(Flag), "Whether something is still missing; null before the call's end."),
  missing_fields: described(nullable(listOf(Text)), "The fields that are missing; null before the call's end."),
  correction: chosen(
    Schema.optionalKey(
      Schema.Struct({
        fields: described(listOf(Text), "Which fields of the payload changed."),
        previous: described(JsonObject, "What they were."),
      }),
    ),
    "Only, and always, on `call_corrected`.",
  ),
  test: described(Schema.optionalKey(Schema.Literal(true)), "Only on an event of `POST /v2/webhooks/test`."),
}).annotate({ identifier: "EventPayload", description: "What every event says; null is what is not known." })
export type EventPayload = typeof EventPayload.Type
