import { CallingWindow } from "@carillon/core/domain"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { isWithin } from "../../src/invariants/Hours.ts"

const minuteMs = 60_000

/** Moments around which the clocks are changed. */
const nights = [
  ["America/New_York", Date.UTC(2026, 2, 8, 7)],
  ["America/New_York", Date.UTC(2026, 10, 1, 6)],
  ["Europe/Berlin", Date.UTC(2026, 2, 29, 1)],
  ["Europe/Berlin", Date.UTC(2026, 9, 25, 1)],
  ["Australia/Lord_Howe", Date.UTC(2026, 3, 4, 15)],
  ["Asia/Kolkata", Date.UTC(2026, 5, 1)],
] as const

const hours = fc.option(
  fc
    .tuple(fc.nat(1_439), fc.nat(1_439))
    .filter(([start, end]) => start < end)
    .map(([start, end]) => ({ start, end })),
)

test("a window is the same by the zone's clocks as by the engine's tables", () => {
  const about = fc.integer({ min: -30 * 60 * minuteMs, max: 30 * 60 * minuteMs })
  const days = fc.array(hours, { minLength: 7, maxLength: 7 })
  fc.assert(
    fc.property(fc.constantFrom(...nights), about, days, ([timezone, night], by, days) => {
      const window = { timezone, days }
      expect(isWithin(window, night + by)).toBe(CallingWindow.isOpen(window, night + by))
    }),
    { numRuns: 500 },
  )
})
