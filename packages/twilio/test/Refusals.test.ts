import { assert, describe, it } from "vitest"
import { dialOutcome, refusals } from "../src/Refusals.ts"

const sid = `CA${"1".repeat(32)}`
const answered = (status: number, code: number | null = null, retryAfter: string | null = null) =>
  ({ _tag: "Answered", status, error: code, retryAfter, body: "" }) as const

/** Twilio's errors at the creation of a call, and what they are to us: the whole table, once more and by hand. */
const rows = [
  [21201, "invalid_destination"],
  [21202, "invalid_destination"],
  [21203, "invalid_destination"],
  [21211, "invalid_destination"],
  [21214, "invalid_destination"],
  [21215, "invalid_destination"],
  [21216, "invalid_destination"],
  [21217, "invalid_destination"],
  [21219, "invalid_destination"],
  [13223, "invalid_destination"],
  [13224, "invalid_destination"],
  [13225, "invalid_destination"],
  [13226, "invalid_destination"],
  [13227, "invalid_destination"],
  [21205, "rejected"],
  [21206, "rejected"],
  [21208, "rejected"],
  [21209, "rejected"],
  [21210, "rejected"],
  [21212, "rejected"],
  [21213, "rejected"],
  [21218, "rejected"],
  [20003, "rejected"],
  [20005, "rejected"],
  [20006, "rejected"],
  [20008, "rejected"],
  [20404, "rejected"],
  [10001, "rejected"],
  [10002, "rejected"],
  [10005, "rejected"],
] as const

describe("what became of a dial", () => {
  it.each(rows)("an error %i is refused as %s", (code, kind) => {
    for (const status of [400, 401, 403, 404]) {
      assert.deepStrictEqual(dialOutcome(answered(status, code), null), { _tag: "Refused", kind })
    }
  })

  it("has each of these rows and no other", () => {
    assert.sameMembers(
      Object.keys(refusals).map(Number),
      rows.map(([code]) => code),
    )
  })

  it("is accepted with the SID of its leg, and not known without", () => {
    assert.deepStrictEqual(dialOutcome(answered(201), sid), { _tag: "Accepted", call_sid: sid })
    assert.deepStrictEqual(dialOutcome(answered(201), null), { _tag: "Unknown" })
  })

  it.each([
    [429, null, "3", 3],
    [429, 20429, null, null],
    [429, 21211, "Wed, 21 Oct 2015 07:28:00 GMT", null],
    [400, 10004, "10", 10],
    [403, 20429, null, null],
  ])("%i with code %j waits for %j", (status, code, header, retryAfterSeconds) => {
    const throttled = { _tag: "Refused", kind: "throttled", retryAfterSeconds } as const
    assert.deepStrictEqual(dialOutcome(answered(status, code, header), null), throttled)
  })

  it.each([302, 307, 408, 409, 425, 500, 502, 503, 504])("%i says nothing of the leg", (status) => {
    for (const code of [null, 20003, 21211, 20429])
      assert.deepStrictEqual(dialOutcome(answered(status, code), null), { _tag: "Unknown" })
  })

  it("a call that was initiated already is not denied", () => {
    assert.deepStrictEqual(dialOutcome(answered(400, 21204), null), { _tag: "Unknown" })
  })

  it.each([400, 401, 403, 404, 405, 422])(
    "%i with a code that nobody knows is refused, and not the contact's fault",
    (status) => {
      for (const code of [null, 99999, 21220])
        assert.deepStrictEqual(dialOutcome(answered(status, code), null), { _tag: "Refused", kind: "rejected" })
    },
  )

  it("is unreachable where no connection was made, and not known where one was lost", () => {
    assert.deepStrictEqual(dialOutcome({ _tag: "NotSent" }, null), { _tag: "Refused", kind: "unreachable" })
    assert.deepStrictEqual(dialOutcome({ _tag: "Lost" }, null), { _tag: "Unknown" })
  })

  it("is never said to be the customer's wallet", () => {
    for (const { kind } of Object.values(refusals)) assert.notStrictEqual(kind, "insufficient_funds")
  })
})
