import { Schema } from "effect"
import { chosen, described } from "./Annotations.ts"
import {
  Flag,
  Integer,
  JsonObject,
  listOf,
  NonEmptyText,
  NonNegative,
  nullable,
  objectOf,
  openObjectOf,
  Text,
} from "./Scalars.ts"
import { withoutNulls } from "./WithoutNulls.ts"

/**
 * A control of an agent as it is written: optional, and null clears it, since writes are JSON merge patches (RFC 7396). Types are
 * checked, values are not: the specification shows no allowed values.
 */
const control = <S extends Schema.Top>(schema: S) => Schema.optionalKey(nullable(schema))

const either = <const Members extends ReadonlyArray<Schema.Top>>(members: Members, message: string) =>
  Schema.Union(members).annotate({ message })

const TextOrTexts = either([Text, listOf(Text)], "must be a string or an array of strings")
const FlagOrText = either([Flag, Text], "must be true, false or a string")
const NumberOrText = either([NonNegative, Text], "must be a number or a string")
const NumberOrFlag = either([NonNegative, Flag], "must be a number, true or false")
const FlagOrObject = either([Flag, JsonObject], "must be true, false or an object")
const ObjectOrList = either([JsonObject, listOf(Schema.Json)], "must be an object or an array")

const Runtime = openObjectOf({
  call_transport: control(openObjectOf({ provider: control(Text), audio_format: control(Text) })),
  speech_recognition: control(
    openObjectOf({
      provider: control(Text),
      model: control(Text),
      language: control(Text),
      stream: control(Flag),
      endpointing: control(NonNegative),
      encoding: control(Text),
      sampling_rate: control(NonNegative),
      task: control(Text),
      keywords: control(TextOrTexts),
    }),
  ),
  voice_synthesis: control(
    openObjectOf({
      provider: control(Text),
      voice_id: control(Text),
      voice_name: control(Text),
      speed: control(NonNegative),
      speaking_rate: control(NonNegative),
      audio_format: control(Text),
      buffer_size: control(NonNegative),
      stream: control(Flag),
      caching: control(Flag),
      model: control(Text),
    }),
  ),
  language_model: control(
    openObjectOf({
      provider: control(Text),
      model: control(Text),
      agent_type: control(Text),
      config: control(openObjectOf({ max_tokens: control(NonNegative), temperature: control(NonNegative) })),
      knowledge_base_config: control(
        openObjectOf({
          enabled: control(Flag),
          collections: control(listOf(Text)),
          similarity_top_k: control(NonNegative),
          max_results: control(NonNegative),
          reranker_enabled: control(Flag),
        }),
      ),
    }),
  ),
})

const SessionPolicy = openObjectOf({
  session_ttl: control(NonNegative),
  close_after_reply: control(Flag),
  finale_interruptible: control(Flag),
  completion_probe: control(Flag),
  probe_interval_seconds: control(NonNegative),
  auto_retry_plan: control(FlagOrObject),
  trusted_callers: control(listOf(Text)),
  silence_close_after: control(NonNegative),
  block_unlisted_callers: control(Flag),
  entry_quota: control(NonNegative),
  probe_window_seconds: control(NonNegative),
  probe_min_words: control(NonNegative),
  probe_start_delay_seconds: control(NonNegative),
})

const StreamPolicy = openObjectOf({
  bargein_word_threshold: control(NonNegative),
  force_chunking: control(Flag),
  rapid_path_mode: control(FlagOrText),
  transcript_fidelity_mode: control(FlagOrText),
  emit_step_ms: control(NonNegative),
  bargein_backoff_ms: control(NonNegative),
  interrupt_on_speech_start: control(Flag),
})

const EngagementPolicy = openObjectOf({
  noise_guard_level: control(NumberOrText),
  scene_bed_gain: control(NonNegative),
  listener_cues_enabled: control(Flag),
  presence_probe_enabled: control(Flag),
  keypad_signal_gate: control(Flag),
  presence_probe_after_seconds: control(NonNegative),
  listener_cue_gap_seconds: control(NonNegative),
  locale_probe_turns: control(NonNegative),
  scene_bed_enabled: control(Flag),
  scene_profile_id: control(Text),
  cadence_padding: control(NumberOrFlag),
  listener_cue_start_delay_seconds: control(NonNegative),
  presence_probe_message: control(Text),
})

/** The configuration of an agent by policy bucket. Fields it does not name are kept as given. */
export const AgentConfigurationBody = openObjectOf({
  runtime: control(Runtime),
  session_policy: control(SessionPolicy),
  stream_policy: control(StreamPolicy),
  engagement_policy: control(EngagementPolicy),
  message_policy: control(openObjectOf({ completion_probe_prompt: control(Text), finale_message: control(Text) })),
  compliance_policy: control(openObjectOf({ pii_guard_enabled: control(Flag) })),
  post_processing: control(listOf(openObjectOf({ type: control(Text), enabled: control(Flag) }))),
  external_functions: control(
    listOf(
      openObjectOf({
        name: control(Text),
        description: control(Text),
        parameters: described(control(JsonObject), "An object schema with `type` and `properties`."),
      }),
    ),
  ),
}).annotate({ identifier: "AgentConfigurationBody", description: "The configuration of an agent by policy bucket." })

/** The configuration of an agent, as it is answered. */
export const AgentConfiguration = withoutNulls(AgentConfigurationBody).annotate({ identifier: "AgentConfiguration" })

/** The flat view of the ten controls that change most; writing one here equals writing it in its policy bucket. */
export const ConversationConfigBody = objectOf({
  finale_message: control(Text),
  presence_probe_message: control(Text),
  probe_interval_seconds: control(NonNegative),
  probe_window_seconds: control(NonNegative),
  probe_min_words: control(NonNegative),
  block_unlisted_callers: control(Flag),
  completion_probe: chosen(control(Flag)),
  probe_start_delay_seconds: chosen(control(NonNegative)),
  presence_probe_enabled: chosen(control(Flag)),
  presence_probe_after_seconds: chosen(control(NonNegative)),
}).annotate({
  identifier: "ConversationConfigBody",
  description: "A flat view of ten controls; writing one here equals writing it in its policy bucket.",
})

/** The flat view, as it is answered: the controls that are set. */
export const ConversationConfig = withoutNulls(ConversationConfigBody).annotate({ identifier: "ConversationConfig" })

/** The prompts of an agent. */
export const AgentPromptsBody = openObjectOf({
  conversation: control(openObjectOf({ system: control(Text) })),
  summarization: control(openObjectOf({ system: control(Text) })),
  extraction: control(openObjectOf({ system: control(Text) })),
}).annotate({ identifier: "AgentPromptsBody" })

/** The prompts of an agent, as they are answered. */
export const AgentPrompts = withoutNulls(AgentPromptsBody).annotate({ identifier: "AgentPrompts" })

/** The placeholders of an agent's prompts. */
export const AgentVariablesBody = openObjectOf({
  custom: described(control(listOf(Text)), "Placeholder names."),
  placeholders: described(control(listOf(Text)), "In responses."),
  _original_format: control(Text),
}).annotate({ identifier: "AgentVariablesBody" })

/** The placeholders of an agent's prompts, as they are answered. */
export const AgentVariables = withoutNulls(AgentVariablesBody).annotate({ identifier: "AgentVariables" })

/** What is extracted from a finished call. */
export const AgentAnalyticsBody = openObjectOf({
  custom: control(
    listOf(
      openObjectOf({
        name: NonEmptyText,
        prompt: control(Text),
        required_keys: control(listOf(Text)),
      }),
    ),
  ),
}).annotate({ identifier: "AgentAnalyticsBody" })

/** What is extracted from a finished call, as it is answered. */
export const AgentAnalytics = withoutNulls(AgentAnalyticsBody).annotate({ identifier: "AgentAnalytics" })

/** The connections of an agent to other systems. */
export const AgentIntegrationsBody = openObjectOf({
  webhook: control(openObjectOf({ url: described(control(Text), "Status callback.") })),
  webcall: control(openObjectOf({ enabled: described(control(Flag), "Browser calling.") })),
  mcp: described(control(ObjectOrList), "Tool connections; a write of null disconnects them."),
}).annotate({ identifier: "AgentIntegrationsBody" })

/** The connections of an agent, as they are answered. */
export const AgentIntegrations = withoutNulls(AgentIntegrationsBody).annotate({ identifier: "AgentIntegrations" })

/**
 * The hours in which `POST /v2/calls` may dial for an agent. Types only: an unknown zone, a time that is not `HH:MM` and a day
 * outside 0..6 are contradictions (1000), not validation failures, and are judged where the window is.
 */
export const CallingGuardBody = objectOf({
  enabled: control(Flag),
  timezone: described(control(Text), "IANA zone."),
  start: described(control(Text), "`HH:MM`."),
  end: described(control(Text), "`HH:MM`."),
  days: chosen(control(listOf(Integer)), "0 is Monday, 6 is Sunday; every day when omitted or empty."),
}).annotate({ identifier: "CallingGuardBody", description: "The hours in which a call may be dialled." })

/** The hours, as they are answered. */
export const CallingGuard = withoutNulls(CallingGuardBody).annotate({ identifier: "CallingGuard" })

/** Agent-wide switches. */
export const AgentSwitchesBody = openObjectOf({ agent_memory: control(Flag) }).annotate({
  identifier: "AgentSwitchesBody",
})

/** Agent-wide switches, as they are answered. */
export const AgentSwitches = withoutNulls(AgentSwitchesBody).annotate({ identifier: "AgentSwitches" })

/** What follows a finished call. */
export const FollowUpConfigBody = openObjectOf({
  follow_up_agent_id: control(Text),
  follow_up_prompt: control(Text),
  follow_up_extra_logic: control(JsonObject),
}).annotate({ identifier: "FollowUpConfigBody" })

/** What follows a finished call, as it is answered. */
export const FollowUpConfig = withoutNulls(FollowUpConfigBody).annotate({ identifier: "FollowUpConfig" })

const languagesWith = <Voice extends Schema.Top>(voice_id: Voice) =>
  openObjectOf({
    enabled: control(Flag),
    active_language: control(Text),
    languages: control(
      Schema.Record(Schema.String, openObjectOf({ agent_name: control(Text), voice_id })).annotate({
        message: "must be an object",
      }),
    ),
  })

/** The languages of an agent. A write replaces the stored block. */
export const MultilingualBody = languagesWith(
  chosen(control(Text), "The voice of the language; one without it is dropped."),
).annotate({
  identifier: "MultilingualBody",
  description: "Languages by code; a write replaces the stored block.",
})

/** The languages of an agent, as they are answered: as they were written, but for those without a voice. */
export const Multilingual = languagesWith(chosen(NonEmptyText, "The voice of the language.")).annotate({
  identifier: "Multilingual",
  description: "Languages by code, as they were written last.",
})
