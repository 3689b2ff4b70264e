import { assert, describe, it } from "vitest"
import { dialOutcome, refusals } from "../src/Refusals.ts"

const sid = "v3:leg"
const answered = (
  status: number,
  code: string | null = null,
  pointer: string | null = null,
  retryAfter: string | null = null,
) => ({ _tag: "Answered", status, error: code === null ? null : { code, pointer }, retryAfter, body: "" }) as const

/** Telnyx's errors at a dial, and what they are to us: the whole table, once more and by hand. */
const rows = [
  ["10001", "invalid_destination"],
  ["10002", "invalid_destination"],
  ["10016", "invalid_destination"],
  ["10003", "rejected"],
  ["10004", "rejected"],
  ["10005", "rejected"],
  ["10006", "rejected"],
  ["10009", "rejected"],
  ["10010", "rejected"],
  ["10013", "rejected"],
  ["10014", "rejected"],
  ["10015", "rejected"],
  ["10017", "rejected"],
  ["20100", "rejected"],
] as const

describe("what became of a dial", () => {
  it.each(rows)("an error %s is refused as %s", (code, kind) => {
    for (const status of [400, 401, 403, 404, 422]) {
      assert.deepStrictEqual(dialOutcome(answered(status, code), null), { _tag: "Refused", kind })
      assert.deepStrictEqual(dialOutcome(answered(status, code, "/to"), null), { _tag: "Refused", kind })
    }
  })

  it("has each of these rows and no other", () => {
    assert.sameMembers(
      Object.keys(refusals),
      rows.map(([code]) => code),
    )
  })

  it("takes no fault of the caller's own number for one of the callee's", () => {
    for (const code of ["10001", "10002", "10016"]) {
      assert.deepStrictEqual(dialOutcome(answered(422, code, "/from"), null), { _tag: "Refused", kind: "rejected" })
    }
  })

  it("is accepted with the id of its leg, and not known without", () => {
    assert.deepStrictEqual(dialOutcome(answered(200), sid), { _tag: "Accepted", call_sid: sid })
    assert.deepStrictEqual(dialOutcome(answered(200), null), { _tag: "Unknown" })
  })

  it("is refused for now with the seconds that Telnyx says, where it says them so", () => {
    const throttled = (retryAfterSeconds: number | null) =>
      ({ _tag: "Refused", kind: "throttled", retryAfterSeconds }) as const
    for (const [header, seconds] of [
      ["7", 7],
      [" 7 ", 7],
      [null, null],
      ["soon", null],
      ["-1", null],
      ["Wed, 21 Oct 2026 07:28:00 GMT", null],
    ] as const) {
      assert.deepStrictEqual(dialOutcome(answered(429, null, null, header), null), throttled(seconds))
      assert.deepStrictEqual(dialOutcome(answered(403, "10011", null, header), null), throttled(seconds))
    }
  })

  it.each([300, 302, 408, 409, 425, 500, 502, 503, 504])("a status %i denies nothing", (status) => {
    assert.deepStrictEqual(dialOutcome(answered(status), null), { _tag: "Unknown" })
  })

  it("a duplicate denies nothing, and what nobody knows is for its operator to mend", () => {
    assert.deepStrictEqual(dialOutcome(answered(422, "10012"), null), { _tag: "Unknown" })
    assert.deepStrictEqual(dialOutcome(answered(422, "99999"), null), { _tag: "Refused", kind: "rejected" })
    assert.deepStrictEqual(dialOutcome(answered(402), null), { _tag: "Refused", kind: "rejected" })
  })

  it("is refused where nothing was sent, and unknown where it may have been", () => {
    assert.deepStrictEqual(dialOutcome({ _tag: "NotSent" }, null), { _tag: "Refused", kind: "unreachable" })
    assert.deepStrictEqual(dialOutcome({ _tag: "Lost" }, null), { _tag: "Unknown" })
  })
})
