/**
 * What Twilio's published OpenAPI document (`twilio_api_v2010.json`, as `@twilio/cli-core` 9.0.0 brings it) says of
 * calls and recordings, told again as data. `Document.test.ts` holds these tables against the document wherever there is a copy of it.
 * What the document says in prose alone, such as the words that a text may be, is a `rule`.
 */

/** How the document types a parameter. A prefix of two capitals is a SID that begins with it. */
export type Shape =
  | "text"
  | "uri"
  | "endpoint"
  | "twiml"
  | "http-method"
  | "integer"
  | "boolean"
  | "texts"
  | "AP"
  | "BY"
  | { readonly oneOf: ReadonlyArray<string> }

/** What the prose of the document, or a page, holds a value to. */
export type Rule =
  | { readonly words: ReadonlyArray<string> }
  | { readonly from: number; readonly to: number }
  | { readonly url: true }
  | { readonly longest: number }
  | { readonly digits: true }

export interface Parameter {
  readonly shape: Shape
  readonly required?: true
  readonly rule?: Rule
  /** The error that Twilio's dictionary has for a wrong value; 20001 where no page names one. */
  readonly code?: number
}

export interface ParameterTable {
  readonly [name: string]: Parameter
}

/** The statuses that the resource can have; `initiated` is a word of callbacks alone. */
export const callStatuses = [
  "queued",
  "ringing",
  "in-progress",
  "completed",
  "busy",
  "failed",
  "no-answer",
  "canceled",
] as const

export type CallStatus = (typeof callStatuses)[number]

/** The statuses of calls that are over. */
export type FinalStatus = Exclude<CallStatus, "queued" | "ringing" | "in-progress">

const updateStatuses = ["canceled", "completed"] as const

export const progressEvents = ["initiated", "ringing", "answered", "completed"] as const

export type ProgressEvent = (typeof progressEvents)[number]

export const recordingEvents = ["in-progress", "completed", "absent"] as const

const url = { shape: "uri", rule: { url: true } } as const
/** https://www.twilio.com/docs/api/errors/21205 (Url), /21609 (StatusCallback), /21209 (Method), /21208 (Timeout), /21206 (SendDigits). */
const instructions = { ...url, code: 21205 } as const
const statusCallback = { ...url, code: 21609 } as const
const method = { shape: "http-method", code: 21209 } as const
/** The document names no most: "Constraints depend on account and configuration." */
const positive = { from: 1, to: Number.MAX_SAFE_INTEGER } as const
/** Characters that `Twiml` may have, from the document. */
const longestTwiml = 4_000

export const createParameters = {
  To: { shape: "endpoint", required: true, code: 21211 },
  From: { shape: "endpoint", required: true, code: 21212 },
  Method: method,
  FallbackUrl: instructions,
  FallbackMethod: method,
  StatusCallback: statusCallback,
  // Wrong words are taken, and then no callback comes: https://www.twilio.com/docs/api/errors/21626.
  StatusCallbackEvent: { shape: "texts" },
  StatusCallbackMethod: method,
  SendDigits: { shape: "text", rule: { digits: true }, code: 21206 },
  Timeout: { shape: "integer", rule: { from: 1, to: 600 }, code: 21208 },
  Record: { shape: "boolean" },
  RecordingChannels: { shape: "text", rule: { words: ["mono", "dual"] } },
  RecordingStatusCallback: { shape: "text", rule: { url: true }, code: 21609 },
  RecordingStatusCallbackMethod: method,
  SipAuthUsername: { shape: "text" },
  SipAuthPassword: { shape: "text" },
  MachineDetection: { shape: "text", rule: { words: ["Enable", "DetectMessageEnd"] } },
  MachineDetectionTimeout: { shape: "integer", rule: positive },
  RecordingStatusCallbackEvent: { shape: "texts" },
  Trim: { shape: "text", rule: { words: ["trim-silence", "do-not-trim"] } },
  CallerId: { shape: "text" },
  MachineDetectionSpeechThreshold: { shape: "integer", rule: { from: 1_000, to: 6_000 } },
  MachineDetectionSpeechEndThreshold: { shape: "integer", rule: { from: 500, to: 5_000 } },
  MachineDetectionSilenceTimeout: { shape: "integer", rule: { from: 2_000, to: 10_000 } },
  AsyncAmd: { shape: "text", rule: { words: ["true", "false"] } },
  AsyncAmdStatusCallback: { ...url, code: 21609 },
  AsyncAmdStatusCallbackMethod: method,
  Byoc: { shape: "BY" },
  CallReason: { shape: "text" },
  CallToken: { shape: "text" },
  RecordingTrack: { shape: "text", rule: { words: ["inbound", "outbound", "both"] } },
  TimeLimit: { shape: "integer", rule: positive },
  ClientNotificationUrl: url,
  Passports: { shape: "text" },
  RecordingConfigurationId: { shape: "text" },
  Url: instructions,
  Twiml: { shape: "twiml", rule: { longest: longestTwiml } },
  ApplicationSid: { shape: "AP", code: 21218 },
} as const satisfies ParameterTable

export const updateParameters = {
  Url: instructions,
  Method: method,
  Status: { shape: { oneOf: updateStatuses } },
  FallbackUrl: instructions,
  FallbackMethod: method,
  StatusCallback: statusCallback,
  StatusCallbackMethod: method,
  Twiml: { shape: "twiml", rule: { longest: longestTwiml } },
  TimeLimit: { shape: "integer", rule: positive },
} as const satisfies ParameterTable

const paging = ["PageSize", "Page", "PageToken"] as const

/** What a list may be asked by. `<` and `>` are part of the name. */
export const callFilters = [
  "To",
  "From",
  "ParentCallSid",
  "Status",
  "StartTime",
  "StartTime<",
  "StartTime>",
  "EndTime",
  "EndTime<",
  "EndTime>",
  ...paging,
] as const

export const callRecordingFilters = ["DateCreated", "DateCreated<", "DateCreated>", ...paging] as const

export const recordingFilters = [...callRecordingFilters, "CallSid", "ConferenceSid", "IncludeSoftDeleted"] as const

export const pageSizes = { standard: 50, most: 1_000 } as const

/** A property of an answer. `any` is what the document gives no type. */
export interface Field {
  readonly type: "string" | "integer" | "number" | "object" | "any"
  readonly nullable?: boolean
  readonly sid?: string
  readonly oneOf?: ReadonlyArray<string>
  readonly format?: "date-time-rfc-2822" | "currency" | "uri" | "uri-map"
}

export interface FieldTable {
  readonly [name: string]: Field
}

const text = { type: "string", nullable: true } as const
const time = { ...text, format: "date-time-rfc-2822" } as const
const sid = (prefix: string): Field => ({ ...text, sid: prefix })

export const callFields: FieldTable = {
  sid: sid("CA"),
  date_created: time,
  date_updated: time,
  parent_call_sid: sid("CA"),
  account_sid: sid("AC"),
  to: text,
  to_formatted: text,
  from: text,
  from_formatted: text,
  phone_number_sid: sid("PN"),
  status: { type: "string", oneOf: callStatuses },
  start_time: time,
  end_time: time,
  duration: text,
  price: text,
  price_unit: { ...text, format: "currency" },
  direction: text,
  answered_by: text,
  api_version: text,
  forwarded_from: text,
  group_sid: sid("GP"),
  caller_name: text,
  queue_time: text,
  trunk_sid: sid("TK"),
  uri: text,
  subresource_uris: { type: "object", nullable: true, format: "uri-map" },
}

const recordingStatuses = ["in-progress", "paused", "stopped", "processing", "completed", "absent"] as const

const recordingSources = [
  "DialVerb",
  "Conference",
  "OutboundAPI",
  "Trunking",
  "RecordVerb",
  "StartCallRecordingAPI",
  "StartConferenceRecordingAPI",
] as const

const anyRecordingFields: FieldTable = {
  account_sid: sid("AC"),
  api_version: text,
  call_sid: sid("CA"),
  conference_sid: sid("CF"),
  date_created: time,
  date_updated: time,
  start_time: time,
  duration: text,
  sid: sid("RE"),
  uri: text,
  encryption_details: { type: "any", nullable: true },
  source: { type: "string", oneOf: recordingSources },
  error_code: { type: "integer", nullable: true },
}

/** A recording as the call lists it. Its price is a number; that of the account's list is a text. */
export const callRecordingFields: FieldTable = {
  ...anyRecordingFields,
  price: { type: "number", nullable: true },
  price_unit: { ...text, format: "currency" },
  status: { type: "string", oneOf: recordingStatuses },
  channels: { type: "integer" },
  track: text,
}

/** A recording as the account lists it. */
export const recordingFields: FieldTable = {
  ...anyRecordingFields,
  price: text,
  price_unit: text,
  status: { type: "string", oneOf: [...recordingStatuses, "deleted"] },
  channels: { type: "integer", nullable: true },
  subresource_uris: { type: "object", nullable: true, format: "uri-map" },
  media_url: { ...text, format: "uri" },
}

/** A page of a list, besides what it lists. */
export const pageFields: FieldTable = {
  end: { type: "integer" },
  first_page_uri: { type: "string", format: "uri" },
  next_page_uri: { type: "string", format: "uri", nullable: true },
  page: { type: "integer" },
  page_size: { type: "integer" },
  previous_page_uri: { type: "string", format: "uri", nullable: true },
  start: { type: "integer" },
  uri: { type: "string", format: "uri" },
}

/** The document spells out errors at one operation only (an update of a recording); all are of this form. */
export const errorFields: FieldTable = {
  code: { type: "integer" },
  message: { type: "string" },
  more_info: { type: "string" },
  status: { type: "integer" },
}
