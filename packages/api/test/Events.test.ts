import type { Call } from "@carillon/core"
import { callStatuses, eventTypes, WebhookPayload } from "@carillon/core/domain"
import { sampleCall } from "@carillon/core/testing"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { EventPayload } from "../src/Events.ts"

// The engine's payload is the document's by type already; this does not compile otherwise.
const payloadOf: (...given: Parameters<typeof WebhookPayload.payloadOf>) => EventPayload = WebhookPayload.payloadOf

const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null })
const seconds = fc.integer({ min: 0, max: 600 })
const analysis = { type: "analysis", asked: [1, null, { deep: true }] }

const calls = fc
  .record({
    status: fc.constantFrom(...callStatuses),
    direction: fc.constantFrom("inbound" as const, "outbound" as const),
    agent_name: maybe(fc.string()),
    batch_id: maybe(fc.constant("bat_1")),
    campaign_id: maybe(fc.constant("cmp_1")),
    parent_execution_id: maybe(fc.constant("exec_0")),
    is_follow_up: fc.boolean(),
    ab_version_id: maybe(fc.constant("ver_1")),
    ab_is_variant: maybe(fc.boolean()),
    call_sid: maybe(fc.string()),
    duration_seconds: maybe(seconds),
    answered_by_voicemail: maybe(fc.boolean()),
    hangup_by: maybe(fc.constantFrom("agent" as const, "customer" as const)),
    hangup_reason: maybe(fc.constantFrom("user_hangup" as const, "dial_busy" as const)),
    recording_url: maybe(fc.constant("https://audio.example/1.wav")),
    summary: maybe(fc.string()),
    sentiment: maybe(fc.constantFrom("positive" as const, "neutral" as const)),
    extracted_data: maybe(fc.constant(analysis)),
    custom_analytics: maybe(fc.constant([{ name: "asked" }])),
    variables: fc.dictionary(fc.string(), fc.string()),
    answered_at: maybe(fc.constant(1_000)),
    completed_at: maybe(fc.constant(2_000)),
    final_report_at: maybe(fc.constant(3_000)),
    cost: maybe(
      fc.constant({
        total: 6,
        currency: "EUR",
        breakdown: { llm: 1, network: 1, platform: 1, synthesizer: 1, telephony: 1, transcriber: 1 },
      }),
    ),
    analysed_at: maybe(fc.constant(3_000)),
  })
  .map(({ analysed_at, ...changes }): Call => {
    const call = sampleCall("org_1")
    return { ...call, ...changes, processing: { ...call.processing, analysed_at } }
  })

const turn = fc.record({
  role: fc.constantFrom("agent", "user", "tool", "parrot"),
  content: fc.string(),
  start_ms: fc.constant(null),
  end_ms: fc.constant(null),
})
const part = maybe(seconds)
const media = maybe(
  fc.record({
    transcript: maybe(fc.oneof(fc.array(turn), fc.constant("Agent: Hello.\nUser: Yes?"))),
    turns: maybe(
      fc.array(
        fc.record({
          final_transcript_ms: part,
          first_token_ms: part,
          last_token_ms: part,
          first_audio_ms: part,
          complete_ms: part,
        }),
      ),
    ),
  }),
).map((found) =>
  found === null ? null : { execution_id: "exec_1", organization_id: "org_1", revision: 1, setup: null, ...found },
)

const correction = { fields: ["call_duration"], previous: { call_duration: null } }
const decode = Schema.decodeUnknownResult(EventPayload, { onExcessProperty: "error" })

describe("the payload that the document describes", () => {
  it("is what the engine sends, whatever is known of a call, with no field more or less", () => {
    const timezone = maybe(fc.constantFrom("Asia/Kolkata", "America/St_Johns"))
    fc.assert(
      fc.property(
        fc.constantFrom(...eventTypes),
        calls,
        media,
        timezone,
        fc.array(calls, { maxLength: 2 }),
        (event_type, call, spoken, zone, before) => {
          const event = { event_id: "evt_1", event_type, at: 0 }
          const told = event_type === "call_corrected" ? correction : null
          const context = { timezone: zone, currency: "USD", media: spoken, attempts: [...before, call] }
          const body: unknown = JSON.parse(JSON.stringify(payloadOf({ ...event, correction: told }, call, context)))
          const read = decode(body)
          if (Result.isFailure(read)) assert.fail(String(read.failure))
          const always = Object.keys(EventPayload.fields).filter((name) => name !== "correction" && name !== "test")
          assert.sameMembers(Object.keys(Object(body)), told === null ? always : [...always, "correction"])
        },
      ),
    )
  })

  it("has no null that never comes", () => {
    const nulls = new Set<string>()
    fc.assert(
      fc.property(calls, media, (call, spoken) => {
        const context = { timezone: null, currency: "USD", media: spoken, attempts: [call] }
        const event = { event_id: "evt_1", event_type: "call_completed", at: 0, correction: null } as const
        for (const [name, value] of Object.entries(payloadOf(event, call, context))) if (value === null) nulls.add(name)
      }),
      { numRuns: 1_000, seed: 1 },
    )
    // A test of a webhook may name no agent; every call has one.
    nulls.add("agent_id")
    const nullable = Object.entries(EventPayload.fields).flatMap(([name, field]) =>
      Result.isSuccess(Schema.decodeUnknownResult(Schema.Struct({ field }))({ field: null })) ? [name] : [],
    )
    assert.sameMembers(nullable, [...nulls])
  })
})
