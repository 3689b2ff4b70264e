import { anything, Fields, flag, isJson, type Json, json, list, number, orNull, type Read, text } from "./fields.ts"

/** The field names inside `configuration` ("Agent"). Each is optional; unknown ones are kept as given. */

const words: Read<unknown> = orNull(text())
const amount: Read<unknown> = orNull(number(0))
const switched: Read<unknown> = orNull(flag)
const texts: Read<unknown> = orNull(list(text()))

/** Names of fields by their type: s text, n number, b switch, l list of texts, a anything. */
const types: Readonly<Record<string, Read<unknown>>> = { s: words, n: amount, b: switched, l: texts, a: anything }

/** `"provider:s speed:n"` as readers by name. */
const shape = (line: string): ReadonlyArray<readonly [string, Read<unknown>]> =>
  line.split(" ").map((part) => {
    const [name = "", type = "a"] = part.split(":")
    return [name, types[type] ?? anything]
  })

const object = (line: string, inner: Readonly<Record<string, Read<unknown>>> = {}): Read<unknown> => {
  const fields = [...(line === "" ? [] : shape(line)), ...Object.entries(inner)]
  return orNull((value, path) => {
    const read = new Fields(json(value, path), path)
    for (const [name, one] of fields) read.optional(name, one)
    return read.values
  })
}

const sessionPolicy =
  "session_ttl:n close_after_reply:b finale_interruptible:b completion_probe:b probe_interval_seconds:n auto_retry_plan:a trusted_callers:l silence_close_after:n block_unlisted_callers:b entry_quota:n probe_window_seconds:n probe_min_words:n probe_start_delay_seconds:n"
const streamPolicy =
  "bargein_word_threshold:n force_chunking:b rapid_path_mode:a transcript_fidelity_mode:a emit_step_ms:n bargein_backoff_ms:n interrupt_on_speech_start:b"
const engagementPolicy =
  "noise_guard_level:a scene_bed_gain:n listener_cues_enabled:b presence_probe_enabled:b keypad_signal_gate:a presence_probe_after_seconds:n listener_cue_gap_seconds:n locale_probe_turns:n scene_bed_enabled:b scene_profile_id:s cadence_padding:a listener_cue_start_delay_seconds:n presence_probe_message:s"

export const configuration: Read<unknown> = object("", {
  runtime: object("", {
    call_transport: object("provider:s audio_format:s"),
    speech_recognition: object(
      "provider:s model:s language:s stream:b endpointing:a encoding:s sampling_rate:n task:s keywords:a",
    ),
    voice_synthesis: object(
      "provider:s voice_id:s voice_name:s speed:n speaking_rate:n audio_format:s buffer_size:n stream:b caching:b model:s",
    ),
    language_model: object("provider:s model:s agent_type:s", {
      config: object("max_tokens:n temperature:n"),
      knowledge_base_config: object("enabled:b collections:l similarity_top_k:n max_results:n reranker_enabled:b"),
    }),
  }),
  session_policy: object(sessionPolicy),
  stream_policy: object(streamPolicy),
  engagement_policy: object(engagementPolicy),
  message_policy: object("completion_probe_prompt:s finale_message:s"),
  compliance_policy: object("pii_guard_enabled:b"),
  post_processing: orNull(list(object("type:s enabled:b"))),
  external_functions: orNull(
    list(object("name:s description:s", { parameters: object("type:s", { properties: orNull(json) }) })),
  ),
})

/** The flat controls, and the bucket in which each lives. */
const controls: ReadonlyArray<readonly [name: string, bucket: string, read: Read<unknown>]> = [
  ["finale_message", "message_policy", words],
  ["presence_probe_message", "engagement_policy", words],
  ["probe_interval_seconds", "session_policy", amount],
  ["probe_window_seconds", "session_policy", amount],
  ["probe_min_words", "session_policy", amount],
  ["block_unlisted_callers", "session_policy", switched],
  ["completion_probe", "session_policy", switched],
  ["probe_start_delay_seconds", "session_policy", amount],
  ["presence_probe_enabled", "engagement_policy", switched],
  ["presence_probe_after_seconds", "engagement_policy", amount],
]

/** `conversation_config` as a body gives it. */
export const conversationConfig: Read<unknown> = (value, path) => {
  const read = new Fields(json(value, path), path)
  for (const [name, , one] of controls) read.optional(name, one)
  return read.values
}

const inside = (value: unknown): Json => (isJson(value) ? value : {})

/** Writing a flat control is writing it in its bucket. */
export const bucketsOf = (flat: Json): Json => {
  const out: Record<string, Record<string, unknown>> = {}
  for (const [name, bucket] of controls) if (flat[name] !== undefined) (out[bucket] ??= {})[name] = flat[name]
  return out
}

/** The flat view of a configuration. */
export const flatView = (stored: Json): Json =>
  Object.fromEntries(controls.map(([name, bucket]) => [name, inside(stored[bucket])[name] ?? null]))

/** JSON merge patch (RFC 7396). */
export const merged = (target: unknown, patch: unknown): unknown => {
  if (!isJson(patch)) return patch
  const out: Record<string, unknown> = { ...inside(target) }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete out[name]
    else out[name] = merged(out[name], value)
  }
  return out
}
