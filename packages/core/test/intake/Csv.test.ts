import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { parse } from "csv-parse/sync"
import * as fc from "fast-check"
import { limits } from "@carillon/core"
import { type ContactIntake, CsvContacts, csvContacts } from "@carillon/core/domain"
import { Pacing } from "@carillon/core/ports"
import { csvError, type CsvFault } from "../../src/intake/rules/Csv.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Reads a file in pieces that end at the given places. */
const read = (bytes: Uint8Array, cuts: ReadonlyArray<number> = []): Result.Result<ContactIntake, CsvFault> => {
  const csv = new CsvContacts("list.csv")
  let from = 0
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    if (csv.push(bytes.subarray(from, cut)) !== null) break
    from = cut
  }
  return csv.finish()
}

const contactsIn = (text: string) => {
  const result = read(bytesOf(text))
  assert.isTrue(Result.isSuccess(result), JSON.stringify(result))
  return Result.isSuccess(result) ? result.success.contacts : []
}

const messageFor = (text: string | Uint8Array): string => {
  const result = read(typeof text === "string" ? bytesOf(text) : text)
  if (Result.isSuccess(result)) return ""
  const error = csvError(result.failure)
  return error._tag === "Malformed" ? `1000 ${error.message}` : `1001 ${error.field}: ${error.reason}`
}

const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "Ω", "😀", ",", '"', "\n", "\r", "\r\n", " ", "1"), maxLength: 8 }),
  fc.constantFrom("", "x", "two words"),
)

/** A cell as RFC 4180 writes it: quoted where it must be, or anyway. */
const written = (text: string, always: boolean): string =>
  always || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

const files = fc
  .record({
    rows: fc.array(fc.tuple(cell, cell, fc.boolean()), { minLength: 1, maxLength: 20 }),
    end: fc.constantFrom("\n", "\r\n", "\r"),
    mark: fc.boolean(),
    last: fc.boolean(),
    blank: fc.nat(3),
  })
  .map(({ rows, end, mark, last, blank }) => {
    const lines = rows.map(
      ([a, b, always], index) => `${written(a, always)},+1555000${1000 + index},${written(b, always)}`,
    )
    const text = ["a,phone,b", ...lines].join(end + end.repeat(blank % 2))
    return { rows, end, text: (mark ? "\u{FEFF}" : "") + text + (last ? end : "") }
  })

describe("a CSV of contacts", () => {
  it("is read as csv-parse reads it, wherever its bytes are cut", () => {
    fc.assert(
      fc.property(files, fc.array(fc.nat(), { maxLength: 6 }), ({ text, end }, cuts) => {
        const expected = parse(text, { bom: true, columns: true, skip_empty_lines: true, record_delimiter: end })
        const result = read(bytesOf(text), cuts)
        assert.isTrue(Result.isSuccess(result))
        if (Result.isFailure(result)) return
        assert.deepStrictEqual(
          result.success.contacts.map(({ to_number, variables }) => ({ phone: to_number, ...variables })),
          expected.map((row) => ({ ...(row as object) })),
        )
      }),
      { numRuns: 300 },
    )
  })

  it("names each wrong row by its physical line, up to twenty", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("good", "number", "short", "long", "after quote", "two lines"), {
          minLength: 1,
          maxLength: 60,
        }),
        (kinds) => {
          let line = 2
          const bad: Array<number> = []
          const rows = kinds.map((kind) => {
            if (kind !== "good" && kind !== "two lines") bad.push(line)
            line += kind === "two lines" ? 2 : 1
            switch (kind) {
              case "good":
                return "+15550001111,x"
              case "number":
                return "12345,x"
              case "short":
                return "+15550001111"
              case "long":
                return "+15550001111,x,y"
              case "after quote":
                return '"+15550001111"0,x'
              case "two lines":
                return '+15550001111,"x\nx"'
            }
          })
          const result = read(bytesOf(["number,b", ...rows].join("\n")))
          if (bad.length === 0) return assert.isTrue(Result.isSuccess(result))
          assert.deepStrictEqual(result, Result.fail({ kind: "bad_rows", lines: bad.slice(0, 20), count: bad.length }))
        },
      ),
    )
  })

  it("takes the first header that is a phone column, in any case, and leaves columns without a name out", () => {
    assert.deepStrictEqual(contactsIn("name,,MSISDN , phone\nAda,ignored,47 (555) 12-34.5,5\n"), [
      { to_number: "+4755512345", variables: { name: "Ada", phone: "5", callee_name: "Ada" } },
    ])
  })

  it("fills callee_name from name unless the file has that column, and sets no prototype", () => {
    const [own] = contactsIn("to_number,name,callee_name\n+15550001111,Ada,Countess\n")
    assert.deepStrictEqual(own?.variables, { name: "Ada", callee_name: "Countess" })
    const [odd] = contactsIn("to_number,__proto__\n+15550001111,x\n")
    assert.deepStrictEqual(Object.entries(odd?.variables ?? {}), [["__proto__", "x"]])
  })

  it("says what is wrong with the whole file", () => {
    assert.strictEqual(messageFor(""), "1000 The uploaded CSV file is empty.")
    assert.strictEqual(messageFor("\n\r\n"), "1000 The uploaded CSV file is empty.")
    assert.strictEqual(
      messageFor("a,b\n1,2\n"),
      "1000 The uploaded CSV file has no header with a column for the phone number.",
    )
    assert.strictEqual(messageFor("phone,b\n"), "1000 The uploaded CSV file has no contacts.")
    assert.strictEqual(
      messageFor("phone,b,b\n1,2,3\n"),
      "1000 The uploaded CSV file has the header 'b' more than once.",
    )
    assert.strictEqual(
      messageFor('phone,b\n+15550001111,"x\n'),
      "1000 The uploaded CSV file has a quote on line 2 that is never closed.",
    )
    assert.strictEqual(
      messageFor(new Uint8Array([112, 104, 111, 110, 101, 10, 0xff, 0xfe])),
      "1000 The uploaded CSV file is not UTF-8.",
    )
    assert.strictEqual(
      messageFor(bytesOf("phone\n+1555000111\u{e9}").slice(0, -1)),
      "1000 The uploaded CSV file is not UTF-8.",
    )
    assert.strictEqual(
      messageFor("phone\n1\n+15550001111\n2\n"),
      "1001 file: lines 2, 4: each row needs the columns of the header and a number of 7 to 15 digits",
    )
  })

  it("holds at most 50,000 contacts", () => {
    const rows = "+15550001111\n".repeat(50_000)
    assert.strictEqual(contactsIn(`phone\n${rows}`).length, 50_000)
    assert.strictEqual(messageFor(`phone\n${rows}+15550001111\n`), "1001 file: must have at most 50000 contacts")
  })

  it("says the name of a column once, and may still not describe more than a store could hold", () => {
    const rows = (count: number) => "+15550001111,x\n".repeat(count)
    const name = (characters: number) => "n".repeat(characters)
    assert.strictEqual(
      messageFor(`phone,${name(limits.contactBytes)}\n${rows(2)}`),
      `1001 file: the contact of line 2 must take at most ${limits.contactBytes} bytes of JSON`,
    )
    assert.match(messageFor(`phone,${name(limits.contactBytes / 2)}\n${rows(5_000)}`), /^1001 file: .* together$/)
    assert.strictEqual(contactsIn(`phone,${name(1_000)}\n${rows(50_000)}`).length, 50_000)
  })

  it("refuses a row or a header that goes on and on before it has all of it", () => {
    const tooLarge = (line: number) => `1001 file: the contact of line ${line} must take at most 65536 bytes of JSON`
    for (const cell of [
      (text: string) => text,
      (text: string) => `"${text}"`,
      (text: string) => `"${'""'.repeat(text.length / 2)}"`,
    ]) {
      assert.strictEqual(messageFor(`phone,note\n+15550001111,${cell("x".repeat(140_000))}`), tooLarge(2))
    }
    assert.strictEqual(messageFor(`phone,${"x".repeat(140_000)}\n`), tooLarge(1))
    assert.strictEqual(
      messageFor(`phone\n+15550001111${",".repeat(1_001)}\n`),
      "1001 file: must have at most 1001 columns",
    )
    const columns = (count: number) => Array.from({ length: count }, (_, nth) => `v${nth}`).join(",")
    assert.strictEqual(messageFor(`phone,${columns(1_001)}\n`), "1001 file: must have at most 1001 columns")
    assert.strictEqual(contactsIn(`phone,${columns(1_000)}\n+15550001111${",1".repeat(1_000)}\n`).length, 1)
  })

  it("counts each row for itself, wherever the file is cut", () => {
    const row = `+15550001111,${"x".repeat(60_000)}\n`
    const file = bytesOf(`phone,note\n${row.repeat(5)}`)
    for (const cuts of [[], [60_030, 120_040, 180_050], [1, 60_020, 60_025]]) {
      assert.isTrue(Result.isSuccess(read(file, cuts)))
    }
  })

  it("keeps contacts of one file in one shape, so that each takes the room of its values alone", () => {
    setFlagsFromString("--expose-gc")
    const collect: unknown = runInNewContext("gc")
    const heldBytes = (): number => {
      if (typeof collect === "function") collect()
      return process.memoryUsage().heapUsed
    }
    const [columns, rows] = [49, 5_000]
    const header = `to_number,${Array.from({ length: columns }, (_, column) => `v${column}`).join()}\n`
    const bytes = bytesOf(header + `+15550001111${",x".repeat(columns)}\n`.repeat(rows))
    const before = heldBytes()
    const contacts = Result.getOrThrow(read(bytes)).contacts
    const bytesEach = (heldBytes() - before) / (contacts.length * columns)
    // A pointer has 8 bytes; an entry of a table of its own has about 60.
    assert.isBelow(bytesEach, 16)
  })
})

it.effect("waits for its turn by what the contacts take, where a short row becomes a large contact", () =>
  Effect.gen(function* () {
    const columns = Array.from({ length: 990 }, (_, nth) => `${"n".repeat(50)}${nth}`)
    const rows = Array.from({ length: 100 }, (_, nth) => `+1555${5_550_000 + nth}${",".repeat(columns.length)}`)
    const bytes = bytesOf(["to_number", ...columns].join(",") + "\n" + rows.join("\n"))
    let turns = 0
    const pacing = Effect.sync(() => void turns++)
    const { contacts } = yield* Effect.provideService(csvContacts({ name: "list.csv", bytes }), Pacing, pacing)
    const characters = contacts.reduce((sum, { variables }) => sum + JSON.stringify(variables).length, 0)
    assert.isBelow(characters / turns, 3 * limits.intakeTurnCharacters)
  }),
)
