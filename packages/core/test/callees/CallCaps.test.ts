import { assert, describe, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import type { Callee } from "@carillon/core/ports"
import * as fc from "fast-check"
import { type CallCaps, cappedMessage, cappedUntil } from "../../src/callees/rules/CallCaps.ts"
import { countingDial, uncountingDial } from "../../src/callees/steps/CountedDials.ts"
import { unknownCallee } from "../../src/callees/rules/Suppression.ts"
import { sampleCall } from "../../src/testing/Samples.ts"

const organizationId = "org_one"
const number = "+15551234567"
const second = 1_000
const hour = 3_600 * second
const day = 24 * hour

const none: CallCaps = {
  per_day: null,
  per_week: null,
  per_thirty_days: null,
  minimum_rest_seconds: null,
  updated_at: 0,
}

const callAt = (at: number, execution_id = `exec_${at}`) =>
  sampleCall(organizationId, { execution_id, to_number: number, due_at: at + limits.questionDelayMs })

/** The callee after a dial at a time. */
const dialled = (callee: Callee | null, at: number, caps: CallCaps = none): Callee => {
  const [change] = countingDial(caps, callee, callAt(at))
  if (change?.put !== "callee") throw new Error("nothing is counted")
  return change.row
}

const after = (...times: ReadonlyArray<number>): Callee | null =>
  times.reduce<Callee | null>((callee, at) => dialled(callee, at), null)

describe("call caps", () => {
  it("allow so many calls in any stretch, to the millisecond", () => {
    const caps = { ...none, per_day: 2 }
    assert.isNull(cappedUntil(null, caps, 0))
    assert.isNull(cappedUntil(after(0), caps, hour))
    assert.strictEqual(cappedUntil(after(0, hour), caps, 2 * hour), day)
    assert.strictEqual(cappedUntil(after(0, hour), caps, day - 1), day)
    assert.isNull(cappedUntil(after(0, hour), caps, day))
    assert.strictEqual(cappedUntil(after(0, hour), { ...caps, per_week: 2 }, day), 7 * day)
    assert.strictEqual(cappedUntil(after(0, hour), { ...none, per_thirty_days: 1 }, 2 * hour), 30 * day + hour)
  })

  it("keep a rest between two calls", () => {
    const caps = { ...none, minimum_rest_seconds: 90 }
    assert.strictEqual(cappedUntil(after(0), caps, 89 * second), 90 * second)
    assert.isNull(cappedUntil(after(0), caps, 90 * second))
  })

  it("bind nobody who has none, and then nothing is counted", () => {
    assert.isNull(cappedUntil(after(0, 1, 2), undefined, 3))
    assert.isNull(cappedUntil(after(0, 1, 2), none, 3))
    assert.deepStrictEqual(countingDial(undefined, null, callAt(0)), [])
  })

  it("count a call once, and no more once it is taken back", () => {
    const once = dialled(null, 5)
    assert.deepStrictEqual(once.attempts, [{ execution_id: "exec_5", at: 5 }])
    const [again] = countingDial(none, once, callAt(9, "exec_5"))
    assert.deepInclude(again, {
      put: "callee",
      row: { ...once, revision: 2, attempts: [{ execution_id: "exec_5", at: 9 }] },
    })
    const [undone] = uncountingDial(once, { execution_id: "exec_5" })
    assert.deepInclude(undone, { put: "callee", row: { ...once, revision: 2, attempts: [] } })
    for (const callee of [null, unknownCallee(organizationId, number), once]) {
      assert.deepStrictEqual(uncountingDial(callee, { execution_id: "exec_other" }), [])
    }
  })

  it("remember a bounded number of calls, and none that no cap can count", () => {
    const many = Array.from({ length: limits.callCapAttemptsKept + 5 }, (_, nth) => nth)
    assert.strictEqual(after(...many)?.attempts?.length, limits.callCapAttemptsKept)
    assert.deepStrictEqual(after(0, 1, 30 * day)?.attempts, [
      { execution_id: "exec_1", at: 1 },
      { execution_id: `exec_${30 * day}`, at: 30 * day },
    ])
  })

  it("say from when on", () => {
    const message =
      "This number was called as often as the call caps allow: it may be called again at 1970-01-02T00:00:00.000Z."
    assert.strictEqual(cappedMessage(day), message)
  })

  it("are kept by who asks before each dial, by a count of all dials, and never ask for more than that", () => {
    const most = fc.option(fc.integer({ min: 1, max: 4 }), { nil: null })
    const caps = fc.record({
      per_day: most,
      per_week: most,
      per_thirty_days: most,
      minimum_rest_seconds: fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: null }),
      updated_at: fc.constant(0),
    })
    const steps = fc.array(fc.integer({ min: 1, max: 40 * hour }), { maxLength: 60 })
    fc.assert(
      fc.property(caps, steps, (cap, waits) => {
        const times: Array<number> = []
        let callee: Callee | null = null
        let now = 0
        for (const wait of waits) {
          now += wait
          const within = (ms: number) => times.filter((at) => at > now - ms).length
          const isFull =
            (cap.per_day !== null && within(day) >= cap.per_day) ||
            (cap.per_week !== null && within(7 * day) >= cap.per_week) ||
            (cap.per_thirty_days !== null && within(30 * day) >= cap.per_thirty_days) ||
            (cap.minimum_rest_seconds !== null && within(cap.minimum_rest_seconds * second) > 0)
          const until = cappedUntil(callee, cap, now)
          assert.strictEqual(until !== null, isFull)
          if (until !== null) {
            assert.isNull(cappedUntil(callee, cap, until))
            continue
          }
          times.push(now)
          callee = dialled(callee, now, cap)
        }
      }),
    )
  })
})
