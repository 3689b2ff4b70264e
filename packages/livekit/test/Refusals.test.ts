import { ServerError, SipCallError } from "livekit-server-sdk"
import { assert, describe, it } from "vitest"
import { answerOf } from "../src/Clients.ts"
import { beforeTheLeg, legOutcome } from "../src/Refusals.ts"

const failed = (status: number, code: string | null) => ({ _tag: "Failed", status, code }) as const
const sip = (code: number, text = "") => ({ _tag: "Sip", sip: code, text }) as const

type LegAnswer = Parameters<typeof legOutcome>[0]

const leg: ReadonlyArray<readonly [answer: LegAnswer, tag: string, kind: string | null]> = [
  [{ _tag: "NotSent" }, "Refused", "unreachable"],
  [{ _tag: "Lost" }, "Unknown", null],
  [failed(400, "invalid_argument"), "Refused", "rejected"],
  [failed(400, "malformed"), "Refused", "rejected"],
  [failed(404, "not_found"), "Refused", "rejected"],
  [failed(404, "bad_route"), "Refused", "rejected"],
  [failed(409, "already_exists"), "Refused", "rejected"],
  [failed(401, "unauthenticated"), "Refused", "rejected"],
  [failed(403, "permission_denied"), "Refused", "rejected"],
  [failed(501, "unimplemented"), "Refused", "rejected"],
  [failed(400, "out_of_range"), "Refused", "rejected"],
  [failed(429, "resource_exhausted"), "Refused", "throttled"],
  [failed(429, null), "Refused", "throttled"],
  [failed(412, "failed_precondition"), "Ended", null],
  [failed(408, "deadline_exceeded"), "Unknown", null],
  [failed(408, "canceled"), "Unknown", null],
  [failed(409, "aborted"), "Unknown", null],
  [failed(500, "internal"), "Unknown", null],
  [failed(503, "unavailable"), "Unknown", null],
  [failed(502, null), "Unknown", null],
  [sip(404), "Refused", "invalid_destination"],
  [sip(410), "Refused", "invalid_destination"],
  [sip(484), "Refused", "invalid_destination"],
  [sip(604), "Refused", "invalid_destination"],
  [sip(401), "Refused", "rejected"],
  [sip(402), "Refused", "rejected"],
  [sip(403), "Refused", "rejected"],
  [sip(407), "Refused", "rejected"],
  [sip(488), "Refused", "rejected"],
  [sip(503, "CPS limit exceeded"), "Refused", "throttled"],
  [sip(503, "Concurrent call limit exceeded"), "Refused", "throttled"],
  [sip(503, "Service Unavailable"), "Ended", null],
  [sip(486), "Ended", null],
  [sip(480), "Ended", null],
]

const before: ReadonlyArray<readonly [answer: LegAnswer, kind: "unreachable" | "rejected" | "throttled"]> = [
  [{ _tag: "NotSent" }, "unreachable"],
  [{ _tag: "Lost" }, "unreachable"],
  [failed(401, "unauthenticated"), "rejected"],
  [failed(403, "permission_denied"), "rejected"],
  [failed(404, "not_found"), "rejected"],
  [failed(429, "resource_exhausted"), "throttled"],
  [failed(503, "unavailable"), "unreachable"],
]

describe("what LiveKit answers to a dial", () => {
  it.each(leg)("%j is %s %s", (answer, tag, kind) => {
    const outcome = legOutcome(answer)
    assert.strictEqual(outcome._tag, tag)
    assert.strictEqual(outcome._tag === "Refused" ? outcome.kind : null, kind)
  })

  it.each(before)("%j, before the leg was asked for, is %s", (answer, kind) => {
    assert.deepInclude(beforeTheLeg(answer), { _tag: "Refused", kind })
  })

  it("is read of what the SDK throws", () => {
    const meta = { sip_status_code: "486", sip_status: "Busy Here" }
    assert.deepStrictEqual(answerOf(new SipCallError("", "", 412, "failed_precondition", meta)), sip(486, "Busy Here"))
    assert.deepStrictEqual(answerOf(new ServerError("", "", 503, "unavailable")), failed(503, "unavailable"))
    const refused = new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } })
    assert.deepStrictEqual(answerOf(refused), { _tag: "NotSent" })
    const reset = new TypeError("fetch failed", { cause: { code: "ECONNRESET" } })
    for (const thrown of [reset, new DOMException("", "TimeoutError"), "odd"]) {
      assert.deepStrictEqual(answerOf(thrown), { _tag: "Lost" })
    }
  })
})
