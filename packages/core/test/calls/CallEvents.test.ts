import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Call } from "../../src/calls/rules/Call.ts"
import { overdue, settle } from "../../src/calls/rules/CallEvents.ts"
import { applyReport, type LegReport } from "../../src/calls/rules/CallReports.ts"
import { isTerminal, terminalStatuses } from "../../src/calls/rules/CallStatus.ts"
import { directDial, newCall } from "../../src/calls/rules/PlaceCall.ts"
import type { DomainEvent } from "../../src/Changes.ts"
import type { Json } from "../../src/Json.ts"
import { limits } from "../../src/Limits.ts"
import { payloadOf } from "../../src/webhooks/rules/Payload.ts"

/** A payload whose fields are looked up by their names. */
type Told = { readonly [field: string]: Json }

const dialled: Call = {
  ...newCall(
    "org_1",
    "exec_1",
    {
      agent_id: "agt_1",
      to_number: "+15555550100",
      from_number: null,
      variables: {},
      metadata: {},
      scheduled_at: null,
      record: true,
      timeout_seconds: 30,
    },
    directDial,
    0,
  ),
  dial: "accepted",
}

const end = fc.record({
  status: fc.constantFrom(...terminalStatuses.filter((status) => status !== "canceled")),
  duration_seconds: fc.constantFrom(null, 0, 10, 12),
  answered_by_voicemail: fc.constantFrom(null, false, true),
  hangup_by: fc.constantFrom("agent" as const, "customer" as const, null),
  hangup_reason: fc.constantFrom("user_hangup" as const, "dial_busy" as const, null),
  error: fc.constant(null),
})

const over = { duration_seconds: 8, answered_by_voicemail: false, hangup_by: null, hangup_reason: null, error: null }
const noFacts = { recording_url: null, cost: null, media: null }

const breakdown = { llm: 1, network: 1, platform: 1, synthesizer: 1, telephony: 1, transcriber: 1 }
const cost = fc.constantFrom(null, { total: 6, breakdown }, { total: 7, breakdown })
const recording_url = fc.constantFrom(null, "https://r.test/1", "https://r.test/2")

const base = { execution_id: "exec_1", at: 0, call_sid: "leg_1" }
const report: fc.Arbitrary<LegReport> = fc.oneof(
  fc.constantFrom("initiated" as const, "ringing" as const, "answered" as const).map((type) => ({ ...base, type })),
  end.map((value) => ({ ...base, type: "ended" as const, end: value })),
  fc.record({ end, cost, recording_url }).map(({ end: value, ...facts }) => ({
    ...base,
    type: "final" as const,
    end: value,
    facts: { ...facts, media: null },
  })),
  fc
    .record({
      summary: fc.constantFrom(null, "Agreed."),
      sentiment: fc.constantFrom(null, "positive" as const),
      extracted_data: fc.constantFrom(null, { appointment: { confirmed: "yes" } }),
    })
    .map((analysis) => ({ ...base, type: "analysis" as const, analysis })),
  fc
    .record({ duration_seconds: fc.constantFrom(10, 13), cost, recording_url })
    .map(({ duration_seconds, ...facts }) => ({
      ...base,
      type: "corrected" as const,
      end: { duration_seconds },
      facts: facts.cost === null ? {} : facts,
    })),
)

/** What the engine does with reports: applies each, settles the change, and looks at the deadline in between. */
const play = (reports: ReadonlyArray<LegReport>, configured: boolean) => {
  let call: Call = { ...dialled, custom_analytics: configured ? [{ name: "appointment" }] : null }
  const raised: Array<{ readonly event: DomainEvent; readonly before: Call; readonly after: Call }> = []
  const change = (after: Call) => {
    if (after === call) return
    const before = call
    const settled = settle(before, after)
    call = settled.call
    for (const event of settled.events) raised.push({ event, before, after: call })
  }
  let now = 0
  for (const next of [...reports, null]) {
    now += 200_000
    const due = call.processing.due_at
    if (due !== null && (due <= now || next === null)) change(overdue(call, Math.max(due, now)))
    if (next !== null) change(applyReport(call, next, now, "USD", limits).call)
  }
  return { call, raised }
}

const sequences = fc
  .array(report, { maxLength: 12 })
  .chain((list) => fc.shuffledSubarray([...list, ...list], { minLength: list.length, maxLength: list.length * 2 }))

describe("events of a call, under doubled and reordered reports", () => {
  it("come once of each type, corrections apart, and the last of all when the call ends", () => {
    fc.assert(
      fc.property(sequences, fc.boolean(), (reports, configured) => {
        const { call, raised } = play(reports, configured)
        const types = raised.map(({ event }) => event.type)
        const once = types.filter((type) => type !== "call_corrected")
        assert.strictEqual(new Set(once).size, once.length, types.join())
        const over = isTerminal(call.status)
        assert.strictEqual(types.includes("call_completed"), over)
        assert.strictEqual(types.includes("all_processing_completed"), over)
        const last = types.indexOf("all_processing_completed")
        for (const [index, type] of types.entries()) {
          if (type === "call_ringing" || type === "call_started" || type === "call_completed")
            assert.isTrue(last < 0 || index < last)
        }
        const corrections = raised.filter(({ event }) => event.type === "call_corrected")
        assert.deepStrictEqual(
          corrections.map(({ event }) => event.sequence),
          corrections.map((_, index) => index + 1),
        )
        assert.isNull(call.processing.due_at)
      }),
      { numRuns: 500 },
    )
  })

  it("tell once that a call was answered, whether or not that is heard before its end", () => {
    const leg: ReadonlyArray<LegReport> = [
      { ...base, type: "answered" },
      { ...base, type: "ended", end: { ...over, status: "call-disconnected" } },
      { ...base, type: "final", end: { ...over, status: "call-disconnected" }, facts: noFacts },
    ]
    fc.assert(
      fc.property(fc.shuffledSubarray([...leg], { minLength: leg.length }), (reports) => {
        const types = play([...reports, ...leg], false).raised.map(({ event }) => event.type)
        assert.deepStrictEqual(
          types.filter((type) => type === "call_started"),
          ["call_started"],
        )
      }),
    )
  })

  it("tell in a correction exactly what differs from what was told before", () => {
    fc.assert(
      fc.property(sequences, fc.boolean(), (reports, configured) => {
        for (const { after, before, event } of play(reports, configured).raised) {
          if (event.type !== "call_corrected") {
            assert.isNull(event.correction)
            continue
          }
          const context = { timezone: null, currency: "USD", media: null, attempts: [] }
          const told = (call: Call): Told =>
            payloadOf({ event_id: "evt_1", event_type: event.type, at: 0, correction: event.correction }, call, context)
          const [was, is] = [told(before), told(after)]
          assert.isNotNull(event.correction)
          for (const name of event.correction?.fields ?? []) {
            assert.deepStrictEqual(event.correction?.previous[name], was[name])
            assert.notDeepEqual(was[name], is[name])
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  it("say that processing is incomplete exactly where fields are missing, and every payload has one set of keys", () => {
    fc.assert(
      fc.property(sequences, fc.boolean(), (reports, configured) => {
        const keys = new Set<string>()
        for (const { after, event } of play(reports, configured).raised) {
          const payload: Told = payloadOf(
            { event_id: "evt_1", event_type: event.type, at: 0, correction: null },
            after,
            {
              timezone: null,
              currency: "USD",
              media: null,
              attempts: [after],
            },
          )
          keys.add(Object.keys(payload).join())
          const missing = payload["missing_fields"]
          if (!isTerminal(after.status)) assert.isNull(missing)
          else assert.strictEqual(payload["processing_incomplete"], Array.isArray(missing) && missing.length > 0)
          for (const name of Array.isArray(missing) ? missing : [])
            assert.isNull(payload[String(name)] ?? null, String(name))
          assert.isFalse("telephony" in Object(payload["cost_breakdown"]))
          assert.strictEqual(payload["client_analysis_status"] === "not_configured", !configured)
        }
        assert.isAtMost(keys.size, 1)
      }),
      { numRuns: 300 },
    )
  })
})
