import { assert, describe, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import { numbersOfFile } from "@carillon/core/domain"
import { Effect } from "effect"

const numbers = (text: string, callingCode: string | null = null) =>
  numbersOfFile({ name: "list.csv", bytes: new TextEncoder().encode(text) }, callingCode)

const refusal = (text: string, callingCode: string | null = null) =>
  Effect.map(Effect.flip(numbers(text, callingCode)), (error) => ("reason" in error ? error.reason : error.message))

describe("a file of numbers", () => {
  it.effect("has them in the column that its header names, or one in each line", () =>
    Effect.gen(function* () {
      const both = ["+15555550100", "+15555550101"]
      assert.deepStrictEqual(yield* numbers('name,Phone\n"Doe, Jane",+1 555 555-0100\nx,15555550101\n'), both)
      assert.deepStrictEqual(yield* numbers("\ufeff+15555550100\r\n\r\n+15555550101"), both)
    }),
  )

  it.effect("is taken as public lists come: area codes in a column of their own, national numbers with a zero", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* numbers("555,5550100\n555,5550101\n", "1"), ["+15555550100", "+15555550101"])
      assert.deepStrictEqual(yield* numbers("01632 960001\n+441632960002\n", "+44"), ["+441632960001", "+441632960002"])
    }),
  )

  it.effect("is refused as a whole, and says where it is wrong", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal("number\n+15555550100\nx\n1\n"), "lines 3, 4: no number of 7 to 15 digits")
      const many = Array.from({ length: limits.namedFaults + 2 }, () => "1").join("\n")
      assert.include(yield* refusal(many), "and 2 more")
      assert.strictEqual(yield* refusal("number\n"), "The uploaded file has no numbers.")
      assert.strictEqual(
        yield* refusal('number\n"+15555550100'),
        "The uploaded file has a quote on line 2 that is never closed.",
      )
      assert.strictEqual(yield* refusal("+15555550100", "0044"), "must be one to three digits")
      assert.strictEqual(yield* refusal(`${"1".repeat(20_000)}\n`), "line 1 has more than 10000 characters")
    }),
  )

  it.effect("names the header in which no column has numbers", () =>
    Effect.gen(function* () {
      assert.include(
        yield* refusal("telephone,name\n+15555550100,Bob\n"),
        "the header 'telephone,name' names no column",
      )
    }),
  )

  it.effect.each<readonly [text: string, code: string | null, number: string | null]>([
    // Columns are put together only where that is a number for sure.
    ["+447700900123,5", null, null],
    ["202,5550123", null, null],
    ["2025550123,2024", "1", null],
    ["202,555-0123", "1", "+12025550123"],
    ["20,79460000", "44", null],
    ["+12025550123,,", null, "+12025550123"],
    // North American numbers have ten digits, and may have their calling code before them.
    ["12025550123", "1", "+12025550123"],
    ["1-202-555-0199", "1", "+12025550199"],
    ["5550123", "1", null],
    ["20255501234", "1", null],
    // What has its calling code already, or another one, is no national number.
    ["447700900999", "44", null],
    ["00447700900124", "44", null],
    ["07700 900124", "44", "+447700900124"],
    ["7700 900124", "44", "+447700900124"],
    // The zero stays where it is a part of the number, and says nothing where nobody writes one.
    ["06 12345678", "39", "+390612345678"],
    ["0123456789", "225", "+2250123456789"],
    ["0612345678", "34", null],
    ["0123456789", "55", null],
    // What a spreadsheet has made of a number, and a zero that is left out abroad.
    ["12025550123.0", null, null],
    ["+44 (0)20 7946 0000", null, null],
    ["+49 30 123456", "44", "+4930123456"],
  ])("takes %s with the calling code %s for %s", ([text, code, number]) =>
    Effect.gen(function* () {
      const read: readonly (string | null)[] = yield* Effect.catch(numbers(`${text}\n`, code), () =>
        Effect.succeed([null]),
      )
      assert.deepStrictEqual(read, [number])
    }),
  )
})
