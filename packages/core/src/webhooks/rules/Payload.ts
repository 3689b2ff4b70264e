import type { Call, CallMedia } from "../../calls/rules/Call.ts"
import { callFacts, type Correction } from "../../calls/rules/CallFacts.ts"
import { isTerminal } from "../../calls/rules/CallStatus.ts"
import { hadConversation, missingFields } from "../../calls/rules/Processing.ts"
import { transcriptStatus, transcriptTurns } from "../../calls/rules/Transcript.ts"
import { offsetAt } from "../../dispatch/rules/ZoneOffsets.ts"
import type { Json } from "../../Json.ts"
import { formatUtc, formatWithOffset } from "../../time/Timestamp.ts"
import type { EventType } from "./EventType.ts"

/** The version of the payload. */
const payloadVersion = "1"

/** What a payload says that is not on the call itself. */
export interface PayloadContext {
  /** The zone of the call's campaign; null without one. */
  readonly timezone: string | null
  /** The organization's currency, for a call that cost nothing yet. */
  readonly currency: string
  readonly media: CallMedia | null
  /** Every attempt on the contact, oldest first, this one included. */
  readonly attempts: ReadonlyArray<Call>
}

/** The event that a payload is of. */
export interface PayloadEvent {
  readonly event_id: string
  readonly event_type: EventType
  readonly at: number
  readonly correction: Correction | null
}

const utc = (ms: number | null): string | null => (ms === null ? null : formatUtc(ms))

const callingSource = (call: Call): "api" | "campaign" | "retry" | "follow-up" | null => {
  if (call.direction === "inbound") return null
  if (call.is_follow_up) return "follow-up"
  if (call.parent_execution_id !== null) return "retry"
  return call.campaign_id === null && call.batch_id === null ? "api" : "campaign"
}

/** When the call was placed, as the clocks of its campaign show it; null while it waits for its time. */
const calledOn = (call: Call, timezone: string | null): string | null => {
  if (call.status === "scheduled" || call.status === "rescheduled") return null
  const at = call.scheduled_at ?? call.created_at
  return timezone === null ? formatUtc(at) : formatWithOffset(at, offsetAt(timezone, at))
}

/** Seconds from the end of the caller's words to the agent's first sound, over all turns that were wholly measured. */
const overallLatency = (media: CallMedia | null): number | null => {
  let sum = 0
  let measured = 0
  for (const { final_transcript_ms, first_audio_ms, first_token_ms } of media?.turns ?? []) {
    if (final_transcript_ms === null || first_token_ms === null || first_audio_ms === null) continue
    sum += final_transcript_ms + first_token_ms + first_audio_ms
    measured += 1
  }
  return measured === 0 ? null : Math.round(sum / measured) / 1000
}

const firstUtterance = (media: CallMedia | null): number | null => {
  const ms = media?.setup?.time_to_first_audio_ms ?? null
  return ms === null ? null : ms / 1000
}

const platformStatus = (call: Call): "completed" | "partial" | "pending" | "unavailable" => {
  if (call.processing.analysed_at !== null) {
    return call.summary !== null && call.sentiment !== null ? "completed" : "partial"
  }
  return isTerminal(call.status) && !hadConversation(call) ? "unavailable" : "pending"
}

/** Names of the analysis configuration that got no answer. */
const isAnswered = (call: Call): boolean =>
  call.extracted_data !== null &&
  (call.custom_analytics ?? []).every((entry) => {
    const name = typeof entry === "object" && entry !== null && "name" in entry ? entry["name"] : null
    return typeof name !== "string" || call.extracted_data?.[name] !== undefined
  })

const clientStatus = (call: Call): "completed" | "partial" | "pending" | "not_configured" => {
  if (call.custom_analytics === null) return "not_configured"
  if (isAnswered(call)) return "completed"
  const over = call.processing.analysed_at !== null || (isTerminal(call.status) && !hadConversation(call))
  return over ? "partial" : "pending"
}

const attemptOf = (call: Call) => ({
  execution_id: call.execution_id,
  status: call.status,
  retry_count: call.retry_count,
  created_at: formatUtc(call.created_at),
  completed_at: utc(call.completed_at),
})

/**
 * Makes the payload of an event of a call as it is in the commit that raises it (specification, "Payload"; decisions.md, "Webhooks"): the
 * one envelope, null for what is not known.
 */
export const payloadOf = (event: PayloadEvent, call: Call, context: PayloadContext) => {
  const { attempts, media } = context
  const turns = media === null ? [] : transcriptTurns(media.transcript)
  const spoken = media !== null
  const missing = isTerminal(call.status) ? missingFields(call) : null
  return {
    event_type: event.event_type,
    event_id: event.event_id,
    version: payloadVersion,
    timestamp: formatUtc(event.at),
    call_id: call.execution_id,
    call_sid: call.call_sid,
    agent_id: call.agent_id,
    agent_name: call.agent_name,
    organization_id: call.organization_id,
    workspace_id: call.organization_id,
    status: call.status,
    sub_status: callFacts.sub_status(call),
    call_type: call.direction,
    calling_source: callingSource(call),
    custom_args_values: call.variables,
    to_number: call.to_number,
    from_number: call.from_number,
    bulk_list_id: call.batch_id,
    called_on: calledOn(call, context.timezone),
    created_at: formatUtc(call.created_at),
    call_cost: callFacts.call_cost(call),
    call_cost_currency: call.cost?.currency ?? context.currency,
    cost_breakdown: callFacts.cost_breakdown(call),
    call_duration: callFacts.call_duration(call),
    agent_message_count: spoken ? turns.filter(({ role }) => role === "agent").length : null,
    user_message_count: spoken ? turns.filter(({ role }) => role === "user").length : null,
    overall_latency_seconds: overallLatency(media),
    first_utterance_seconds: firstUtterance(media),
    transcript: spoken ? turns.map(({ role, content }) => ({ role, content })) : null,
    transcript_status: transcriptStatus(turns, media),
    recording_url: callFacts.recording_url(call),
    recording_duration: callFacts.recording_duration(call),
    retry_count: call.retry_count,
    attempts: attempts.map(attemptOf),
    parent_call_id: call.parent_execution_id,
    retry_chain: attempts.map(({ execution_id }) => execution_id),
    platform_analysis: callFacts.platform_analysis(call),
    platform_analysis_status: platformStatus(call),
    client_analysis: callFacts.client_analysis(call),
    client_analysis_status: clientStatus(call),
    tool_call_logs: spoken ? turns.filter(({ role }) => role === "tool").map(({ content }) => ({ content })) : null,
    answered_by_voice_mail: callFacts.answered_by_voice_mail(call),
    hangup_by: callFacts.hangup_by(call),
    ab_version_id: call.ab_version_id,
    ab_is_variant: call.ab_is_variant,
    processing_incomplete: missing === null ? null : missing.length > 0,
    missing_fields: missing,
    ...(event.correction === null ? {} : { correction: event.correction }),
  } satisfies { readonly [field: string]: Json }
}
