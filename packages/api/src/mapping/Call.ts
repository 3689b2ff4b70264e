import type { Call as DomainCall, PlaceReply, StopReply } from "@carillon/core"
import { type CallCost as DomainCost, type CallMedia, isTerminal, Timestamp } from "@carillon/core/domain"
import type {
  Call,
  CallCost,
  CallTurn,
  CanceledCall,
  DialedCall,
  Recording,
  ScheduledCall,
  StoppedCall,
  UnconfirmedCall,
} from "../Calls.ts"
import { optionalUtc } from "./Time.ts"

const nothingSpent = (currency: string): DomainCost => ({
  total: 0,
  currency,
  breakdown: { llm: 0, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 },
})

const wireCost = ({ total, currency, breakdown }: DomainCost): CallCost => ({
  total,
  currency,
  breakdown: {
    llm: breakdown.llm,
    network: breakdown.network,
    platform: breakdown.platform,
    synthesizer: breakdown.synthesizer,
    telephony: breakdown.telephony,
    transcriber: breakdown.transcriber,
  },
})

const wireTranscript = (transcript: CallMedia["transcript"]): ReadonlyArray<CallTurn> | string =>
  typeof transcript === "string" ? transcript : (transcript ?? []).map(({ role, content }) => ({ role, content }))

const wireCall = (call: DomainCall, currency: string): Call => ({
  execution_id: call.execution_id,
  status: call.status,
  is_terminal: isTerminal(call.status),
  direction: call.direction,
  agent_id: call.agent_id,
  batch_id: call.batch_id,
  campaign_id: call.campaign_id,
  contact_id: call.contact_id,
  parent_execution_id: call.parent_execution_id,
  retry_count: call.retry_count,
  to_number: call.to_number,
  from_number: call.from_number,
  provider: "custom",
  duration_seconds: call.duration_seconds,
  answered_by_voicemail: call.answered_by_voicemail,
  hangup_by: call.hangup_by,
  hangup_reason: call.hangup_reason,
  recording_url: call.recording_url,
  cost: wireCost(call.cost ?? nothingSpent(currency)),
  summary: call.summary,
  sentiment: call.sentiment,
  extracted_data: call.extracted_data,
  custom_analytics: call.custom_analytics,
  variables: call.variables,
  scheduled_at: optionalUtc(call.scheduled_at),
  created_at: Timestamp.formatUtc(call.created_at),
  updated_at: Timestamp.formatUtc(call.updated_at),
  completed_at: optionalUtc(call.completed_at),
})

/**
 * A call as it is answered, in the organization's currency where it has cost nothing yet. With `media` the transcript comes along; null media means that nothing
 * was said.
 */
export const toWireCall = (call: DomainCall, currency: string, media?: Pick<CallMedia, "transcript"> | null): Call => {
  const wire = wireCall(call, currency)
  if (call.error === null && media === undefined) return wire
  return {
    ...wire,
    ...(call.error === null ? {} : { error: { message: call.error } }),
    ...(media === undefined ? {} : { transcript: wireTranscript(media?.transcript ?? null) }),
  }
}

/** The answer to a placed call: 201 when it was dialled, 202 when it rings later or the carrier's word is missing. */
export type PlacedAnswer =
  | { readonly status: 201; readonly body: DialedCall }
  | { readonly status: 202; readonly body: ScheduledCall | UnconfirmedCall }

/** The answer to a placed call. Its `status` speaks of the moment of acceptance, whatever the carrier has reported since. */
export const toWirePlaced = ({ _tag, call }: PlaceReply): PlacedAnswer => {
  const placed = {
    execution_id: call.execution_id,
    call_sid: call.call_sid,
    agent_id: call.agent_id,
    to_number: call.to_number,
    from_number: call.from_number,
    created_at: Timestamp.formatUtc(call.created_at),
  }
  switch (_tag) {
    case "Queued":
      return { status: 201, body: { ...placed, status: "queued" } }
    case "Unconfirmed":
      return { status: 202, body: { ...placed, status: "queued", dispatch: "pending_confirmation" } }
    case "Scheduled":
      return {
        status: 202,
        body: {
          ...placed,
          status: "scheduled",
          scheduled_at: Timestamp.formatUtc(call.scheduled_at ?? call.created_at),
          deferred_by_calling_guard: call.deferred_by_calling_guard,
        },
      }
  }
}

/** The answer to a stop: 200 when the call was cancelled before it was dialled, 202 when it is being hung up. */
export type StoppedAnswer =
  | { readonly status: 200; readonly body: CanceledCall }
  | { readonly status: 202; readonly body: StoppedCall }

/** The answer to a stop. */
export const toWireStopped = (reply: StopReply): StoppedAnswer =>
  reply._tag === "Canceled"
    ? {
        status: 200,
        body: {
          execution_id: reply.call.execution_id,
          status: "canceled",
          canceled_before_dial: true,
          scheduled_at: optionalUtc(reply.scheduled_at),
        },
      }
    : {
        status: 202,
        body: {
          execution_id: reply.call.execution_id,
          status: "stopped",
          requested_at: Timestamp.formatUtc(reply.requested_at),
          reason: reply.reason,
        },
      }

/** Where a call's stored audio is; null when it produced none. */
export const toWireRecording = (call: DomainCall): Recording | null =>
  call.recording_url === null
    ? null
    : {
        execution_id: call.execution_id,
        recording_url: call.recording_url,
        content_type: "audio/wav",
        expires_at: null,
      }
