import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { isE164, maskDigits, quotable, readCsvNumber } from "../../src/phone/E164.ts"
import { codePoint } from "../../src/testing/CodePoint.ts"

const digit = fc.nat({ max: 9 }).map(String)
const number = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.string({ unit: digit, minLength: 6, maxLength: 14 }))
  .map(([first, rest]) => `+${first}${rest}`)

describe("isE164", () => {
  it("accepts a plus and 7 to 15 digits", () => {
    fc.assert(fc.property(number, (text) => assert.isTrue(isE164(text))))
    assert.isTrue(isE164("+1234567"))
    assert.isTrue(isE164("+123456789012345"))
  })

  it.each([
    "",
    "+",
    "+123456",
    "+1234567890123456",
    "+0123456789",
    "00919812345678",
    "919812345678",
    "\uff0b919812345678",
    "+\u0967\u0968\u0969\u096a\u096b\u096c\u096d",
    "+919812345678\u202c",
    "\u202d+919812345678",
    "+91 98123 45678",
    "+91-98123-45678",
    "+(91)9812345678",
    "+919812345678\n",
    " +919812345678",
    "++919812345678",
    "+9198123a45678",
    "+9.19812E+11",
    "tel:+919812345678",
    "+919812345678;ext=5",
    "911",
  ])("refuses %j", (text) => {
    assert.isFalse(isE164(text))
  })

  it("counts digits, not characters: any other character makes it no number", () => {
    fc.assert(
      fc.property(
        number,
        fc.nat(),
        fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }),
        (text, where, extra) => {
          fc.pre(!/^[0-9]$/.test(extra))
          const index = where % (text.length + 1)
          assert.isFalse(isE164(text.slice(0, index) + extra + text.slice(index)))
        },
      ),
    )
  })
})

describe("readCsvNumber", () => {
  const punctuation = fc.constantFrom(" ", ".", "-", "(", ")", "", "", "")

  it("finds the number under its punctuation, with or without the plus", () => {
    fc.assert(
      fc.property(number, fc.infiniteStream(punctuation), fc.boolean(), (text, between, keepsPlus) => {
        const written = [...(keepsPlus ? text : text.slice(1))]
          .map((each) => (between.next().value ?? "") + each)
          .join("")
        assert.strictEqual(readCsvNumber(written), text)
      }),
    )
  })

  it("gives an E.164 number or nothing", () => {
    const noise = fc.string({ unit: fc.oneof(digit, fc.constantFrom("+", " ", ".", "-", "(", ")", "x", "\u00a0")) })
    fc.assert(
      fc.property(noise, (cell) => {
        const found = readCsvNumber(cell)
        if (found !== null) assert.isTrue(isE164(found))
        const digits = cell.replaceAll(/[^0-9]/g, "")
        if (found !== null) assert.strictEqual(found, `+${digits}`)
        const isPlain = /^[ .()-]*\+?[0-9 .()-]*$/.test(cell)
        assert.strictEqual(found !== null, isPlain && /^[1-9][0-9]{6,14}$/.test(digits))
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    ["+1 (415) 555-0100", "+14155550100"],
    ["91.98123.45678", "+919812345678"],
    ["1234567", "+1234567"],
    ["123456", null],
    ["1234567890123456", null],
    ["", null],
    ["+", null],
    ["00 91 98123 45678", null],
    ["91+9812345678", null],
    ["9.19812E+11", null],
    ["'919812345678", null],
    ["=919812345678", null],
    ["919812345678/9", null],
  ])("%j is %j", (cell, expected) => {
    assert.strictEqual(readCsvNumber(cell), expected)
  })
})

describe("maskDigits", () => {
  it("leaves no run of seven digits, and touches nothing else", () => {
    const unit = fc.oneof(
      digit,
      digit,
      fc.constantFrom("\u0661", "\uff11", "\ud835\udfce", "a", "+", "-", " ", "\ud83d\ude00"),
    )
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const masked = [...maskDigits(units.join(""))]
        assert.strictEqual(masked.length, units.length)
        const isDigit = (text: string | undefined): boolean => text !== undefined && /^\p{Nd}$/u.test(text)
        for (const [index, unitAt] of units.entries()) {
          let first = index
          let last = index
          while (isDigit(units[first - 1])) first--
          while (isDigit(units[last + 1])) last++
          const isLong = isDigit(unitAt) && last - first + 1 >= 7
          assert.strictEqual(masked[index], isLong ? "*" : unitAt)
        }
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ["call +919812345678 now", "call +************ now"],
    ["123456", "123456"],
    ["1234567", "*******"],
    ["2026-01-05T09:00:00Z", "2026-01-05T09:00:00Z"],
    ["12345671234567 and 1234567", "************** and *******"],
  ])("%j becomes %j", (text, expected) => {
    assert.strictEqual(maskDigits(text), expected)
  })
})

describe("quotable", () => {
  it("is the first 64 characters of the masked value", () => {
    const unit = fc.oneof(digit, digit, digit, fc.constantFrom("a", " ", "\ud83d\ude00", "\u00e9"))
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 90, size: "max" }), (units) => {
        const value = units.join("")
        assert.strictEqual(quotable(value), [...maskDigits(value)].slice(0, 64).join(""))
      }),
      { numRuns: 500 },
    )
  })

  it("masks a number that the cut divides", () => {
    assert.strictEqual(quotable(`${"a".repeat(63)}1234567`), `${"a".repeat(63)}*`)
    assert.strictEqual(quotable(`${"a".repeat(63)}123456b`), `${"a".repeat(63)}1`)
    assert.strictEqual(quotable("abc"), "abc")
  })
})
