import { expect, test } from "vitest"
import { EventRate } from "../../src/clock/EventRate.ts"

test("counts by the second, and says the last figure in between", () => {
  let real = 10
  let events = 0
  const rate = new EventRate(
    () => events,
    () => real,
  )
  const after = (ms: number, more: number) => {
    real += ms
    events += more
    return rate.read()
  }
  expect(after(999, 50)).toBe(0)
  expect(after(1, 50)).toBe(100)
  expect(after(500, 1_000)).toBe(100)
  expect(after(1_500, 0)).toBe(500)
})
