import * as fc from "fast-check"
import { expect, test } from "vitest"
import { isoDurationMs } from "../../src/control/IsoDuration.ts"

test("weeks, days, hours, minutes and seconds add up", () => {
  const count = fc.nat(500)
  fc.assert(
    fc.property(count, count, count, count, count, fc.nat(999), (weeks, days, hours, minutes, seconds, ms) => {
      const text = `P${weeks}W${days}DT${hours}H${minutes}M${seconds}.${String(ms).padStart(3, "0")}S`
      const expected = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1_000 + ms
      expect(isoDurationMs(text)).toBe(expected)
    }),
  )
})

test.each(["", "P", "PT", "P1DT", "P1M", "P1Y", "PT1", "1D", "P-1D", "PT1.5M", "PT1S ", "pt1s"])(
  "'%s' is none",
  (text) => {
    expect(isoDurationMs(text)).toBeNull()
  },
)
