import { assert, describe, it } from "vitest"
import { answerers, callStatuses, isMachine, meaningOf, priceOf, secondsOf, timeOf } from "../src/CallWords.ts"

const words = { status: "completed", seconds: 12, answeredBy: null, sipCode: null } as const

describe("what Twilio's words mean", () => {
  it.each([
    ["queued", "initiated"],
    ["initiated", "initiated"],
    ["ringing", "ringing"],
    ["in-progress", "answered"],
  ] as const)("%s is the phase %s", (status, phase) => {
    assert.deepStrictEqual(meaningOf({ ...words, status }), { phase })
  })

  it.each([
    ["completed", "completed", null, 12],
    ["busy", "busy", "dial_busy", 0],
    ["no-answer", "no-answer", "dial_no_answer", 0],
    ["failed", "failed", "dial_failed", 0],
    ["canceled", "stopped", "user_request", 0],
  ] as const)("%s is the end %s", (status, ours, hangup_reason, duration_seconds) => {
    const end = { status: ours, hangup_reason, duration_seconds }
    assert.deepInclude(meaningOf({ ...words, status }), {
      end: { ...end, answered_by_voicemail: null, hangup_by: null, error: null },
    })
  })

  it.each([
    ["human", "completed", null, false],
    ["machine_start", "no-answer", "voicemail_reached", true],
    ["machine_end_beep", "no-answer", "voicemail_reached", true],
    ["machine_end_silence", "no-answer", "voicemail_reached", true],
    ["machine_end_other", "no-answer", "voicemail_reached", true],
    ["machine", "no-answer", "voicemail_reached", true],
    ["fax", "no-answer", null, false],
    ["unknown", "completed", null, null],
    ["", "completed", null, null],
  ] as const)("completed, and %s answered, is %s", (answeredBy, status, hangup_reason, answered_by_voicemail) => {
    const end = { status, hangup_reason, answered_by_voicemail, duration_seconds: 12, hangup_by: null, error: null }
    assert.deepStrictEqual(meaningOf({ ...words, answeredBy }), { end })
  })

  it.each(["404", "410", "484", "604"])("failed with SIP %s is a number that does not exist", (sipCode) => {
    const meaning = meaningOf({ ...words, status: "failed", sipCode })
    assert("end" in meaning)
    assert.deepInclude(meaning.end, { status: "failed", hangup_reason: "invalid_destination" })
  })

  it.each(["480", "486", "500", "503", null])("failed with SIP %s says nothing of the number", (sipCode) => {
    const meaning = meaningOf({ ...words, status: "failed", sipCode })
    assert("end" in meaning)
    assert.strictEqual(meaning.end.hangup_reason, "dial_failed")
  })

  it("has a row for every word", () => {
    for (const status of callStatuses) assert.isObject(meaningOf({ ...words, status }))
    for (const answeredBy of answerers) assert.include([true, false, null], isMachine(answeredBy))
  })
})

describe("what Twilio writes as text", () => {
  const call = { sid: "CA1", status: "completed" } as const
  it.each([
    [
      { price: "-0.01400", price_unit: "usd" },
      { amount: 0.014, currency: "USD" },
    ],
    [
      { price: "0", price_unit: "EUR" },
      { amount: 0, currency: "EUR" },
    ],
    [{ price: null, price_unit: "USD" }, null],
    [{ price: "", price_unit: "USD" }, null],
    [{ price: "free" }, null],
    [{}, null],
  ])("the price of %j", (fields, price) => {
    assert.deepStrictEqual(priceOf({ ...call, ...fields }), price)
  })

  it("reads seconds and times, and nothing where there are none", () => {
    assert.deepStrictEqual(["15", "0", "", null, undefined, "-1", "x"].map(secondsOf), [
      15,
      0,
      null,
      null,
      null,
      null,
      null,
    ])
    assert.strictEqual(timeOf("Tue, 31 Aug 2010 20:36:28 +0000"), Date.UTC(2010, 7, 31, 20, 36, 28))
    assert.deepStrictEqual(["", null, "soon"].map(timeOf), [null, null, null])
  })
})
