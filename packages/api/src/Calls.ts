import { limits } from "@carillon/core"
import { callStatuses, statusFilterValues } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  AcceptsIdempotencyKey,
  chosen,
  described,
  OptionalBody,
  RateLimitBucket,
  RequiredScope,
} from "./Annotations.ts"
import { Conflict, InsufficientCredits, PayloadTooLarge } from "./Errors.ts"
import { directions } from "./Filters.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery, queryFlag, queryText, queryTimestamp, queryWord, queryWords } from "./Query.ts"
import {
  Flag,
  Integer,
  integerBetween,
  JsonObject,
  listOf,
  NonEmptyText,
  nullable,
  objectOf,
  OffsetTimestamp,
  oneOf,
  PhoneNumber,
  Quantity,
  Text,
  textUpTo,
  Timestamp,
} from "./Scalars.ts"
import { CallTiming } from "./Timing.ts"
import { CallTranscript } from "./Transcript.ts"

/** What a call cost; `total` is the sum of the parts. */
export const CallCost = Schema.Struct({
  total: Quantity,
  currency: Text,
  breakdown: Schema.Struct({
    llm: Quantity,
    network: Quantity,
    platform: Quantity,
    synthesizer: Quantity,
    telephony: Quantity,
    transcriber: Quantity,
  }),
}).annotate({ identifier: "CallCost" })
export type CallCost = typeof CallCost.Type

/** One turn of a conversation inside a call object. */
export const CallTurn = Schema.Struct({ role: Text, content: Text }).annotate({ identifier: "CallTurn" })
export type CallTurn = typeof CallTurn.Type

/** The call object (specification, "Call (execution)"). */
export const Call = Schema.Struct({
  execution_id: described(Text, "Id the call runs under for its whole life; canonical."),
  status: oneOf(callStatuses),
  is_terminal: described(Flag, "True once the status will never change."),
  direction: oneOf(directions),
  agent_id: Text,
  batch_id: described(nullable(Text), "Batch that placed it, if any."),
  campaign_id: nullable(Text),
  contact_id: described(nullable(Text), "Null on a directly placed call."),
  parent_execution_id: described(nullable(Text), "Original attempt when this is a retry or follow-up."),
  retry_count: described(Integer, "Attempts before this one."),
  to_number: described(Text, "E.164."),
  from_number: described(nullable(Text), "E.164."),
  provider: described(Schema.Literal("custom"), "Always `custom`."),
  duration_seconds: described(nullable(Quantity), "Connected audio."),
  answered_by_voicemail: nullable(Flag),
  hangup_by: described(nullable(Text), "Which side hung up."),
  hangup_reason: nullable(Text),
  recording_url: described(nullable(Text), "Null when nothing was recorded."),
  cost: CallCost,
  summary: nullable(Text),
  sentiment: nullable(oneOf(["positive", "neutral", "negative"])),
  extracted_data: described(nullable(JsonObject), "Keyed by variable name from the agent's analysis configuration."),
  custom_analytics: described(nullable(listOf(Schema.Json)), "Analysis configuration that produced extracted_data."),
  variables: described(JsonObject, "Prompt variables the call ran with."),
  error: described(Schema.optionalKey(Schema.Struct({ message: Text })), "Present only on a failed call."),
  scheduled_at: described(nullable(Timestamp), "Null when dialled immediately."),
  created_at: Timestamp,
  updated_at: Timestamp,
  completed_at: nullable(Timestamp),
  transcript: described(
    Schema.optionalKey(Schema.Union([Schema.Array(CallTurn), Schema.String])),
    "Only when `include_transcript=true`: an array of turns, or a plain string.",
  ),
}).annotate({ identifier: "Call", description: "One phone call made by one agent, also called an execution." })
export type Call = typeof Call.Type

/** The body of `POST /v2/calls`. */
export const DialRequest = objectOf({
  agent_id: described(NonEmptyText, "Must belong to the organization."),
  to_number: described(PhoneNumber, "E.164, 7 to 15 digits."),
  from_number: described(
    Schema.optionalKey(nullable(PhoneNumber)),
    "E.164; when omitted, telephony chooses a registered number.",
  ),
  variables: described(Schema.optionalKey(JsonObject), "Fills `{tokens}` in the agent's prompt and greeting."),
  metadata: described(
    Schema.optionalKey(JsonObject),
    "Merged over `variables`; on a shared key the metadata value wins.",
  ),
  scheduled_at: described(
    Schema.optionalKey(nullable(OffsetTimestamp)),
    "With UTC offset; at least 2 minutes and at most 30 days ahead.",
  ),
  record: described(Schema.optionalKey(Flag), "Default true; applies to scheduled calls too."),
  timeout_seconds: described(
    Schema.optionalKey(integerBetween(limits.ringTimeoutSeconds.min, limits.ringTimeoutSeconds.max)),
    `Ring time; ${limits.ringTimeoutSeconds.default} when omitted.`,
  ),
  override_suppression: chosen(
    Schema.optionalKey(Flag),
    "An extension: calls a number that is suppressed all the same. It needs `agents:write`, and the audit trail keeps it.",
  ),
  override_callee_hours: chosen(
    Schema.optionalKey(Flag),
    "An extension: calls though the hours of the number are closed. It needs `agents:write`, and the audit trail keeps it.",
  ),
  override_call_caps: chosen(
    Schema.optionalKey(Flag),
    "An extension: calls though the number was called as often as call caps allow. It needs `agents:write`, and the audit trail keeps it.",
  ),
}).annotate({ identifier: "DialRequest" })
export type DialRequest = typeof DialRequest.Type

const placed = {
  execution_id: Text,
  call_sid: described(nullable(Text), "The carrier's leg id, for support only."),
  agent_id: Text,
  to_number: Text,
  from_number: nullable(Text),
  created_at: Timestamp,
}

/** 201 of `POST /v2/calls`: the carrier took the dial. */
export const DialedCall = Schema.Struct({ ...placed, status: Schema.Literal("queued") }).annotate({
  identifier: "DialedCall",
  description: "The call was dialled.",
})
export type DialedCall = typeof DialedCall.Type

/** 202 of `POST /v2/calls`: the call rings later. */
export const ScheduledCall = Schema.Struct({
  ...placed,
  status: Schema.Literal("scheduled"),
  scheduled_at: described(Timestamp, "The time it will ring."),
  deferred_by_calling_guard: described(
    Flag,
    "True when the agent's calling window moved the call to a time inside the next open window.",
  ),
}).annotate({ identifier: "ScheduledCall", description: "The call is booked." })
export type ScheduledCall = typeof ScheduledCall.Type

/** 202 of `POST /v2/calls`: the carrier's acknowledgement has not come. Poll, never redial. */
export const UnconfirmedCall = Schema.Struct({
  ...placed,
  status: Schema.Literal("queued"),
  dispatch: Schema.Literal("pending_confirmation"),
}).annotate({
  identifier: "UnconfirmedCall",
  description: "The call may or may not be live: poll it, never redial.",
})
export type UnconfirmedCall = typeof UnconfirmedCall.Type

/** The body of `POST /v2/calls/{execution_id}/stop`. */
export const StopRequest = objectOf({
  reason: described(
    Schema.optionalKey(nullable(textUpTo(limits.stopReasonCharacters))),
    "Free text recorded with the hangup.",
  ),
}).annotate({ identifier: "StopRequest" })
export type StopRequest = typeof StopRequest.Type

/** 200 of a stop: the call was cancelled before it was dialled. */
export const CanceledCall = Schema.Struct({
  execution_id: Text,
  status: Schema.Literal("canceled"),
  canceled_before_dial: Schema.Literal(true),
  scheduled_at: described(nullable(Timestamp), "The time that will never fire."),
}).annotate({ identifier: "CanceledCall", description: "The call was cancelled before it was dialled." })
export type CanceledCall = typeof CanceledCall.Type

/** 202 of a stop: the hangup of a live call was requested. */
export const StoppedCall = Schema.Struct({
  execution_id: Text,
  status: Schema.Literal("stopped"),
  requested_at: Timestamp,
  reason: described(Text, "The supplied reason, or `user_request`."),
}).annotate({ identifier: "StoppedCall", description: "The hangup was requested; confirm with a GET." })
export type StoppedCall = typeof StoppedCall.Type

/** 200 of `GET /v2/calls/{execution_id}/recording`. */
export const Recording = Schema.Struct({
  execution_id: Text,
  recording_url: Text,
  content_type: Text,
  expires_at: described(Schema.Null, "Reserved, always null."),
}).annotate({ identifier: "Recording", description: "Where the stored audio is." })
export type Recording = typeof Recording.Type

const includeTranscript = {
  include_transcript: described(Schema.optionalKey(queryFlag), "Adds the transcript to each call; default false."),
}

const callFilters = {
  status: described(
    queryWords(statusFilterValues),
    "Joined by commas. Every call when omitted, those in flight included.",
  ),
  direction: queryWord(directions),
  from_date: described(Schema.optionalKey(queryTimestamp), "Created at or after; ISO-8601 with offset."),
  to_date: described(Schema.optionalKey(queryTimestamp), "Created at or before; ISO-8601 with offset."),
}

/** The query of `GET /v2/agents/{agent_id}/executions`. */
export const AgentCallsQuery = Schema.Struct({
  ...callFilters,
  ...includeTranscript,
  ...pageQuery,
  ...organizationQuery,
})

/** The query of `GET /v2/calls`, all but the common parameters chosen by us. */
export const CallsQuery = Schema.Struct({
  status: chosen(callFilters.status),
  direction: chosen(callFilters.direction),
  from_date: chosen(callFilters.from_date),
  to_date: chosen(callFilters.to_date),
  include_transcript: chosen(includeTranscript.include_transcript),
  agent_id: chosen(Schema.optionalKey(queryText), "Only those of this agent."),
  batch_id: chosen(Schema.optionalKey(queryText), "Only those of this batch."),
  campaign_id: chosen(Schema.optionalKey(queryText), "Only those of this campaign."),
  contact_id: chosen(Schema.optionalKey(queryText), "Only those on this contact."),
  parent_execution_id: chosen(Schema.optionalKey(queryText), "Only retries and follow-ups of this call."),
  to_number: chosen(Schema.optionalKey(queryText), "Only those to this number; E.164."),
  from_number: chosen(Schema.optionalKey(queryText), "Only those from this number; E.164."),
  ...pageQuery,
  ...organizationQuery,
})

/** The query of `GET /v2/batches/{batch_id}/executions`, all but the common parameters chosen by us. */
export const BatchCallsQuery = Schema.Struct({
  status: chosen(callFilters.status),
  direction: chosen(callFilters.direction),
  from_date: chosen(callFilters.from_date),
  to_date: chosen(callFilters.to_date),
  include_transcript: chosen(includeTranscript.include_transcript),
  agent_id: chosen(Schema.optionalKey(queryText), "Only those of this agent."),
  campaign_id: chosen(Schema.optionalKey(queryText), "Only those of this campaign."),
  contact_id: chosen(Schema.optionalKey(queryText), "Only those on this contact."),
  parent_execution_id: chosen(Schema.optionalKey(queryText), "Only retries and follow-ups of this call."),
  to_number: chosen(Schema.optionalKey(queryText), "Only those to this number; E.164."),
  from_number: chosen(Schema.optionalKey(queryText), "Only those from this number; E.164."),
  ...pageQuery,
  ...organizationQuery,
})

/** The query of `GET /v2/calls/{execution_id}`. */
export const CallQuery = Schema.Struct({ ...includeTranscript, ...organizationQuery })

/** The query of `GET /v2/calls/{execution_id}/recording`. */
export const RecordingQuery = Schema.Struct({
  redirect: described(
    Schema.optionalKey(queryFlag),
    "Answers 302 to the stored audio instead of describing it; default false.",
  ),
  ...organizationQuery,
})

/** A page of calls. */
export const CallPage = pageOf(Call).annotate({ identifier: "CallPage" })

const organizationOnly = Schema.Struct(organizationQuery)
const callPath = { execution_id: Schema.String }

/** Placing, reading and stopping calls (specification, "Calls"). */
export const CallsGroup = HttpApiGroup.make("calls").add(
  HttpApiEndpoint.post("place", "/calls", {
    query: organizationOnly,
    payload: DialRequest,
    success: [
      DialedCall.pipe(HttpApiSchema.status(201)),
      ScheduledCall.pipe(HttpApiSchema.status(202)),
      UnconfirmedCall.pipe(HttpApiSchema.status(202)),
    ],
    error: [InsufficientCredits, Conflict, PayloadTooLarge],
  })
    .annotate(RateLimitBucket, "calls.create")
    .annotate(RequiredScope, "calls:write")
    .annotate(AcceptsIdempotencyKey, true)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Place a call",
        description:
          "Dials now, or books the call when `scheduled_at` is given or the agent's calling window is closed. A dial waits up to 5 seconds for a line.",
      }),
    ),
  HttpApiEndpoint.get("list", "/calls", { query: CallsQuery, success: CallPage })
    .annotate(RateLimitBucket, "executions.list")
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(
      OpenApi.annotations({
        summary: "List calls",
        description: "Newest first; scheduled calls are listed from the moment they are scheduled.",
      }),
    ),
  HttpApiEndpoint.get("get", "/calls/:execution_id", { params: callPath, query: CallQuery, success: Call })
    .annotate(RateLimitBucket, "executions.list")
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Read a call",
        description:
          "Answers in every phase. The `execution_id` of the body is canonical and may differ from the requested id where the call's record was folded into a surviving one.",
      }),
    ),
  HttpApiEndpoint.get("transcript", "/calls/:execution_id/transcript", {
    params: callPath,
    query: organizationOnly,
    success: CallTranscript,
  })
    .annotate(RateLimitBucket, "executions.list")
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Read a call's transcript",
        description: "Arrays of turns and plain strings are normalised into one shape.",
      }),
    ),
  HttpApiEndpoint.post("stop", "/calls/:execution_id/stop", {
    params: callPath,
    query: organizationOnly,
    payload: StopRequest,
    success: [CanceledCall, StoppedCall.pipe(HttpApiSchema.status(202))],
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RateLimitBucket, "calls.create")
    .annotate(RequiredScope, "calls:write")
    .annotate(OptionalBody, true)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Stop a call",
        description: "Cancels a call that was not dialled yet (200) or hangs a live one up (202).",
      }),
    ),
  HttpApiEndpoint.get("recording", "/calls/:execution_id/recording", {
    params: callPath,
    query: RecordingQuery,
    success: [Recording, HttpApiSchema.Empty(302).annotate({ description: "The stored audio is at `Location`." })],
  })
    .annotate(RateLimitBucket, "executions.list")
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Locate a call's recording",
        description: "Audio bytes are never proxied.",
      }),
    ),
  HttpApiEndpoint.get("timing", "/calls/:execution_id/timing", {
    params: callPath,
    query: organizationOnly,
    success: CallTiming,
  })
    .annotate(RateLimitBucket, "executions.list")
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Read a call's timing",
        description: "How long each turn took to be heard, thought and spoken.",
      }),
    ),
)
