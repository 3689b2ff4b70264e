import { codePoint } from "@carillon/core/testing"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { documentOf, orderKeyOf, rowOf, searchKeyOf, textOf, textsOf } from "../src/Documents.ts"

/** Texts in which everything that JSON, PostgreSQL or the marks treat specially is frequent. */
const text = fc.string({
  unit: fc.constantFrom("a", "~", ":", "%", "\\", '"', "\n", "\0", "{", ",", "\uD83D", "\uDC4B", "é"),
  maxLength: 6,
})

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1.5, 1e21),
    text,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3 }),
  ),
}))

const keysOf = (json: unknown): ReadonlyArray<string> =>
  Array.isArray(json)
    ? json.flatMap(keysOf)
    : typeof json === "object" && json !== null
      ? Object.entries(json).flatMap(([key, item]) => [key, ...keysOf(item)])
      : []

describe("a stored document", () => {
  it("is the row again, and no key of it has an escape", () => {
    fc.assert(
      fc.property(fc.dictionary(text, value, { maxKeys: 4 }), (row) => {
        const stored: unknown = JSON.parse(documentOf(row))
        expect(keysOf(stored).filter((key) => JSON.stringify(key).includes("\\"))).toEqual([])
        expect(rowOf(stored)).toEqual(row)
      }),
      { numRuns: 500 },
    )
  })

  it("is written as plain JSON wherever that is safe", () => {
    const row = { name: "Ada", variables: { "~": 1 }, list: ["\n", "~"] }
    expect(documentOf({ name: "Ada", list: ["\n"] })).toBe('{"name":"Ada","list":["\\n"]}')
    expect(documentOf(row)).toBe('{"~":{"name":"Ada","variables":{"~~":1},"list":["\\n","~"]}}')
  })

  it("is read as it was written before keys were spelled", () => {
    expect(rowOf({ "~": { "~\n": 1, "~~a": { '~"': 2 }, b: 3 } })).toEqual({ "\n": 1, "~a": { '"': 2 }, b: 3 })
  })

  it("survives a process that has read the key that is a backslash", () => {
    JSON.parse('{"\\\\":1}')
    for (const row of [
      { '"': 1, "\n": 2, "\\": 3 },
      { a: "x", "\\": 1 },
      { a: "x", "\u0000": 1 },
      { a: "x", '"': 1 },
    ]) {
      expect(rowOf(JSON.parse(documentOf(row)))).toEqual(row)
    }
  })
})

describe("a text in a column", () => {
  it("holds nothing that PostgreSQL refuses, and equals another only where the texts are equal", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(textOf(a).isWellFormed()).toBe(true)
        expect(textOf(a)).not.toContain("\0")
        expect(textOf(a) === textOf(b)).toBe(a === b)
      }),
    )
    expect(textOf("cmp_42ja21rw")).toBe("cmp_42ja21rw")
  })

  it("sorts by its key as the engine compares texts", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: "binary" }), (a, b) => {
        expect(orderKeyOf(a) < orderKeyOf(b)).toBe(a < b)
      }),
    )
  })

  it("has a part by its key exactly where the engine finds one", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme", maxLength: 2 }), (whole, part) => {
        const bytes = Buffer.from(searchKeyOf(whole), "hex")
        const found = bytes.indexOf(Buffer.from(searchKeyOf(part), "hex")) >= 0
        expect(found).toBe(whole.toLowerCase().includes(part.toLowerCase()))
      }),
    )
  })
})

describe("a list of texts", () => {
  it("is written as PostgreSQL reads one", () => {
    expect(textsOf([])).toBe("{}")
    expect(textsOf(["", "Etc/GMT+7 +1907", "a,b", "null", "{}"])).toBe('{"","Etc/GMT+7 +1907","a,b","null","{}"}')
    expect(textsOf(['"', "\\"])).toBe(String.raw`{"\"","\\\\"}`)
  })
})
