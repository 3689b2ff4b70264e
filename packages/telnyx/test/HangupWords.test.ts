import { assert, describe, it } from "vitest"
import { endOf, hangupCauses, type HangupWords, isMachine, sipMeanings } from "../src/HangupWords.ts"

const words: HangupWords = {
  cause: "normal_clearing",
  source: "unknown",
  sipCode: null,
  wasAnswered: null,
  seconds: null,
  verdict: null,
}
const talked: HangupWords = { ...words, wasAnswered: true, seconds: 42 }

/** What each cause is to us where nobody answered: the whole table, once more and by hand. */
const unanswered = [
  ["normal_clearing", null, "completed", null],
  ["time_limit", null, "completed", "max_duration_reached"],
  ["timeout", null, "no-answer", "dial_no_answer"],
  ["no_answer", null, "no-answer", "dial_no_answer"],
  ["user_busy", "486", "busy", "dial_busy"],
  ["call_rejected", "603", "busy", "dial_busy"],
  ["call_rejected", "486", "busy", "dial_busy"],
  ["call_rejected", "600", "busy", "dial_busy"],
  ["call_rejected", "607", "busy", "dial_busy"],
  ["call_rejected", "608", "busy", "dial_busy"],
  ["call_rejected", "unspecified", "busy", "dial_busy"],
  ["call_rejected", null, "busy", "dial_busy"],
  ["call_rejected", "403", "failed", "dial_failed"],
  ["call_rejected", "401", "failed", "dial_failed"],
  ["not_found", "404", "failed", "invalid_destination"],
  ["originator_cancel", "487", "stopped", "user_request"],
  ["unspecified", "404", "failed", "invalid_destination"],
  ["unspecified", "408", "no-answer", "dial_no_answer"],
  ["unspecified", "410", "failed", "invalid_destination"],
  ["unspecified", "480", "no-answer", "dial_no_answer"],
  ["unspecified", "484", "failed", "invalid_destination"],
  ["unspecified", "486", "busy", "dial_busy"],
  ["unspecified", "487", "no-answer", "dial_no_answer"],
  ["unspecified", "600", "busy", "dial_busy"],
  ["unspecified", "603", "busy", "dial_busy"],
  ["unspecified", "604", "failed", "invalid_destination"],
  ["unspecified", "607", "busy", "dial_busy"],
  ["unspecified", "608", "busy", "dial_busy"],
  ["unspecified", "503", "failed", "dial_failed"],
  ["unspecified", null, "failed", "dial_failed"],
  ["a word of tomorrow", "486", "busy", "dial_busy"],
  ["a word of tomorrow", null, "failed", "dial_failed"],
] as const

describe("how a leg ended", () => {
  it.each(unanswered)("%s with SIP %s, unanswered: %s, %s", (cause, sipCode, status, hangup_reason) => {
    const end = endOf({ ...words, cause, sipCode })
    assert.deepInclude(end, { status, hangup_reason })
    assert.strictEqual(end.duration_seconds, status === "completed" ? null : 0)
  })

  it("has a row for each cause and each SIP code", () => {
    assert.includeMembers(
      unanswered.map(([cause]) => cause),
      [...hangupCauses],
    )
    const codes = unanswered.flatMap(([cause, code]) => (cause === "unspecified" && code !== null ? [code] : []))
    assert.includeMembers([...codes], Object.keys(sipMeanings))
  })

  it.each([...hangupCauses, "a word of tomorrow"])("%s of a conversation is completed, whoever ended it", (cause) => {
    const isLimit = cause === "time_limit"
    const ended = (source: string) => endOf({ ...talked, cause, source })
    assert.deepInclude(ended("unknown"), { status: "completed", duration_seconds: 42, hangup_by: null })
    assert.deepInclude(
      ended("callee"),
      isLimit ? { hangup_reason: "max_duration_reached" } : { hangup_by: "customer", hangup_reason: "user_hangup" },
    )
    assert.deepInclude(
      ended("caller"),
      isLimit ? { hangup_by: null } : { hangup_by: "agent", hangup_reason: "agent_hangup" },
    )
  })

  /** Who answered, in the words of both detections. */
  const verdicts = [
    ["human", false, "completed", false],
    ["human_residence", false, "completed", false],
    ["human_business", false, "completed", false],
    ["machine", true, "no-answer", true],
    ["fax_detected", false, "no-answer", false],
    ["silence", null, "completed", null],
    ["not_sure", null, "completed", null],
    ["a word of tomorrow", null, "completed", null],
  ] as const

  it.each(verdicts)("answered by %s: a machine %s, %s", (verdict, machine, status, answered_by_voicemail) => {
    assert.strictEqual(isMachine(verdict), machine)
    const end = endOf({ ...talked, verdict })
    assert.deepInclude(end, { status, answered_by_voicemail, duration_seconds: 42 })
    assert.strictEqual(end.hangup_reason === "voicemail_reached", machine === true)
  })
})
