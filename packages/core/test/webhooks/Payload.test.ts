import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Call } from "../../src/calls/rules/Call.ts"
import { callFacts } from "../../src/calls/rules/CallFacts.ts"
import { callStatuses } from "../../src/calls/rules/CallStatus.ts"
import type { Json } from "../../src/Json.ts"
import { sampleCall } from "../../src/testing/Samples.ts"
import { payloadOf } from "../../src/webhooks/rules/Payload.ts"

const event = { event_id: "evt_1", event_type: "call_completed", at: 0, correction: null } as const

const told = (changes: Partial<Call>, timezone: string | null = null): { readonly [field: string]: Json } => {
  const call = { ...sampleCall("org_1"), ...changes }
  return payloadOf(event, call, { timezone, currency: "USD", media: null, attempts: [call] })
}

describe("the payload of an event", () => {
  it("says where its call came from", () => {
    const campaign = { batch_id: "bat_1", campaign_id: "cmp_1", contact_id: "con_1" }
    const again = { ...campaign, parent_execution_id: "exec_first", retry_count: 1 }
    const sources: ReadonlyArray<readonly [Partial<Call>, string | null]> = [
      [{}, "api"],
      [campaign, "campaign"],
      [{ ...campaign, campaign_id: null }, "campaign"],
      [again, "retry"],
      [{ ...again, is_follow_up: true }, "follow-up"],
      [{ direction: "inbound" }, null],
    ]
    for (const [changes, source] of sources) assert.strictEqual(told(changes)["calling_source"], source)
  })

  it("tells when the call was placed by the clocks of its campaign, the same instant in every zone", () => {
    const at = Date.UTC(2026, 6, 1, 2, 30)
    const shown: ReadonlyArray<readonly [string | null, string]> = [
      [null, "2026-07-01T02:30:00.000Z"],
      ["UTC", "2026-07-01T02:30:00.000Z"],
      ["Asia/Kolkata", "2026-07-01T08:00:00.000+05:30"],
      ["America/New_York", "2026-06-30T22:30:00.000-04:00"],
      ["America/St_Johns", "2026-07-01T00:00:00.000-02:30"],
    ]
    for (const [zone, text] of shown) assert.strictEqual(told({ created_at: at }, zone)["called_on"], text)
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) }),
        fc.constantFrom("Europe/London", "Asia/Kathmandu", "Pacific/Apia", "America/Caracas", "UTC"),
        (created_at, zone) => {
          assert.strictEqual(Date.parse(String(told({ created_at }, zone)["called_on"])), created_at)
        },
      ),
    )
  })

  it("knows no placement of a call that waits for its time", () => {
    for (const status of callStatuses) {
      const waits = status === "scheduled" || status === "rescheduled"
      assert.strictEqual(told({ status, scheduled_at: 1_000 })["called_on"], waits ? null : "1970-01-01T00:00:01.000Z")
    }
  })

  it("names the experiment that routed the call, and its agent as it was called then", () => {
    for (const ab_is_variant of [true, false]) {
      const payload = told({ ab_version_id: "ver_1", ab_is_variant, agent_id: "agt_2", agent_name: "Ada" })
      assert.deepStrictEqual(
        ["ab_version_id", "ab_is_variant", "agent_id", "agent_name"].map((field) => payload[field]),
        ["ver_1", ab_is_variant, "agt_2", "Ada"],
      )
    }
    assert.isNull(told({})["ab_version_id"])
    assert.isNull(told({})["ab_is_variant"])
  })

  it("has under its own name every fact that can be corrected", () => {
    const payload = told({ status: "completed", duration_seconds: 7, hangup_by: "agent" })
    const call = { ...sampleCall("org_1"), status: "completed", duration_seconds: 7, hangup_by: "agent" } as const
    for (const [name, fact] of Object.entries(callFacts)) assert.deepStrictEqual(payload[name], fact(call))
  })
})
