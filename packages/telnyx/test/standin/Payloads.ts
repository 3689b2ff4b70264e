import { type CallEvent, type CallRecord, type End, type RecordingRecord, secondsOf } from "./CallRecord.ts"
import { ratePerMinute, type Verdict } from "./Fate.ts"

const iso = (at: number): string => new Date(at).toISOString()

/** What the payload of each event of a call has (`webhooks.d.ts` of the package `telnyx`). */
const idsOf = (call: CallRecord) => ({
  call_control_id: call.call_control_id,
  call_leg_id: call.call_leg_id,
  call_session_id: call.call_session_id,
  connection_id: call.connection_id,
  client_state: call.clientState,
})

const endsOf = (call: CallRecord) => ({ from: call.from, to: call.to })

/** https://developers.telnyx.com/docs/voice/programmable-voice/receiving-webhooks: `state` is `bridging` for what was dialled. */
export const initiated = (call: CallRecord) => ({
  ...idsOf(call),
  ...endsOf(call),
  direction: "outgoing",
  state: "bridging",
  start_time: iso(call.createdAt),
})

export const answered = (call: CallRecord) => ({
  ...idsOf(call),
  ...endsOf(call),
  start_time: iso(call.createdAt),
  state: "answered",
})

export const hangup = (call: CallRecord, end: End) => ({
  ...idsOf(call),
  ...endsOf(call),
  start_time: iso(call.createdAt),
  state: "hangup",
  hangup_cause: end.cause,
  hangup_source: end.source,
  sip_hangup_cause: end.sip,
  call_quality_stats: null,
})

export const machine = (call: CallRecord, result: string) => ({ ...idsOf(call), ...endsOf(call), result })

export const streaming = (call: CallRecord) => ({ ...idsOf(call), stream_url: call.streamUrl })

export const speaking = (call: CallRecord) => idsOf(call)

export const spoken = (call: CallRecord) => ({
  ...idsOf(call),
  status: call.endedAt === null ? "completed" : "call_hangup",
})

/** https://apispec.telnyx.com/call-cost-received-event-7389933d0 */
export const costReceived = (call: CallRecord, cost: number) => {
  const seconds = secondsOf(call, call.endedAt ?? call.createdAt)
  return {
    ...idsOf(call),
    billed_duration_secs: seconds,
    cost_parts: [
      { billed_duration_secs: seconds, call_part: "call-control", cost, currency: "USD", rate: ratePerMinute },
    ],
    status: "valid",
    total_cost: cost,
  }
}

/** The payload has no `call_control_id`: the leg and the state say which call it is. */
export const recordingSaved = ({ call, channels, endedAt, format, startedAt }: RecordingRecord, url: string) => ({
  call_leg_id: call.call_leg_id,
  call_session_id: call.call_session_id,
  connection_id: call.connection_id,
  client_state: call.clientState,
  channels,
  recording_started_at: iso(startedAt),
  recording_ended_at: iso(endedAt ?? startedAt),
  recording_urls: { [format]: url },
  public_recording_urls: {},
})

/** `data` of a dial's answer. A leg that was only just asked for is never alive: "dialing is asynchronous". */
export const dialled = (call: CallRecord) => ({
  call_control_id: call.call_control_id,
  call_leg_id: call.call_leg_id,
  call_session_id: call.call_session_id,
  is_alive: false,
  record_type: "call",
  ...(call.clientState === null ? {} : { client_state: call.clientState }),
})

/** `data` of `GET /v2/calls/{call_control_id}`. */
export const status = (call: CallRecord, now: number) => ({
  ...dialled(call),
  is_alive: call.endedAt === null,
  call_duration: secondsOf(call, now),
  start_time: iso(call.createdAt),
  ...(call.endedAt === null ? {} : { end_time: iso(call.endedAt) }),
})

/** One of `GET /v2/connections/{connection_id}/active_calls`. */
export const activeCall = (call: CallRecord, now: number) => ({
  call_control_id: call.call_control_id,
  call_duration: secondsOf(call, now),
  call_leg_id: call.call_leg_id,
  call_session_id: call.call_session_id,
  client_state: call.clientState ?? "",
  record_type: "call",
})

/** One of `GET /v2/call_events` (schema `CallEvent`). "Raw event" is all that is said of `metadata`. */
export const callEvent = (call: CallRecord, { at, name, payload }: CallEvent) => ({
  record_type: "call_event",
  call_leg_id: call.call_leg_id,
  call_session_id: call.call_session_id,
  event_timestamp: iso(at),
  metadata: { event_type: name, occurred_at: iso(at), payload },
  name,
  type: "webhook",
})

/** One of `GET /v2/recordings`. */
export const recordingResource = (recording: RecordingRecord, url: string) => {
  const { call, channels, endedAt, format, id, initiatedBy, startedAt } = recording
  return {
    id,
    call_control_id: call.call_control_id,
    call_leg_id: call.call_leg_id,
    call_session_id: call.call_session_id,
    channels,
    connection_id: call.connection_id,
    created_at: iso(recording.savedAt ?? startedAt),
    download_urls: { [format]: url },
    duration_millis: (endedAt ?? startedAt) - startedAt,
    from: call.from,
    initiated_by: initiatedBy,
    record_type: "recording",
    recording_ended_at: iso(endedAt ?? startedAt),
    recording_started_at: iso(startedAt),
    source: "call",
    status: "completed",
    to: call.to,
    updated_at: iso(recording.savedAt ?? startedAt),
  }
}

const premiumWords: Readonly<Record<Verdict, string>> = {
  human: "human_residence",
  machine: "machine",
  not_sure: "not_sure",
  fax: "fax_detected",
  silence: "silence",
}

/** What a detection says: a kind of its own, and what the standard kinds cannot tell is `not_sure` there. */
export const verdictOf = (isPremium: boolean, verdict: Verdict): string => {
  if (isPremium) return premiumWords[verdict]
  return verdict === "human" || verdict === "machine" ? verdict : "not_sure"
}
