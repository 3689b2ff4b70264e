import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Counts, estimate, remaining, retryAfterSeconds, windowMs } from "../../src/cases/rate/Window.ts"

/** The moments of requests, counted by hand in two adjacent minutes. */
const countsAt = (moments: ReadonlyArray<number>, now: number): Counts => {
  const window = Math.floor(now / windowMs)
  const within = (which: number) => moments.filter((moment) => Math.floor(moment / windowMs) === which).length
  return { previous: within(window - 1), current: within(window) }
}

const into = fc.integer({ min: 0, max: windowMs - 1 })
const counts = fc.record({ previous: fc.nat({ max: 700 }), current: fc.nat({ max: 700 }) })

describe("the window that a run expects", () => {
  it("weighs the examples of the formula", () => {
    expect(estimate({ previous: 600, current: 0 }, 0)).toBe(600)
    expect(estimate({ previous: 600, current: 100 }, 30_000)).toBe(400)
    expect(estimate({ previous: 600, current: 0 }, 59_999)).toBeCloseTo(0.01)
    expect(remaining(600, { previous: 600, current: 100 }, 30_000)).toBe(200)
    expect(remaining(600, { previous: 600, current: 600 }, 0)).toBe(0)
  })

  it("never weighs a request more as time passes within a minute", () => {
    fc.assert(
      fc.property(counts, into, into, (each, a, b) => {
        const [early, late] = a < b ? [a, b] : [b, a]
        expect(estimate(each, late)).toBeLessThanOrEqual(estimate(each, early))
      }),
    )
  })

  it("asks to wait exactly until one request would pass", () => {
    fc.assert(
      fc.property(counts, into, (each, at) => {
        const limit = 600
        fc.pre(estimate(each, at) >= limit)
        // The same counts as moments: all of the previous minute at its start, all of this one at the present.
        const now = 10 * windowMs + at
        const moments = [...Array(each.previous).fill(9 * windowMs), ...Array(each.current).fill(now)]
        const passes = (seconds: number) => {
          const then = now + seconds * 1_000
          return estimate(countsAt(moments, then), then % windowMs) < limit
        }
        const seconds = retryAfterSeconds(limit, each, at)
        expect(seconds === 60 || passes(seconds)).toBe(true)
        for (let sooner = 1; sooner < seconds; sooner++) expect(passes(sooner)).toBe(false)
      }),
      { numRuns: 60 },
    )
  })
})
