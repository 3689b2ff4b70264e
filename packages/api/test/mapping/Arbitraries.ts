import type { Agent, ApiKey, Call, Json, JsonObject } from "@carillon/core"
import {
  agentStatuses,
  type CallMedia,
  callStatuses,
  type ConcurrencyFigures,
  type RateFigures,
  unprocessed,
} from "@carillon/core/domain"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { assert } from "vitest"

/** The wire schema reads what was mapped, with no field too many and none too few. */
export const assertReads = (schema: Schema.Decoder<unknown>, wire: unknown): void => {
  const sent: unknown = structuredClone(wire)
  const read = Schema.decodeUnknownResult(schema)(sent, { onExcessProperty: "error" })
  assert.isTrue(Result.isSuccess(read), Result.isFailure(read) ? String(read.failure) : "")
  assert.deepStrictEqual(Result.getOrThrow(read), sent)
}

const nullOr = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | null> => fc.option(arbitrary, { nil: null })

/** Domain times: epoch milliseconds of the years 1970 to 2096. */
const instant = fc.integer({ min: 0, max: 4_000_000_000_000 })
const text = fc.string({ maxLength: 12 })
const amount = fc.integer({ min: 0, max: 1_000_000 }).map((cents) => cents / 100)
const milliseconds = nullOr(fc.nat({ max: 60_000 }))
const phone = fc.integer({ min: 1_000_000, max: 999_999_999 }).map((digits) => `+1${digits}`)

const { json, jsonObject } = fc.letrec<{ json: Json; jsonObject: JsonObject }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 2 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    text,
    tie("jsonObject"),
    fc.array(tie("json"), { maxLength: 3 }),
  ),
  jsonObject: fc.dictionary(text, tie("json"), { maxKeys: 3 }),
}))

export const call: fc.Arbitrary<Call> = fc.record({
  execution_id: text,
  organization_id: text,
  revision: fc.nat(),
  status: fc.constantFrom(...callStatuses),
  direction: fc.constantFrom("inbound", "outbound"),
  agent_id: text,
  agent_name: nullOr(text),
  batch_id: nullOr(text),
  campaign_id: nullOr(text),
  contact_id: nullOr(text),
  parent_execution_id: nullOr(text),
  retry_count: fc.nat(),
  is_follow_up: fc.boolean(),
  prompt: nullOr(text),
  ab_version_id: nullOr(text),
  ab_is_variant: nullOr(fc.boolean()),
  to_number: phone,
  from_number: nullOr(phone),
  call_sid: nullOr(text),
  duration_seconds: nullOr(amount),
  answered_by_voicemail: nullOr(fc.boolean()),
  hangup_by: nullOr(fc.constantFrom("agent", "customer")),
  hangup_reason: nullOr(fc.constantFrom("user_hangup", "dial_busy", "user_request")),
  recording_url: nullOr(fc.webUrl()),
  cost: nullOr(
    fc.record({
      total: amount,
      currency: fc.constantFrom("USD", "EUR"),
      breakdown: fc.record({
        llm: amount,
        network: amount,
        platform: amount,
        synthesizer: amount,
        telephony: amount,
        transcriber: amount,
      }),
    }),
  ),
  summary: nullOr(text),
  sentiment: nullOr(fc.constantFrom("positive", "neutral", "negative")),
  extracted_data: nullOr(jsonObject),
  custom_analytics: nullOr(fc.array(json, { maxLength: 3 })),
  variables: jsonObject,
  error: nullOr(text),
  scheduled_at: nullOr(instant),
  deferred_by_calling_guard: fc.boolean(),
  record: fc.boolean(),
  timeout_seconds: fc.integer({ min: 5, max: 120 }),
  created_at: instant,
  updated_at: instant,
  completed_at: nullOr(instant),
  ringing_at: nullOr(instant),
  answered_at: nullOr(instant),
  stop: nullOr(fc.record({ requested_at: instant, reason: text })),
  dial: fc.constantFrom("none", "intended", "accepted", "unconfirmed", "refused"),
  slot: fc.constant(null),
  final_report_at: nullOr(instant),
  due_at: nullOr(instant),
  questions: fc.nat({ max: 9 }),
  folded_into: fc.constant(null),
  processing: fc.constant(unprocessed),
  refused_reports: fc.constant([]),
})

const turnTiming = fc.record({
  final_transcript_ms: milliseconds,
  first_token_ms: milliseconds,
  last_token_ms: milliseconds,
  first_audio_ms: milliseconds,
  complete_ms: milliseconds,
})

export const media: fc.Arbitrary<CallMedia> = fc.record({
  execution_id: text,
  organization_id: text,
  revision: fc.nat(),
  transcript: fc.oneof(
    fc.constant(null),
    text,
    fc.array(
      fc.record({
        role: fc.oneof(fc.constantFrom("agent", "assistant", "user", "Customer", "tool", "system"), text),
        content: text,
        start_ms: milliseconds,
        end_ms: milliseconds,
      }),
      { maxLength: 5 },
    ),
  ),
  setup: nullOr(
    fc.record({
      stream_connect_ms: milliseconds,
      transcriber_connect_ms: milliseconds,
      language_model_connect_ms: milliseconds,
      synthesizer_connect_ms: milliseconds,
      time_to_first_audio_ms: milliseconds,
    }),
  ),
  turns: nullOr(fc.array(turnTiming, { maxLength: 6 })),
})

/** Stored configuration: named fields of their own types, which decoding saw to, among fields of any kind. */
const stored = (named: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<JsonObject> => {
  const own = fc.record(named, { requiredKeys: [] })
  const others = fc.dictionary(
    text.map((name) => `own_${name}`),
    json,
    { maxKeys: 2 },
  )
  const isField = (entry: [string, Json | undefined]): entry is [string, Json] => entry[1] !== undefined
  return fc.tuple(own, others).map(([a, b]) => ({ ...Object.fromEntries(Object.entries(a).filter(isField)), ...b }))
}

const system = stored({ system: text })

export const agent: fc.Arbitrary<Agent> = fc.record({
  agent_id: text,
  organization_id: text,
  revision: fc.nat(),
  status: fc.constantFrom(...agentStatuses),
  version: fc.integer({ min: 2, max: 99 }),
  created_at: instant,
  updated_at: instant,
  display_name: text,
  summary: nullOr(text),
  greeting_message: nullOr(text),
  category: nullOr(text),
  labels: nullOr(fc.array(text, { maxLength: 3 })),
  prompts: stored({ conversation: system, summarization: system, extraction: system }),
  variables: stored({ custom: fc.array(text, { maxLength: 2 }) }),
  analytics: stored({
    custom: fc.array(
      stored({ prompt: text }).map((item) => ({ ...item, name: "n" })),
      { maxLength: 2 },
    ),
  }),
  integrations: nullOr(stored({ webhook: stored({ url: fc.webUrl() }), mcp: jsonObject })),
  knowledge_base: nullOr(text),
  calling_guard: nullOr(
    fc.record({
      enabled: fc.boolean(),
      timezone: fc.constantFrom("UTC", "Asia/Kolkata"),
      start: fc.constant("09:00"),
      end: fc.constant("17:30"),
      days: fc.uniqueArray(fc.integer({ min: 0, max: 6 })),
    }),
  ),
  configuration: stored({
    runtime: stored({ voice_synthesis: stored({ voice_id: text, speed: amount, stream: fc.boolean() }) }),
    session_policy: stored({ probe_interval_seconds: amount, completion_probe: fc.boolean() }),
    message_policy: stored({ finale_message: text }),
    engagement_policy: stored({ presence_probe_message: text, presence_probe_enabled: fc.boolean() }),
    post_processing: fc.array(stored({ type: text, enabled: fc.boolean() }), { maxLength: 2 }),
  }),
  settings: stored({ agent_memory: fc.boolean() }),
  follow_up_config: stored({ follow_up_prompt: text, follow_up_extra_logic: jsonObject }),
  multilingual: nullOr(
    stored({
      enabled: fc.boolean(),
      // A language without a voice is not stored.
      languages: fc.dictionary(text, fc.record({ voice_id: fc.string({ minLength: 1, maxLength: 12 }) }), {
        maxKeys: 2,
      }),
    }),
  ),
})

export const key: fc.Arbitrary<ApiKey> = fc.record({
  key_id: text,
  revision: fc.nat(),
  hash: text,
  key_preview: text,
  organization_id: nullOr(text),
  developer: fc.record({ id: text, name: text, email: text }),
  plan: text,
  rate_limit_tier: text,
  token_type: text,
  status: fc.constantFrom("active", "inactive"),
  description: text,
  scopes: nullOr(
    fc.array(fc.constantFrom("calls:read", "calls:write", "keys:write", "agents:*", "*"), { maxLength: 3 }),
  ),
  scopes_source: fc.constantFrom("explicit", "inherited", "grandfathered"),
  keys_write_enabled: fc.boolean(),
  created_at: instant,
  revoked_at: nullOr(instant),
})

export const figures: fc.Arbitrary<RateFigures> = fc.record({
  limit: fc.nat({ max: 1000 }),
  allowed: fc.boolean(),
  remaining: fc.nat({ max: 1000 }),
  resetSeconds: fc.integer({ min: 1, max: 60 }),
  retryAfterSeconds: fc.integer({ min: 0, max: 60 }),
})

export const concurrency: fc.Arbitrary<ConcurrencyFigures> = fc.record({
  max: fc.nat({ max: 1000 }),
  enforced: fc.boolean(),
  current: fc.nat({ max: 1000 }),
  available: fc.nat({ max: 1000 }),
  levels: fc.record({
    platform: fc.nat({ max: 1000 }),
    organization: fc.nat({ max: 1000 }),
    agent: fc.nat({ max: 1000 }),
  }),
})
