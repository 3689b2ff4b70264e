import { assert, describe, it } from "vitest"
import type { Call } from "../../src/calls/rules/Call.ts"
import { callStatuses } from "../../src/calls/rules/CallStatus.ts"
import { type CallSurroundings, callWait } from "../../src/calls/rules/CallWaiting.ts"
import { sampleCall } from "../../src/testing/Samples.ts"

const now = 1_000_000
const free = { used: 0, ceiling: 10 }
const full = { used: 10, ceiling: 10 }
const calm: CallSurroundings = { isHeld: false, platform: free, organization: free, agent: free }

const call = (changes: Partial<Call>): Call => sampleCall("org_1", changes)

describe("what a call waits for", () => {
  it("is its time while that has not come, whatever else there is", () => {
    const held = { isHeld: true, platform: full, organization: full, agent: full }
    for (const status of ["scheduled", "rescheduled"] as const) {
      const due = call({ status, dial: "none", due_at: now + 1 })
      assert.strictEqual(callWait(due, held, now), "its_time")
    }
  })

  it("is then the first thing that stands in its way", () => {
    const due = call({ status: "scheduled", dial: "none", due_at: now })
    const ways = [
      [{ isHeld: true, platform: full, organization: full, agent: full }, "dialling_held"],
      [{ isHeld: false, platform: full, organization: full, agent: full }, "platform_lines_full"],
      [{ isHeld: false, platform: free, organization: full, agent: full }, "organization_lines_full"],
      [{ isHeld: false, platform: free, organization: free, agent: full }, "agent_lines_full"],
      [calm, "a_process"],
    ] as const
    for (const [surroundings, wait] of ways) assert.strictEqual(callWait(due, surroundings, now), wait)
  })

  it("is the carrier's answer, its next word, its last word, and then nothing", () => {
    for (const status of callStatuses) {
      if (status === "scheduled" || status === "rescheduled") continue
      const isLive = ["queued", "initiated", "ringing", "in-progress"].includes(status)
      const waitOf = (changes: Partial<Call>) =>
        callWait(call({ status, direction: "outbound", final_report_at: null, ...changes }), calm, now)
      assert.strictEqual(waitOf({ dial: "accepted" }), isLive ? "carrier" : "last_word")
      assert.strictEqual(waitOf({ dial: "accepted", final_report_at: now }), isLive ? "carrier" : "nothing")
      assert.strictEqual(waitOf({ dial: "unconfirmed" }), isLive ? "dial_answer" : "last_word")
      if (!isLive) assert.strictEqual(waitOf({ dial: "none" }), "nothing")
    }
  })
})
