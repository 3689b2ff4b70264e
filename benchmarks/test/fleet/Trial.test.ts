import { describe, expect, it } from "vitest"
import { fullAgainAfter } from "../../src/fleet/Trial.ts"

describe("until all lines are used again after a fault at 10 s, looked at until 20 s", () => {
  const at = 10_000
  const until = 20_000
  const after = (...gaps: ReadonlyArray<readonly [number, number | null]>) =>
    fullAgainAfter(
      gaps.map(([from, to]) => ({ from, to })),
      at,
      until,
    )

  it("is no time where they never ceased to be, or only for as long as a dial takes", () => {
    expect(after()).toBe(0)
    expect(after([11_000, 11_900])).toBe(0)
  })

  it("goes to the end of the last long stretch, also of one that begins while the fault goes on", () => {
    expect(after([10_500, 12_500])).toBe(2_500)
    expect(after([10_500, 12_500], [16_000, 21_000])).toBe(11_000)
  })

  it("is not known while a stretch goes on, and has nothing to do with one that begins later", () => {
    expect(after([10_500, null])).toBe(null)
    expect(after([21_000, null], [20_000, 30_000])).toBe(0)
  })
})
