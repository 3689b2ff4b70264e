import { type CallRecord, type RecordingRecord, secondsOf, sipCodes } from "./CallRecord.ts"
import type { FinalStatus, ProgressEvent } from "./Contract.ts"
import { minutesOf } from "./Fate.ts"

export type Pairs = Array<readonly [name: string, value: string]>

/** RFC 2822, as Twilio writes it: `Wed, 08 Oct 2025 13:54:12 +0000`. */
export const rfc2822 = (at: number): string => new Date(at).toUTCString().replace("GMT", "+0000")

export const apiVersion = "2010-04-01"

const countryOf = (endpoint: string): string => (endpoint.startsWith("+1") ? "US" : "")

/** Where a number lies. Twilio sends it empty where it does not know: https://www.twilio.com/docs/voice/twiml#request-parameters. */
const places = (who: string, endpoint: string): Pairs => [
  [`${who}City`, ""],
  [`${who}State`, ""],
  [`${who}Zip`, ""],
  [`${who}Country`, countryOf(endpoint)],
]

/** What all requests of voice carry: https://www.twilio.com/docs/voice/twiml#request-parameters. `CallStatus` is the caller's to say. */
export const voiceParameters = (accountSid: string, call: CallRecord, callStatus: string): Pairs => [
  ["AccountSid", accountSid],
  ["ApiVersion", apiVersion],
  ["CallSid", call.sid],
  ["CallStatus", callStatus],
  ["Direction", "outbound-api"],
  ["From", call.from],
  ["To", call.to],
  ["Caller", call.from],
  ["Called", call.to],
  ...places("From", call.from),
  ...places("Caller", call.from),
  ...places("To", call.to),
  ...places("Called", call.to),
  ...(call.answeredBy === null ? [] : [["AnsweredBy", call.answeredBy] as const]),
]

/** The words of callbacks for an event: `initiated` is theirs alone, and an answer is `in-progress`. */
const statusAt = (event: ProgressEvent, call: CallRecord): string => {
  switch (event) {
    case "initiated":
    case "ringing":
      return event
    case "answered":
      return "in-progress"
    case "completed":
      return call.status
  }
}

/** What a status callback carries at the end: `CallDuration` in seconds, `Duration` in minutes as billed, and the recording's address. */
const endParameters = (call: CallRecord, status: FinalStatus, now: number, recordingUrl: string | null): Pairs => {
  const seconds = secondsOf(call, now)
  const recorded: Pairs =
    call.recording === null || recordingUrl === null
      ? []
      : [
          ["RecordingUrl", recordingUrl],
          ["RecordingSid", call.recording.sid],
          ["RecordingDuration", String(seconds)],
        ]
  return [
    ["CallDuration", String(seconds)],
    ["Duration", String(minutesOf(seconds))],
    ["SipResponseCode", sipCodes[status]],
    ...recorded,
  ]
}

/**
 * A status callback: https://www.twilio.com/docs/voice/api/call-resource#statuscallback. `SequenceNumber` counts the call's events from 0, those
 * that nobody asked for too (published callbacks of calls that did not ask for `initiated` end with 3).
 */
export const statusParameters = (
  accountSid: string,
  call: CallRecord,
  event: ProgressEvent,
  number: number,
  now: number,
  recordingUrl: string | null,
): Pairs => [
  ...voiceParameters(accountSid, call, statusAt(event, call)),
  ["Timestamp", rfc2822(now)],
  ["CallbackSource", "call-progress-events"],
  ["SequenceNumber", String(number)],
  ...(call.status === "queued" || call.status === "ringing" || call.status === "in-progress"
    ? []
    : endParameters(call, call.status, now, recordingUrl)),
]

/** https://www.twilio.com/docs/voice/answering-machine-detection#asyncamdstatuscallback. The duration is in milliseconds. */
export const detectionParameters = (accountSid: string, call: CallRecord): Pairs => [
  ["AccountSid", accountSid],
  ["CallSid", call.sid],
  ["AnsweredBy", call.answeredBy ?? "unknown"],
  ["MachineDetectionDuration", String(call.detectionMs ?? 0)],
]

/** https://www.twilio.com/docs/voice/api/recording#recordingstatuscallback */
export const recordingParameters = (accountSid: string, recording: RecordingRecord, url: string): Pairs => [
  ["AccountSid", accountSid],
  ["CallSid", recording.call_sid],
  ["RecordingSid", recording.sid],
  ["RecordingUrl", url],
  ["RecordingStatus", recording.status],
  ...(recording.duration === null ? [] : [["RecordingDuration", String(recording.duration)] as const]),
  ["RecordingChannels", String(recording.channels)],
  ["RecordingStartTime", rfc2822(recording.startedAt)],
  ["RecordingSource", "OutboundAPI"],
  ["RecordingTrack", recording.track],
  ...(recording.errorCode === null ? [] : [["ErrorCode", String(recording.errorCode)] as const]),
]
