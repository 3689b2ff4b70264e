import { invalid, malformed } from "./errors.ts"
import {
  type Fields,
  flag,
  integer,
  isJson,
  type Json,
  json,
  list,
  moment,
  number,
  oneOf,
  orNull,
  phone,
  type Read,
  text,
  within,
  zone,
} from "./fields.ts"
import type { Part } from "./multipart.ts"
import { jsonObject, utf8 } from "./body.ts"
import { minutesOf, type Schedule } from "./windows.ts"

/** The settings of a campaign: who calls, when, and how often. */

export interface RetryPolicy {
  readonly max_retries: number
  readonly strategy: (typeof strategies)[number]
  readonly cooldown_minutes: number
  readonly base_delay_minutes: number
  readonly max_delay_minutes: number
  readonly respect_working_hours: boolean
}

export interface FollowUpPolicy {
  readonly enabled: boolean
  readonly max_attempts: number
  readonly cooldown_minutes: number
  readonly triggers: ReadonlyArray<string>
  readonly next_working_day_only: boolean
  readonly follow_up_agent_id: string | null
  readonly follow_up_prompt: string | null
  readonly follow_up_extra_logic: Json | null
}

const strategies = ["fixed_delay", "linear_backoff", "exponential_backoff"] as const

const triggers = ["after_retries_exhausted", "completed", "no_answer", "busy", "voicemail", "failed"] as const

export const defaultRetries: RetryPolicy = {
  max_retries: 3,
  strategy: "fixed_delay",
  cooldown_minutes: 0,
  base_delay_minutes: 15,
  max_delay_minutes: 1440,
  respect_working_hours: true,
}

export const defaultFollowUps: FollowUpPolicy = {
  enabled: false,
  max_attempts: 1,
  cooldown_minutes: 1440,
  triggers: ["after_retries_exhausted"],
  next_working_day_only: false,
  follow_up_agent_id: null,
  follow_up_prompt: null,
  follow_up_extra_logic: null,
}

export const defaultTransliteration: Json = {
  enabled: false,
  fields: [],
  target_language_code: null,
  source_language_code: null,
  keep_original: false,
}

const minutes = number(0, 525_600)

type Given<T> = { readonly [Name in keyof T]?: T[Name] | undefined }

const retryPolicy: Read<Given<RetryPolicy>> = within((fields) => ({
  max_retries: fields.optional("max_retries", integer(0, 10)),
  strategy: fields.optional("strategy", oneOf(strategies)),
  cooldown_minutes: fields.optional("cooldown_minutes", minutes),
  base_delay_minutes: fields.optional("base_delay_minutes", minutes),
  max_delay_minutes: fields.optional("max_delay_minutes", minutes),
  respect_working_hours: fields.optional("respect_working_hours", flag),
}))

const followUpPolicy: Read<Given<FollowUpPolicy>> = within((fields) => ({
  enabled: fields.optional("enabled", flag),
  max_attempts: fields.optional("max_attempts", integer(1, 10)),
  cooldown_minutes: fields.optional("cooldown_minutes", minutes),
  triggers: fields.optional("triggers", list(oneOf(triggers))),
  next_working_day_only: fields.optional("next_working_day_only", flag),
  follow_up_agent_id: fields.optional("follow_up_agent_id", orNull(text(1))),
  follow_up_prompt: fields.optional("follow_up_prompt", orNull(text())),
  follow_up_extra_logic: fields.optional("follow_up_extra_logic", orNull(json)),
}))

const transliteration = within((fields) => ({
  enabled: fields.optional("enabled", flag),
  fields: fields.optional("fields", list(text())),
  target_language_code: fields.optional("target_language_code", orNull(text())),
  source_language_code: fields.optional("source_language_code", orNull(text())),
  keep_original: fields.optional("keep_original", flag),
}))

const dayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

const workingHours: Read<Json> = within((fields) => {
  const out: Record<string, Json> = {}
  for (const name of dayNames) {
    const day = fields.optional(
      name,
      orNull(
        within((hours) => {
          const enabled = hours.optional("enabled", flag) ?? true
          const [start, end] = [hours.required("start", text()), hours.required("end", text())]
          const [opens, closes] = [
            minutesOf(start, `working_hours.${name}.start`),
            minutesOf(end, `working_hours.${name}.end`),
          ]
          if (opens >= closes) throw malformed(`The start of 'working_hours.${name}' must lie before its end.`)
          return { start, end, enabled }
        }),
      ),
    )
    if (day !== undefined && day !== null) out[name] = day
  }
  return out
})

/** When the working hours allow dialling; null where they are not enforced. */
export const scheduleOf = (hours: Json, enforced: boolean, timezone: string): Schedule | null => {
  if (!enforced) return null
  const days = dayNames.map((name) => {
    const day = hours[name]
    if (!isJson(day) || day["enabled"] === false) return null
    return { start: minutesOf(day["start"], name), end: minutesOf(day["end"], name) }
  })
  return { zone: timezone, days }
}

/** A policy with what a body says of it put over what stands. */
export const withRetries = (before: RetryPolicy, patch: Given<RetryPolicy> = {}): RetryPolicy => ({
  max_retries: patch.max_retries ?? before.max_retries,
  strategy: patch.strategy ?? before.strategy,
  cooldown_minutes: patch.cooldown_minutes ?? before.cooldown_minutes,
  base_delay_minutes: patch.base_delay_minutes ?? before.base_delay_minutes,
  max_delay_minutes: patch.max_delay_minutes ?? before.max_delay_minutes,
  respect_working_hours: patch.respect_working_hours ?? before.respect_working_hours,
})

const orBefore = <T>(given: T | undefined, before: T): T => (given === undefined ? before : given)

export const withFollowUps = (before: FollowUpPolicy, patch: Given<FollowUpPolicy> = {}): FollowUpPolicy => ({
  enabled: patch.enabled ?? before.enabled,
  max_attempts: patch.max_attempts ?? before.max_attempts,
  cooldown_minutes: patch.cooldown_minutes ?? before.cooldown_minutes,
  triggers: patch.triggers ?? before.triggers,
  next_working_day_only: patch.next_working_day_only ?? before.next_working_day_only,
  follow_up_agent_id: orBefore(patch.follow_up_agent_id, before.follow_up_agent_id),
  follow_up_prompt: orBefore(patch.follow_up_prompt, before.follow_up_prompt),
  follow_up_extra_logic: orBefore(patch.follow_up_extra_logic, before.follow_up_extra_logic),
})

/** What a body says of a campaign's settings, in the order of the schema. */
export const readSettings = (body: Fields) => ({
  phone_numbers: body.optional("phone_numbers", orNull(list(phone))),
  phone_number_strategy: body.optional("phone_number_strategy", oneOf(["round_robin", "random", "least_loaded"])),
  timezone: body.optional("timezone", zone),
  working_hours_enforced: body.optional("working_hours_enforced", flag),
  working_hours: body.optional("working_hours", workingHours),
  max_concurrent_calls: body.optional("max_concurrent_calls", orNull(integer(1, 10_000))),
  retry_policy: body.optional("retry_policy", retryPolicy),
  follow_up_policy: body.optional("follow_up_policy", followUpPolicy),
  transliteration: body.optional("transliteration", transliteration),
  start_time: body.optional("start_time", orNull(moment)),
  end_time: body.optional("end_time", orNull(moment)),
  default_call_variables: body.optional("default_call_variables", json),
  default_call_context: body.optional("default_call_context", json),
  metadata: body.optional("metadata", json),
})

export type Settings = ReturnType<typeof readSettings>

/** Start and end as they will stand. */
export const mustEndAfterStart = (start: number | null, end: number | null): void => {
  if (start !== null && end !== null && end <= start) throw malformed("The end_time must lie after the start_time.")
}

/** Every number must be registered. */
export const mustOwn = (numbers: ReadonlyArray<string> | null | undefined, owns: (phone: string) => boolean): void => {
  const index = numbers?.findIndex((one) => !owns(one)) ?? -1
  if (index >= 0) throw invalid(`phone_numbers[${index}]`, "is not registered to this organization")
}

const structured = new Set([
  "working_hours",
  "retry_policy",
  "follow_up_policy",
  "transliteration",
  "default_call_variables",
  "default_call_context",
  "metadata",
])

const switches = new Set(["working_hours_enforced"])
const counts = new Set(["max_concurrent_calls", "concurrency_limit"])

const numbersOf = (values: ReadonlyArray<string>): unknown => {
  const [first = ""] = values
  if (!first.trim().startsWith("[")) return values
  try {
    const read: unknown = JSON.parse(first)
    return read
  } catch {
    throw malformed("The form field 'phone_numbers' is not valid JSON.")
  }
}

/** A form as the JSON body that it stands for. */
export const formValues = (parts: ReadonlyArray<Part>): Json => {
  const out: Record<string, unknown> = {}
  const texts = parts
    .filter(({ name }) => name !== "file")
    .map(({ bytes, name }) => [name, utf8(bytes, "The form")] as const)
  for (const [name, value] of texts) {
    if (structured.has(name)) out[name] = jsonObject(value)
    else if (switches.has(name)) out[name] = value === "true" ? true : value === "false" ? false : value
    else if (counts.has(name)) out[name] = /^\d{1,9}$/.test(value) ? Number(value) : value
    else if (name === "phone_numbers")
      out[name] = numbersOf(texts.filter(([one]) => one === name).map(([, one]) => one))
    else out[name] = value
  }
  return out
}

const minuteMs = 60_000

/** How long after the end of an attempt the next retry is due; `nth` counts from 1. */
export const retryDelayMs = (policy: RetryPolicy, nth: number): number => {
  const factor = { fixed_delay: 1, linear_backoff: nth, exponential_backoff: 2 ** (nth - 1) }[policy.strategy]
  const delay = Math.min(policy.base_delay_minutes * factor, policy.max_delay_minutes)
  return Math.max(policy.cooldown_minutes, delay) * minuteMs
}
