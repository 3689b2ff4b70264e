/**
 * What Telnyx's document says of the requests that are served here (github.com/team-telnyx/openapi, as the package `telnyx` 7.24.0 of npm,
 * which is generated of it, tells it). `Document.test.ts` compares both.
 */

/** A text, a number, yes or no, some of these, an object, the words that there are, or a state: text in Base64. */
export type Rule = "text" | "number" | "flag" | "list" | "map" | "state" | ReadonlyArray<string | number>

export interface ParameterTable {
  readonly required: ReadonlyArray<string>
  readonly rules: { readonly [name: string]: Rule }
  /** The least and the most that a number may be. */
  readonly ranges: { readonly [name: string]: readonly [least: number, most: number] }
}

const tracks = ["both", "inbound", "outbound"]
const channels = ["single", "dual"]
const formats = ["wav", "mp3"]
const codecs = ["PCMU", "PCMA", "G722", "OPUS", "AMR-WB", "L16"]
const legs = ["both", "self", "opposite"]

const command = { client_state: "state", command_id: "text" } as const

const webhooks = {
  webhook_retries_policies: "map",
  webhook_url: "text",
  webhook_url_method: ["POST", "GET"],
  webhook_urls: "map",
  webhook_urls_method: ["POST", "GET"],
} as const

const recording = {
  record: ["record-from-answer"],
  record_channels: channels,
  record_custom_file_name: "text",
  record_format: formats,
  record_max_length: "number",
  record_timeout_secs: "number",
  record_track: tracks,
  record_trim: ["trim-silence"],
} as const

const stream = {
  stream_bidirectional_codec: codecs,
  stream_bidirectional_mode: ["mp3", "rtp"],
  stream_bidirectional_target_legs: legs,
  stream_codec: [...codecs, "default"],
  stream_track: ["inbound_track", "outbound_track", "both_tracks"],
  stream_url: "text",
} as const

const samplingRates = [8000, 16_000, 22_050, 24_000, 48_000]

/** What a dial and a transfer may both say. */
const leg = {
  ...command,
  ...webhooks,
  ...recording,
  answering_machine_detection: ["premium", "detect", "detect_beep", "detect_words", "greeting_end", "disabled"],
  answering_machine_detection_config: "map",
  audio_url: "text",
  custom_headers: "list",
  diversion: "text",
  from: "text",
  from_display_name: "text",
  media_encryption: ["disabled", "SRTP", "DTLS"],
  media_name: "text",
  park_after_unbridge: "text",
  preferred_codecs: "text",
  privacy: ["id", "none"],
  route_to_mobile: "flag",
  send_digits_on_answer: "text",
  sip_auth_password: "text",
  sip_auth_username: "text",
  sip_headers: "list",
  sip_region: ["US", "Europe", "Canada", "Australia", "Middle East"],
  sip_transport_protocol: ["UDP", "TCP", "TLS"],
  sound_modifications: "map",
  time_limit_secs: "number",
  timeout_secs: "number",
  to: "text",
} as const

/** The bounds are in the descriptions of the fields; a time limit's least is written nowhere, and is one second here. */
const legRanges = {
  record_max_length: [0, 43_200],
  record_timeout_secs: [0, Number.POSITIVE_INFINITY],
  time_limit_secs: [1, 14_400],
  timeout_secs: [5, 600],
} as const

/** `CallDialParams`. Several destinations in one `to` are not served here. */
export const dialParameters: ParameterTable = {
  required: ["connection_id", "from", "to"],
  ranges: legRanges,
  rules: {
    ...leg,
    ...stream,
    assistant: "map",
    billing_group_id: "text",
    bridge_intent: "flag",
    bridge_on_answer: "flag",
    conference_config: "map",
    connection_id: "text",
    conversation_relay_config: "map",
    deepfake_detection: "map",
    dialogflow_config: "map",
    enable_dialogflow: "flag",
    link_to: "text",
    prevent_double_bridge: "flag",
    retry_on_timeout: "flag",
    send_silence_when_idle: "flag",
    stream_auth_token: "text",
    stream_bidirectional_sampling_rate: samplingRates,
    stream_establish_before_call_originate: "flag",
    supervise_call_control_id: "text",
    supervisor_role: ["barge", "whisper", "monitor"],
    transcription: "flag",
    transcription_config: "map",
  },
}

const table = (
  required: ReadonlyArray<string>,
  rules: ParameterTable["rules"],
  ranges: ParameterTable["ranges"] = {},
): ParameterTable => ({ required, rules, ranges })

/** Commands on a call, by the name in the path. */
export const actionParameters = {
  answer: table([], {
    ...command,
    ...webhooks,
    ...recording,
    ...stream,
    assistant: "map",
    billing_group_id: "text",
    conversation_relay_config: "map",
    custom_headers: "list",
    deepfake_detection: "map",
    preferred_codecs: "text",
    send_silence_when_idle: "flag",
    sip_headers: "list",
    sound_modifications: "map",
    transcription: "flag",
    transcription_config: "map",
  }),
  hangup: table([], { ...command, custom_headers: "list" }),
  record_start: table(
    ["channels", "format"],
    {
      ...command,
      channels,
      custom_file_name: "text",
      format: formats,
      max_length: "number",
      play_beep: "flag",
      recording_track: tracks,
      timeout_secs: "number",
      transcription: "flag",
      transcription_engine: ["A", "B", "deepgram/nova-3"],
      transcription_language: "text",
      transcription_max_speaker_count: "number",
      transcription_min_speaker_count: "number",
      transcription_profanity_filter: "flag",
      transcription_speaker_diarization: "flag",
      trim: ["trim-silence"],
    },
    { max_length: [0, 14_400] },
  ),
  record_stop: table([], { ...command, recording_id: "text" }),
  speak: table(["payload", "voice"], {
    ...command,
    language: "text",
    loop: "text",
    payload: "text",
    payload_type: ["text", "ssml"],
    service_level: ["basic", "premium"],
    stop: "text",
    target_legs: legs,
    voice: "text",
    voice_settings: "map",
  }),
  streaming_start: table([], {
    ...command,
    ...stream,
    custom_parameters: "list",
    dialogflow_config: "map",
    enable_dialogflow: "flag",
    stream_auth_token: "text",
    stream_bidirectional_sampling_rate: samplingRates,
  }),
  streaming_stop: table([], { ...command, stream_id: "text" }),
  transfer: table(
    ["to"],
    {
      ...leg,
      early_media: "flag",
      mute_dtmf: ["none", "both", "self", "opposite"],
      target_leg_client_state: "state",
    },
    legRanges,
  ),
} as const satisfies { readonly [action: string]: ParameterTable }

export type Action = keyof typeof actionParameters

export const isAction = (name: string): name is Action => Object.hasOwn(actionParameters, name)

/** `CallHangup.Payload.hangup_cause` */
export type HangupCause =
  | "call_rejected"
  | "normal_clearing"
  | "originator_cancel"
  | "timeout"
  | "time_limit"
  | "user_busy"
  | "not_found"
  | "no_answer"
  | "unspecified"

export type HangupSource = "caller" | "callee" | "unknown"
