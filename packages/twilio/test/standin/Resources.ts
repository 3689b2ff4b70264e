import { type CallRecord, isOver, type RecordingRecord, secondsOf } from "./CallRecord.ts"
import { apiVersion, rfc2822 } from "./Notices.ts"

/** The account, as its resources name it. */
export interface Account {
  readonly sid: string
  /** Where its media is had. */
  readonly url: string
}

const timeOrNull = (at: number | null): string | null => (at === null ? null : rfc2822(at))

export const accountPath = (accountSid: string): string => `/${apiVersion}/Accounts/${accountSid}`

/** `(415) 867-5309` for a North American number, the number itself for others. */
const formatted = (endpoint: string): string => {
  const [, area, exchange, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(endpoint) ?? []
  return area === undefined ? endpoint : `(${area}) ${exchange}-${line}`
}

const subresources = [
  "events",
  "notifications",
  "payments",
  "recordings",
  "siprec",
  "streams",
  "transcriptions",
  "user_defined_message_subscriptions",
  "user_defined_messages",
] as const

const capitalized = (name: string): string =>
  name
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

/** A cost is negative, with five digits. */
const priceText = (price: number | null): string | null => (price === null ? null : (-price).toFixed(5))

/**
 * A call. The document: `start_time` is empty until it is dialled, `end_time` is empty if it did not complete successfully, `duration` is empty
 * for busy, failed, unanswered and ongoing calls, `price` comes some time after the end.
 */
export const callResource = (account: Account, call: CallRecord, now: number) => {
  const path = `${accountPath(account.sid)}/Calls/${call.sid}`
  const isDone = call.status === "completed" && isOver(call)
  return {
    sid: call.sid,
    date_created: rfc2822(call.createdAt),
    date_updated: rfc2822(call.updatedAt),
    parent_call_sid: null,
    account_sid: account.sid,
    to: call.to,
    to_formatted: formatted(call.to),
    from: call.from,
    from_formatted: formatted(call.from),
    phone_number_sid: null,
    status: call.status,
    start_time: timeOrNull(call.dialledAt),
    end_time: isDone ? timeOrNull(call.endedAt) : null,
    duration: isDone ? String(secondsOf(call, now)) : null,
    price: priceText(call.price),
    price_unit: "USD",
    direction: "outbound-api",
    answered_by: call.answeredBy,
    api_version: apiVersion,
    forwarded_from: null,
    group_sid: null,
    caller_name: null,
    queue_time: String(Math.max(0, Math.round(call.dueAt - call.createdAt))),
    trunk_sid: null,
    uri: `${path}.json`,
    subresource_uris: Object.fromEntries(subresources.map((name) => [name, `${path}/${capitalized(name)}.json`])),
  }
}

const anyRecording = (account: Account, recording: RecordingRecord) => ({
  account_sid: account.sid,
  api_version: apiVersion,
  call_sid: recording.call_sid,
  conference_sid: null,
  date_created: rfc2822(recording.startedAt),
  date_updated: rfc2822(recording.updatedAt),
  start_time: rfc2822(recording.startedAt),
  duration: recording.duration === null ? null : String(recording.duration),
  sid: recording.sid,
  price_unit: "USD",
  status: recording.status,
  channels: recording.channels,
  source: "OutboundAPI",
  error_code: recording.errorCode,
  encryption_details: null,
  price: null,
})

/** A recording among those of its call. */
export const callRecordingResource = (account: Account, recording: RecordingRecord) => ({
  ...anyRecording(account, recording),
  track: recording.track,
  uri: `${accountPath(account.sid)}/Calls/${recording.call_sid}/Recordings/${recording.sid}.json`,
})

/** A recording among those of the account. */
export const recordingResource = (account: Account, recording: RecordingRecord) => {
  const path = `${accountPath(account.sid)}/Recordings/${recording.sid}`
  return {
    ...anyRecording(account, recording),
    uri: `${path}.json`,
    subresource_uris: {
      add_on_results: `${path}/AddOnResults.json`,
      transcriptions: `${path}/Transcriptions.json`,
    },
    media_url: `${account.url}${path}`,
  }
}
