import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { scheduleFault } from "../../src/calls/rules/ScheduleWindow.ts"

const now = Date.parse("2026-01-05T09:00:00Z")
const minute = 60_000
const day = 86_400_000

describe("scheduleFault", () => {
  it("takes 2 minutes and 30 days, both included", () => {
    expect(scheduleFault(now + 2 * minute, now)).toBeNull()
    expect(scheduleFault(now + 2 * minute - 1, now)).toBe("too_soon")
    expect(scheduleFault(now + 30 * day, now)).toBeNull()
    expect(scheduleFault(now + 30 * day + 1, now)).toBe("too_far")
    expect(scheduleFault(now - day, now)).toBe("too_soon")
  })

  it("takes exactly what lies between", () => {
    fc.assert(
      fc.property(fc.integer({ min: -40 * day, max: 40 * day }), (ahead) => {
        const expected = ahead < 2 * minute ? "too_soon" : ahead > 30 * day ? "too_far" : null
        expect(scheduleFault(now + ahead, now)).toBe(expected)
      }),
    )
  })
})
