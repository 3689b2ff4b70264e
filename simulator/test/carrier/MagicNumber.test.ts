import * as fc from "fast-check"
import { expect, test } from "vitest"
import { magicScript, readMagic } from "../../src/carrier/MagicNumber.ts"

const twoDigits = fc.integer({ min: 0, max: 99 })
const padded = (value: number, length: number) => String(value).padStart(length, "0")

test("a long number tells its outcome and parameter, whatever its serial", () => {
  fc.assert(
    fc.property(twoDigits, twoDigits, fc.integer({ min: 0, max: 99_999_999 }), (outcome, parameter, serial) => {
      const number = `+999${padded(outcome, 2)}${padded(parameter, 2)}${padded(serial, 8)}`
      expect(readMagic(number)).toEqual({ outcome, parameter })
      expect(readMagic(number.slice(0, -1))).toBeNull()
    }),
  )
})

test("a number for people has parameter 1", () => {
  expect(readMagic("+15555550142")).toEqual({ outcome: 42, parameter: 1 })
  expect(readMagic("+15555550242")).toBeNull()
  expect(readMagic("+12125550142")).toBeNull()
})

test("an attempt is busy, unanswered or failed PP times and then completed", () => {
  fc.assert(
    fc.property(fc.constantFrom(10, 11, 12), twoDigits, fc.nat(200), (outcome, parameter, attempt) => {
      const expected = attempt < parameter ? { 10: "busy", 11: "no-answer", 12: "failed" }[outcome] : "completed"
      expect(magicScript({ outcome, parameter }, attempt)?.result).toBe(expected)
    }),
  )
})

test("the table defines these outcomes and no others", () => {
  const defined = Array.from({ length: 100 }, (_, outcome) => outcome).filter(
    (outcome) => magicScript({ outcome, parameter: 0 }, 0) !== null,
  )
  expect(defined).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 20, 21, 22, 23, 24, 25, 30, 31, 32, 33, 40, 41, 42, 43, 50, 60,
  ])
})
