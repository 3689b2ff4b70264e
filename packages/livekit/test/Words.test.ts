import { DisconnectReason, JobStatus } from "@livekit/protocol"
import { assert, describe, it } from "vitest"
import {
  disconnectReasons,
  endOf,
  jobFailed,
  type Meaning,
  meaningOfLeaving,
  meaningOfReason,
  meaningOfSip,
  reasons,
  sipCodes,
} from "../src/Words.ts"

const statusOf = ({ hangup_by, hangup_reason, status }: Meaning) => [status, hangup_reason, hangup_by]

/** Each reason: before the answer, and after it. */
const reasonRows: ReadonlyArray<readonly [name: keyof typeof disconnectReasons, before: unknown, after: unknown]> = [
  ["UNKNOWN_REASON", ["failed", "dial_failed", null], ["call-disconnected", "carrier_error", null]],
  ["CLIENT_INITIATED", ["no-answer", "dial_no_answer", null], ["completed", "user_hangup", "customer"]],
  ["DUPLICATE_IDENTITY", ["error", "carrier_error", null], ["error", "carrier_error", null]],
  ["SERVER_SHUTDOWN", ["failed", "dial_failed", null], ["call-disconnected", "carrier_error", null]],
  ["PARTICIPANT_REMOVED", ["stopped", "user_request", null], ["completed", "agent_hangup", "agent"]],
  ["ROOM_DELETED", ["stopped", "user_request", null], ["completed", "agent_hangup", "agent"]],
  ["STATE_MISMATCH", ["failed", "dial_failed", null], ["call-disconnected", "carrier_error", null]],
  ["JOIN_FAILURE", ["error", "carrier_error", null], ["error", "carrier_error", null]],
  ["MIGRATION", ["failed", "dial_failed", null], ["call-disconnected", "carrier_error", null]],
  ["SIGNAL_CLOSE", ["failed", "dial_failed", null], ["call-disconnected", "carrier_error", null]],
  ["ROOM_CLOSED", ["stopped", "user_request", null], ["completed", "agent_hangup", "agent"]],
  ["USER_UNAVAILABLE", ["no-answer", "dial_no_answer", null], ["call-disconnected", "carrier_error", null]],
  ["USER_REJECTED", ["busy", "dial_busy", null], ["call-disconnected", "carrier_error", null]],
  ["SIP_TRUNK_FAILURE", ["failed", "dial_failed", null], ["call-disconnected", "carrier_error", null]],
  ["CONNECTION_TIMEOUT", ["failed", "dial_failed", null], ["call-disconnected", "carrier_error", null]],
  ["MEDIA_FAILURE", ["failed", "dial_failed", null], ["call-disconnected", "carrier_error", null]],
  ["AGENT_ERROR", ["error", "carrier_error", null], ["error", "carrier_error", null]],
]

/** Each SIP code that has a meaning of its own, and one of each class that has none. */
const sipRows: ReadonlyArray<readonly [code: number, status: string, reason: string]> = [
  [401, "error", "carrier_error"],
  [402, "error", "carrier_error"],
  [403, "error", "carrier_error"],
  [404, "failed", "invalid_destination"],
  [407, "error", "carrier_error"],
  [408, "no-answer", "dial_no_answer"],
  [410, "failed", "invalid_destination"],
  [480, "no-answer", "dial_no_answer"],
  [484, "failed", "invalid_destination"],
  [486, "busy", "dial_busy"],
  [487, "no-answer", "dial_no_answer"],
  [488, "error", "carrier_error"],
  [600, "busy", "dial_busy"],
  [603, "busy", "dial_busy"],
  [604, "failed", "invalid_destination"],
  [606, "error", "carrier_error"],
  [607, "busy", "dial_busy"],
  [608, "busy", "dial_busy"],
]

describe("LiveKit's words", () => {
  it.each(reasonRows)("%s", (name, before, after) => {
    assert.deepStrictEqual(statusOf(meaningOfReason(disconnectReasons[name], false)), before)
    assert.deepStrictEqual(statusOf(meaningOfReason(disconnectReasons[name], true)), after)
  })

  it("have a row for each reason of the protocol, by its own number", () => {
    const numbers = Object.entries(DisconnectReason).filter(([, value]) => typeof value === "number")
    for (const [name, value] of Object.entries(disconnectReasons)) {
      assert.deepInclude(Object.fromEntries(numbers), { [name]: value })
    }
    assert.sameMembers(
      Object.keys(reasons).map(Number),
      reasonRows.map(([name]) => disconnectReasons[name]),
    )
    // A later protocol has more of them: a leg that was dropped.
    assert.strictEqual(meaningOfReason(99, true).status, "call-disconnected")
    assert.strictEqual(meaningOfReason(99, false).status, "failed")
  })

  it("call it an error where the agent died, and only where the callee was taken out for that", () => {
    assert.strictEqual(jobFailed, JobStatus.JS_FAILED)
    const failed = { unspoken: "The agent failed." }
    assert.strictEqual(meaningOfLeaving(failed, disconnectReasons.PARTICIPANT_REMOVED, true).status, "error")
    assert.strictEqual(meaningOfLeaving(failed, disconnectReasons.CLIENT_INITIATED, true).status, "completed")
    const fine = { unspoken: null }
    assert.strictEqual(meaningOfLeaving(fine, disconnectReasons.PARTICIPANT_REMOVED, true).status, "completed")
  })

  it.each(sipRows)("SIP %i is %s", (code, status, reason) => {
    const { hangup_reason, status: is } = meaningOfSip(code)
    assert.deepStrictEqual([is, hangup_reason], [status, reason])
  })

  it("have a row for each code of the table, and any other code has failed", () => {
    assert.sameMembers(
      Object.keys(sipCodes).map(Number),
      sipRows.map(([code]) => code),
    )
    for (const code of [0, 400, 415, 500, 503, 699]) assert.strictEqual(meaningOfSip(code).status, "failed")
  })
})

describe("the end of a leg", () => {
  const completed = meaningOfReason(disconnectReasons.CLIENT_INITIATED, true)

  it("is as long as its talk, and no time at all where nobody answered", () => {
    const talk = { answeredAt: 1_000, endedAt: 61_400, machine: null }
    assert.strictEqual(endOf(completed, talk).duration_seconds, 60)
    assert.strictEqual(endOf(completed, { ...talk, endedAt: 500 }).duration_seconds, 0)
    assert.strictEqual(endOf(meaningOfSip(486), { ...talk, answeredAt: null }).duration_seconds, 0)
    // Answered, but nobody here knows when.
    assert.isNull(endOf(completed, { ...talk, answeredAt: null }).duration_seconds)
  })

  it("is nobody reached where a machine answered, unless the leg broke", () => {
    const talk = { answeredAt: 1_000, endedAt: 21_000, machine: true }
    assert.deepInclude(endOf(completed, talk), {
      status: "no-answer",
      hangup_reason: "voicemail_reached",
      answered_by_voicemail: true,
      duration_seconds: 20,
    })
    const broken = meaningOfReason(disconnectReasons.MEDIA_FAILURE, true)
    assert.deepInclude(endOf(broken, talk), { status: "call-disconnected", answered_by_voicemail: true })
    assert.strictEqual(endOf(completed, { ...talk, machine: false }).answered_by_voicemail, false)
  })
})
