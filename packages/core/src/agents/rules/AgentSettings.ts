import { Result } from "effect"
import { fromCallingGuard } from "../../dispatch/rules/CallingWindow.ts"
import { type InvalidField, Malformed, MissingField } from "../../Errors.ts"
import { isJsonObject, type Json, type JsonObject } from "../../Json.ts"
import { limits } from "../../Limits.ts"
import { oversized } from "../../Measure.ts"
import type { AgentSettings, CallingGuard } from "./Agent.ts"
import { parseDestination } from "../../webhooks/rules/Destination.ts"

/** The decoded body of a create, PUT or PATCH: only the fields that were sent. */
export type AgentBody = { readonly [field: string]: Json }

/** Settings as a write leaves them, with the languages that could not be kept. */
export interface WrittenSettings {
  readonly settings: AgentSettings
  readonly dropped_languages: ReadonlyArray<string>
}

export type SettingsFault = InvalidField | Malformed | MissingField

/** The settings of an agent that has nothing but a name. */
export const defaultSettings: AgentSettings = {
  display_name: "",
  summary: null,
  greeting_message: null,
  category: null,
  labels: null,
  prompts: {},
  variables: {},
  analytics: {},
  integrations: null,
  knowledge_base: null,
  calling_guard: null,
  configuration: {},
  settings: {},
  follow_up_config: {},
  multilingual: null,
}

/** Where each control of `conversation_config` lives: the flat block is a view of the policy buckets (specification, "Agent"). */
const conversationControls = {
  finale_message: "message_policy",
  presence_probe_message: "engagement_policy",
  presence_probe_enabled: "engagement_policy",
  presence_probe_after_seconds: "engagement_policy",
  probe_interval_seconds: "session_policy",
  probe_window_seconds: "session_policy",
  probe_min_words: "session_policy",
  probe_start_delay_seconds: "session_policy",
  completion_probe: "session_policy",
  block_unlisted_callers: "session_policy",
} as const

/** Whether a patch removes nothing, however deep one looks. */
const onlyAdds = (patch: Json): boolean =>
  patch !== null && (!isJsonObject(patch) || Object.values(patch).every((value) => onlyAdds(value)))

/** JSON merge patch (RFC 7396): objects merge, null removes, everything else replaces. */
export const mergePatch = (target: Json | undefined, patch: Json): Json => {
  if (!isJsonObject(patch)) return patch
  // What is put together name by name takes several times as long, and there may be ten thousand names.
  if (!isJsonObject(target) && onlyAdds(patch)) return patch
  const merged = new Map<string, Json>(isJsonObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, mergePatch(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}

/** The view of the policy buckets that answers carry: the controls that are set. */
export const conversationConfig = (configuration: JsonObject): JsonObject => {
  const view: Array<[string, Json]> = []
  for (const [control, bucket] of Object.entries(conversationControls)) {
    const policy = configuration[bucket]
    const value = isJsonObject(policy) ? policy[control] : undefined
    if (value !== undefined) view.push([control, value])
  }
  return Object.fromEntries(view)
}

/** The flat controls as a patch of their buckets. */
const asBuckets = (flat: JsonObject): JsonObject => {
  const buckets = new Map<string, Array<[string, Json]>>()
  for (const [control, bucket] of Object.entries(conversationControls)) {
    const value = flat[control]
    if (value === undefined) continue
    const controls = buckets.get(bucket) ?? []
    controls.push([control, value])
    buckets.set(bucket, controls)
  }
  return Object.fromEntries([...buckets].map(([bucket, controls]) => [bucket, Object.fromEntries(controls)]))
}

const textOf = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

/** The guard that a merged block describes, null when it is switched off. */
const guardOf = (block: JsonObject): Result.Result<CallingGuard | null, SettingsFault> => {
  if (block["enabled"] === false) return Result.succeed(null)
  const timezone = textOf(block["timezone"])
  const start = textOf(block["start"])
  const end = textOf(block["end"])
  if (timezone === undefined) return Result.fail(new MissingField({ field: "calling_guard.timezone" }))
  if (start === undefined) return Result.fail(new MissingField({ field: "calling_guard.start" }))
  if (end === undefined) return Result.fail(new MissingField({ field: "calling_guard.end" }))
  const days = Array.isArray(block["days"]) ? block["days"].filter((day): day is number => typeof day === "number") : []
  const guard: CallingGuard = { enabled: true, timezone, start, end, days }
  return Result.match(fromCallingGuard(guard), {
    onSuccess: () => Result.succeed(guard),
    onFailure: ({ field, reason }) =>
      Result.fail(new Malformed({ message: `Invalid value for 'calling_guard.${field}': ${reason}.` })),
  })
}

const nextGuard = (
  current: CallingGuard | null,
  patch: Json | undefined,
): Result.Result<CallingGuard | null, SettingsFault> => {
  if (patch === undefined) return Result.succeed(current)
  if (!isJsonObject(patch)) return Result.succeed(null)
  return guardOf({ ...current, ...patch })
}

/** A language without a voice cannot be spoken: it is left out and named (decisions.md, "Readings"). */
const speakable = (block: Json): { readonly block: Json; readonly dropped: ReadonlyArray<string> } => {
  const languages = isJsonObject(block) ? block["languages"] : undefined
  if (!isJsonObject(block) || !isJsonObject(languages)) return { block, dropped: [] }
  const entries = Object.entries(languages)
  const hasVoice = ([, language]: [string, Json]) =>
    isJsonObject(language) && typeof language["voice_id"] === "string" && language["voice_id"] !== ""
  const dropped = entries.filter((entry) => !hasVoice(entry)).map(([code]) => code)
  return { block: { ...block, languages: Object.fromEntries(entries.filter(hasVoice)) }, dropped }
}

const objectAfter = (current: JsonObject, patch: Json | undefined): JsonObject => {
  const merged = patch === undefined ? current : mergePatch(current, patch)
  return isJsonObject(merged) ? merged : {}
}

const nullableAfter = <A>(current: A, patch: Json | undefined, read: (value: Json) => A | undefined): A => {
  const written = patch === undefined ? undefined : read(patch)
  return written === undefined ? current : written
}

const asText = (value: Json): string | null | undefined =>
  value === null || typeof value === "string" ? value : undefined

const asTexts = (value: Json): ReadonlyArray<string> | null | undefined =>
  value === null
    ? null
    : Array.isArray(value)
      ? value.filter((item): item is string => typeof item === "string")
      : undefined

/** The callback URL of a body is judged as every other one (decisions.md, "Readings"); what is stored already is not judged again. */
const callbackFault = (integrations: Json | undefined, allowed: ReadonlyArray<string>): Malformed | null => {
  const webhook = isJsonObject(integrations) ? integrations["webhook"] : undefined
  const url = isJsonObject(webhook) ? webhook["url"] : undefined
  if (typeof url !== "string" || url === "") return null
  const judged = parseDestination(url, allowed)
  return Result.isFailure(judged) ? new Malformed({ message: judged.failure }) : null
}

/**
 * Applies a body to settings, as a create does to the defaults and a PATCH to what is stored. `multilingual` is replaced whole; where a
 * body sets a control both flat and in its bucket, the bucket wins. The whole has a bound, so that no number of patches makes an agent
 * that a store cannot read back.
 */
export const writeSettings = (
  current: AgentSettings,
  body: AgentBody,
  allowedDestinations: ReadonlyArray<string>,
): Result.Result<WrittenSettings, SettingsFault> =>
  Result.flatMap(merged(current, body, allowedDestinations), (written) => {
    const fault =
      oversized("agent", written.settings, Object.keys(body), limits.agentBytes, current) ??
      oversized("analysis", written.settings.analytics, ["analytics"], limits.analyticsBytes, current.analytics)
    return fault === null ? Result.succeed(written) : Result.fail(fault)
  })

const merged = (
  current: AgentSettings,
  body: AgentBody,
  allowedDestinations: ReadonlyArray<string>,
): Result.Result<WrittenSettings, SettingsFault> => {
  const fault = callbackFault(body["integrations"], allowedDestinations)
  if (fault !== null) return Result.fail(fault)
  const flat = body["conversation_config"]
  const viaFlat = isJsonObject(flat) ? objectAfter(current.configuration, asBuckets(flat)) : current.configuration
  const spoken = body["multilingual"] === undefined ? undefined : speakable(body["multilingual"])
  const integrations =
    body["integrations"] === undefined
      ? current.integrations
      : mergePatch(current.integrations ?? {}, body["integrations"])
  return Result.map(nextGuard(current.calling_guard, body["calling_guard"]), (calling_guard) => ({
    dropped_languages: spoken?.dropped ?? [],
    settings: {
      display_name: textOf(body["display_name"]) ?? current.display_name,
      summary: nullableAfter(current.summary, body["summary"], asText),
      greeting_message: nullableAfter(current.greeting_message, body["greeting_message"], asText),
      category: nullableAfter(current.category, body["category"], asText),
      labels: nullableAfter(current.labels, body["labels"], asTexts),
      prompts: objectAfter(current.prompts, body["prompts"]),
      variables: objectAfter(current.variables, body["variables"]),
      analytics: objectAfter(current.analytics, body["analytics"]),
      integrations: isJsonObject(integrations) ? integrations : null,
      knowledge_base: nullableAfter(current.knowledge_base, body["knowledge_base"], asText),
      calling_guard,
      configuration: objectAfter(viaFlat, body["configuration"]),
      settings: objectAfter(current.settings, body["settings"]),
      follow_up_config: objectAfter(current.follow_up_config, body["follow_up_config"]),
      multilingual: spoken === undefined ? current.multilingual : spoken.block,
    },
  }))
}
