import { expect, test } from "vitest"
import { isSteady } from "../src/Steady.ts"

test("a figure that still falls is not steady, and one that stands is", () => {
  expect(isSteady([499, 275, 254, 190, 150, 120])).toBe(false)
  expect(isSteady([499, 275, 254, 190, 191, 189, 192, 188, 190])).toBe(true)
})

test("five rounds are too few", () => {
  expect(isSteady([1, 1, 1, 1, 1])).toBe(false)
})

test("a figure that grows is not steady", () => {
  expect(isSteady([100, 101, 102, 120, 121, 122])).toBe(false)
})

test("what disturbs a round makes it worse, and does not count", () => {
  expect(isSteady([100, 180, 102, 260, 101, 140])).toBe(true)
})
