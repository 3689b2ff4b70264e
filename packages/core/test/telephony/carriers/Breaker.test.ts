import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  answers,
  asks,
  type BreakerPolicy,
  type BreakerState,
  closed,
  heard,
  trialLeft,
  unheard,
} from "../../../src/telephony/carriers/rules/Breaker.ts"

const policy: BreakerPolicy = { failures: 3, awayMs: 1_000, maxAwayMs: 8_000 }

const failing = (times: number, now: number): BreakerState =>
  Array.from({ length: times }).reduce<BreakerState>((state) => unheard(state, policy, false, now), closed)

/** Asks at a time, as a dial that is not heard. */
const fails = (state: BreakerState, now: number): BreakerState => {
  const asked = asks(state, policy, now)
  return asked.answer._tag === "Away" ? asked.state : unheard(asked.state, policy, asked.answer._tag === "Trial", now)
}

describe("a carrier", () => {
  it("is away after so many dials in a row that it did not hear, and not before", () => {
    expect(asks(failing(2, 0), policy, 0).answer).toEqual({ _tag: "Pass" })
    expect(asks(failing(3, 0), policy, 0).answer).toEqual({ _tag: "Away", waitMs: 1_000 })
    const between = unheard(heard(), policy, false, 0)
    expect(between.failed).toBe(1)
  })

  it("is tried by one dial at a time, in distances that double up to the longest", () => {
    let state = failing(3, 0)
    let now = 0
    const distances: Array<number> = []
    for (let trial = 0; trial < 6; trial++) {
      const away = asks(state, policy, now).answer
      if (away._tag !== "Away") throw new Error("it is not away")
      distances.push(away.waitMs)
      now += away.waitMs
      const tried = asks(state, policy, now)
      expect(tried.answer).toEqual({ _tag: "Trial" })
      expect(asks(tried.state, policy, now).answer._tag).toBe("Away")
      state = unheard(tried.state, policy, true, now)
    }
    expect(distances).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
  })

  it("is there again once it has heard one dial, and one that began before changes nothing", () => {
    const away = failing(3, 0)
    expect(unheard(away, policy, false, 500)).toEqual(away)
    expect(asks(heard(), policy, 500).answer).toEqual({ _tag: "Pass" })
  })

  it("is tried by the next dial where a trial was given up, or died with its process", () => {
    const { state } = asks(failing(3, 0), policy, 1_000)
    expect(asks(trialLeft(state), policy, 1_000).answer).toEqual({ _tag: "Trial" })
    expect(asks(state, policy, 1_000 + policy.maxAwayMs).answer).toEqual({ _tag: "Trial" })
  })

  it("may be tried at once where it answers something else; that alone does not show that it takes dials", () => {
    const away = unheard(asks(failing(3, 0), policy, 1_000).state, policy, true, 1_000)
    expect(asks(away, policy, 1_500).answer._tag).toBe("Away")
    const answering = answers(away, 1_500)
    const tried = asks(answering, policy, 1_500)
    expect(tried.answer).toEqual({ _tag: "Trial" })
    expect(unheard(tried.state, policy, true, 1_600).awayUntil).toBe(1_600 + 4_000)
    expect(answers(closed, 1_500)).toEqual(closed)
    expect(answers(away, 1_000_000)).toEqual(away)
  })

  it("that never hears is asked ever less often, whoever asks how often", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 300 }), (steps) => {
        let state = closed
        let now = 0
        let asked = 0
        for (const step of steps) {
          now += step
          const before = state
          state = fails(state, now)
          if (state !== before) asked += 1
        }
        // The first ones, and one for each distance that has passed since.
        const distances = [1_000, 2_000, 4_000]
        let left = now
        let trials = 0
        while (left >= 0) left -= distances[trials++] ?? 8_000
        expect(asked).toBeLessThanOrEqual(policy.failures + trials)
      }),
    )
  })
})
