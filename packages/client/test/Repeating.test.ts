import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { mintIdempotencyKey, readRetryAfter, unusableParam, waitMs } from "../src/Repeating.ts"

const attempts = fc.record({
  repeatable: fc.boolean(),
  sent: fc.integer({ min: 1, max: 6 }),
  retries: fc.integer({ min: 0, max: 5 }),
  longestWaitMs: fc.integer({ min: 0, max: 120_000 }),
  chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
})

const outcomes = fc.record({
  status: fc.option(fc.constantFrom(200, 302, 400, 404, 408, 409, 422, 429, 500, 502, 503, 504)),
  retryAfterMs: fc.option(fc.integer({ min: 0, max: 120_000 })),
})

describe("sending again", () => {
  it("never repeats what may have done harm", () => {
    fc.assert(
      fc.property(attempts, outcomes, (attempt, outcome) => {
        const nothingWasDone = outcome.status === 429 || (outcome.status === 409 && outcome.retryAfterMs !== null)
        fc.pre(!nothingWasDone)
        assert.isNull(waitMs({ ...attempt, repeatable: false }, outcome))
      }),
    )
  })

  it("never comes sooner than it is asked to, nor later than it may", () => {
    fc.assert(
      fc.property(attempts, outcomes, (attempt, outcome) => {
        const wait = waitMs(attempt, outcome)
        if (wait === null) return
        assert.isAtLeast(wait, outcome.retryAfterMs ?? 0)
        assert.isAtMost(wait, attempt.longestWaitMs)
        assert.isAbove(wait, 0)
      }),
    )
  })

  it("ends", () => {
    fc.assert(
      fc.property(attempts, outcomes, (attempt, outcome) => {
        assert.isNull(waitMs({ ...attempt, sent: attempt.retries + 1 }, outcome))
      }),
    )
  })

  it("takes answers that stay the same as final", () => {
    for (const status of [200, 302, 400, 404, 409, 422, 500]) {
      const attempt = { repeatable: true, sent: 1, retries: 2, longestWaitMs: 60_000, chance: 0 }
      assert.isNull(waitMs(attempt, { status, retryAfterMs: null }), String(status))
    }
  })

  it("waits longer each time, up to eight seconds", () => {
    const waits = [1, 2, 3, 4, 5, 6].map((sent) =>
      waitMs(
        { repeatable: true, sent, retries: 9, longestWaitMs: 60_000, chance: 0 },
        { status: null, retryAfterMs: null },
      ),
    )
    assert.deepStrictEqual(waits, [500, 1000, 2000, 4000, 8000, 8000])
  })
})

describe("what a client reads and writes", () => {
  it("reads Retry-After as seconds and as a date", () => {
    const now = Date.parse("2026-01-05T09:00:00Z")
    assert.deepStrictEqual(
      ["7", "0", "Mon, 05 Jan 2026 09:00:03 GMT", "Mon, 05 Jan 2026 08:00:00 GMT", "soon", "", null, undefined].map(
        (text) => readRetryAfter(text, now),
      ),
      [7000, 0, 3000, 0, null, null, null, null],
    )
  })

  it("mints keys that differ", () => {
    assert.lengthOf(new Set(Array.from({ length: 100 }, mintIdempotencyKey)), 100)
  })

  it("knows identifiers that would lead elsewhere", () => {
    for (const value of ["", ".", ".."])
      assert.strictEqual(unusableParam({ agent_id: "agt_1", version_id: value }), "version_id")
    assert.isNull(unusableParam({ agent_id: "a/../b" }))
    assert.isNull(unusableParam(undefined))
  })
})
