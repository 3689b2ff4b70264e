import { SlidingWindow } from "@carillon/core/domain"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Denials } from "../src/Denials.ts"

const epoch = Date.UTC(2026, 0, 5, 9)

describe("what is known to be refused", () => {
  it("is refused exactly until it could pass, with the figures of the counters", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(20_000), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 0, max: 6 }),
        (steps, limit) => {
          const denials = new Denials(10)
          let state = SlidingWindow.emptyWindow
          let now = epoch
          for (const step of steps) {
            now += step
            const expected = SlidingWindow.hit(state, limit, now)
            const denied = denials.get("key", limit, now)
            // A refusal is remembered for as long as it lasts, and nothing that passes is refused.
            if (denied !== undefined) {
              const { state: _, ...figures } = expected
              assert.deepStrictEqual(SlidingWindow.peek(denied, limit, now), figures)
              assert.isFalse(expected.allowed)
            } else if (!expected.allowed) denials.set("key", limit, now, expected.state)
            state = expected.state
          }
        },
      ),
    )
  })

  it("asks again at the first millisecond at which a request passes, and not before", () => {
    const limit = 2
    const full = SlidingWindow.hit(SlidingWindow.hit(SlidingWindow.emptyWindow, limit, epoch).state, limit, epoch).state
    const until = SlidingWindow.deniedUntil(full, limit, epoch)
    const denials = new Denials(10)
    denials.set("key", limit, epoch, full)
    assert.isDefined(denials.get("key", limit, until - 1))
    assert.isUndefined(denials.get("key", limit, until))
    assert.isTrue(SlidingWindow.hit(full, limit, until).allowed)
  })

  it("holds for one ceiling only, and gives way where there are too many", () => {
    const state = { window: Math.floor(epoch / 60_000), current: 5, previous: 0 }
    const denials = new Denials(2)
    denials.set("a", 5, epoch, state)
    assert.isUndefined(denials.get("a", 6, epoch))
    for (const key of ["a", "b", "c"]) denials.set(key, 5, epoch, state)
    assert.deepStrictEqual(
      ["a", "b", "c"].map((key) => denials.get(key, 5, epoch) !== undefined),
      [false, true, true],
    )
  })
})
