import { expect, it } from "vitest"
import { fileDice, howToRepeat } from "../dice.ts"
import { seed } from "../seed.ts"

const dice = fileDice()

const drawn: Array<ReadonlyArray<number>> = []

it.each(["first", "second"])("every test draws from the beginning: the same name, the same draws", () => {
  drawn.push(Array.from({ length: 50 }, dice.unit))
  expect(drawn.at(-1)).toEqual(drawn[0])
  expect(new Set(drawn[0]).size).toBe(50)
})

it("another test draws otherwise, within its bounds", () => {
  expect(dice.unit()).not.toBe(drawn[0]?.[0])
  const throws = Array.from({ length: 500 }, () => dice.between(2, 4))
  expect(new Set(throws)).toEqual(new Set([2, 3, 4]))
  expect(new Set(Array.from({ length: 100 }, () => dice.oneOf(["a", "b"])))).toEqual(new Set(["a", "b"]))
})

it("a failure is told with the seed and the file", () => {
  expect(howToRepeat("it fails", "a/test/It.test.ts", 3)).toBe(
    `"it fails" has drawn 3 times. The same draws again: CARILLON_SEED=${seed} npm test -- a/test/It.test.ts`,
  )
})
