import { parsingEscapedKeys } from "../src/EscapedKeys.ts"
import { limits } from "@carillon/core"
import { Pacing } from "@carillon/core/ports"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isJson, type JsonFault, readJsonObject, readJsonPieces } from "../src/JsonBody.ts"
import { expectLinear } from "../../../scripts/Linear.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const readBytes = (body: Uint8Array) => Effect.runSync(Effect.result(readJsonObject(body)))
const read = (text: string) => readBytes(bytes(text))
const refused = (result: Result.Result<unknown, JsonFault>): string | null => {
  if (Result.isSuccess(result)) return null
  const { failure } = result
  return typeof failure === "string" ? failure : `${failure.field} ${failure.reason}`
}

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

describe("readJsonObject", () => {
  it("reads what JSON.parse reads, when that is an object", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(depthOf(value) <= limits.jsonDepth)
        const text = JSON.stringify(value)
        const result = read(text)
        if (typeof value === "object" && value !== null && !Array.isArray(value)) {
          expect(JSON.stringify(Result.getOrThrow(result))).toBe(text)
        } else {
          expect(refused(result)).toBe("The request body must be a JSON object.")
        }
      }),
    )
  })

  it("keeps escaped keys apart, whatever keys were parsed before", () => {
    const keys = fc.constantFrom(
      "\u{E000}key 0",
      "\u{E000}key 1",
      "\ud800",
      "\\",
      '"',
      "\n",
      "\r",
      "a\\",
      'a"',
      "a\n",
      "a",
      "__proto__",
      "k0",
      "\u007f",
    )
    const object = fc.dictionary(
      keys,
      fc.oneof(fc.dictionary(keys, fc.string()), fc.array(fc.dictionary(keys, fc.nat()))),
    )
    fc.assert(
      fc.property(object, (value) => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(Result.getOrThrow(read(text)))).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })

  it("takes the last of keys that are the same but for their spelling, in the place of the first", () => {
    const text = '{"a":1,"\\n":2,"\\u0061":3,"\\u000a":4}'
    expect(JSON.stringify(Result.getOrThrow(read(text)))).toBe('{"a":3,"\\n":4}')
  })

  it.each(['{"\\x":1}', '{"\\":1}', '{"\\u00zz":1}', '{"a\\n":1,}', '{"a\\n":"\n"}', '{"\\n" "a":1}', '{"\\n\n":1}'])(
    "refuses %j, whose escapes are at fault or no excuse",
    (text) => expect(refused(read(text))).toBe("The request body is not valid JSON."),
  )

  it("reads a long text of escapes under an escaped key", () => {
    const value = { "\n": "\n".repeat(limits.bodyBytes / 2 - 10) }
    expect(Result.getOrThrow(read(JSON.stringify(value)))).toEqual(value)
  })

  it.each<[string, (size: number) => string]>([
    ["a text that never ends", (size) => `{"\\u0061":1,"b":"${'\\"'.repeat(size)}`],
    ["a key that never ends", (size) => `{"\\u0061":1,"${'\\"'.repeat(size)}`],
    ["texts without separators", (size) => `{"\\u0061":1,${'"b"'.repeat(size)}`],
    ["blanks behind every text", (size) => `{"\\u0061":["",${" ".repeat(size)}${'"" '.repeat(size)}`],
  ])("refuses %s behind an escaped key in one look", (_, text) =>
    expectLinear(4096, (size) => {
      const body = text(size)
      return () => expect(refused(read(body))).toBe("The request body is not valid JSON.")
    }),
  )

  it("agrees with JSON.parse on what is malformed", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (text, at, patch) => {
        const broken = text.slice(0, at % (text.length + 1)) + patch + text.slice((at % (text.length + 1)) + 1)
        let valid = true
        try {
          JSON.parse(broken)
        } catch {
          valid = false
        }
        const failure = refused(read(broken))
        expect(failure === "The request body is not valid JSON.").toBe(!valid)
      }),
    )
  })

  it.each([
    null,
    "",
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "application/json5",
    "text/json",
    "multipart/form-data; boundary=x",
  ])("refuses the content type %s", (type) => {
    expect(isJson(type)).toBe(false)
  })

  it.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/json ;charset=UTF-8",
  ])("takes the content type %s", (type) => {
    expect(isJson(type)).toBe(true)
  })

  it("refuses an empty body, which is malformed JSON", () => {
    expect(refused(read(""))).toBe("The request body is not valid JSON.")
  })

  it("refuses bytes that are not UTF-8, wherever they are", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom([0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82]),
        (text, wrong) => {
          const body = new Uint8Array([...bytes(`{"a":${JSON.stringify(text).slice(0, -1)}`), ...wrong, ...bytes('"}')])
          expect(refused(readBytes(body))).toBe("The request body is not valid UTF-8.")
        },
      ),
    )
  })

  it("refuses nesting deeper than 64 levels, the root counted, and only that", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 90 }), fc.string(), (arrays, text) => {
        const inner = JSON.stringify({ [text]: `[[[{{{"\\${text}` })
        const body = `${arrays.map((array) => (array ? "[" : '{"k":')).join("")}${inner}${arrays
          .map((array) => (array ? "]" : "}"))
          .reverse()
          .join("")}`
        const deep = refused(read(`{"root":${body}}`)) === "The request body is nested deeper than 64 levels."
        expect(deep).toBe(depthOf(JSON.parse(body)) + 1 > limits.jsonDepth)
      }),
    )
  })

  it("takes exactly 64 levels", () => {
    const nested = (levels: number) => read(`{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`)
    expect(refused(nested(limits.jsonDepth))).toBeNull()
    expect(refused(nested(limits.jsonDepth + 1))).toContain("nested deeper")
  })

  it("survives a megabyte of brackets", async () => {
    for (const text of ["[".repeat(1024 * 1024), '{"a":'.repeat(200_000)]) {
      expect(refused(await Effect.runPromise(Effect.result(readJsonObject(bytes(text)))))).toContain("nested deeper")
    }
  })

  it.each([
    '{"__proto__":{"admin":true},"a":1}',
    '{"\\u005f_proto__":{"admin":true},"a":1}',
    '{"\\u005F\\u005fproto__":1,"a":1}',
  ])("keeps the key that assignment would obey, and obeys it nowhere: %s", (text) => {
    const value = Result.getOrThrow(read(text))
    expect(Object.keys(value)).toEqual(["__proto__", "a"])
    expect(Object.getPrototypeOf({ ...value })).toBe(Object.prototype)
    expect("admin" in value).toBe(false)
  })

  it("keeps it at every depth", () => {
    const text = '{"variables":{"__proto__":1,"x":[{"__proto__":{"y":2},"z":"__proto__"}]}}'
    expect(JSON.stringify(Result.getOrThrow(read(text)))).toBe(text)
  })
})

describe("readJsonPieces", () => {
  const inPieces = (text: string, size: number) =>
    Effect.runPromise(Effect.result(readJsonPieces(new TextEncoder().encode(text), null, size)))

  /** Documents of the kind that is read in pieces: lists on the first level, with everything that could be taken for their ends. */
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('"', "\\", "]", "[", "}", "{", ",", '\\"', "é", "\u{1F600}", "\uFEFF"),
  )
  const document = fc.dictionary(
    text,
    fc.oneof(fc.array(fc.oneof(fc.dictionary(text, text), fc.array(text), text)), text),
  )

  it("reads what the reading in one go reads, wherever the pieces are cut", async () => {
    await fc.assert(
      fc.asyncProperty(document, fc.integer({ min: 1, max: 40 }), fc.nat(4), async (value, size, indent) => {
        const whole = JSON.stringify(value, null, indent)
        expect(await inPieces(whole, size)).toEqual(read(whole))
      }),
    )
  })

  it("refuses what the reading in one go refuses", async () => {
    const noise = fc.constantFrom("", ",", "[", "]", "{", "}", '"', "1", " ", ":", "\\", "[]", "\uFEFF", "null")
    await fc.assert(
      fc.asyncProperty(
        document,
        fc.integer({ min: 1, max: 12 }),
        fc.nat(),
        noise,
        fc.nat(2),
        async (value, size, at, patch, cut) => {
          const whole = JSON.stringify(value)
          const place = at % (whole.length + 1)
          const broken = whole.slice(0, place) + patch + whole.slice(place + cut)
          expect(await inPieces(broken, size)).toEqual(read(broken))
        },
      ),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['{"a":[1,2,]}', false],
    ['{"a":[,1,2]}', false],
    ['{"a":[1,,2]}', false],
    ['{"a":[ ],"b":[1, 2 , 3]}', true],
    ['{"a":[1],"a":[2,3]}', true],
    ['{"a":[1}', false],
    ['{"a":[1', false],
    ['{"a":[1]}{"b":[2]}', false],
    ["[[1,2],[3]]", false],
    ['{"a":[[1,2],{"b":[3,4]}]}', true],
  ])("judges %s", async (whole, valid) => {
    const result = await inPieces(whole, 1)
    expect(Result.isSuccess(result)).toBe(valid)
    if (Result.isSuccess(result)) expect(result.success).toEqual(JSON.parse(whole))
  })
})

describe("a body with too much in it", () => {
  const judged = async (text: string, carrier: string | null = null) =>
    refused(await Effect.runPromise(Effect.result(readJsonObject(bytes(text), carrier))))
  const many = (field: string) => `${field} brings the request body to more than ${limits.jsonValues} values`
  const values = (count: number, value = "0") => Array.from({ length: count }, () => value).join(",")

  it("names the field that brings it over its bound, however it is spread, and takes what is within", async () => {
    const more = limits.jsonValues + 1
    expect(await judged(`{"a":1,"metadata":{"a":[${values(more)}]}}`)).toBe(many("metadata"))
    expect(await judged(`{"a":1,"metadata":{"a":[${values(more, "{}")}]}}`)).toBe(many("metadata"))
    expect(await judged(`{"list":[${values(more)}]}`)).toBe(many("list"))
    expect(await judged(`{"x":[${values(more / 2)}],"y":[${values(more / 2)}],"z":[1,2]}`)).toBe(many("z"))
    expect(await judged(`{${Array.from({ length: more }, (_, nth) => `"k${nth}":0`).join(",")}}`)).toBe(
      many(`k${limits.jsonValues}`),
    )
    expect(await judged(`{${Array.from({ length: more }, () => `"k":[]`).join(",")}}`)).toBe(many("k"))
    expect(await judged(`{"metadata":{"a":[${values(limits.jsonValues - 4)}]}}`)).toBeNull()
  })

  it("names the field that brings it to more names than it may have, its contacts apart", async () => {
    const crowded = (field: string) =>
      `${field} brings the request body to more than ${limits.jsonNames} names of fields`
    const object = (count: number) => `{${Array.from({ length: count }, (_, nth) => `"k${nth}":0`).join(",")}}`
    const filler = `"f":${JSON.stringify("x".repeat(300_000))}`
    for (const beside of ['"f":0', filler]) {
      expect(await judged(`{${beside},"metadata":${object(limits.jsonNames - 2)}}`)).toBeNull()
      expect(await judged(`{${beside},"metadata":${object(limits.jsonNames - 1)},"z":0}`)).toBe(crowded("metadata"))
      expect(
        await judged(`{${beside},"a":${object(limits.jsonNames / 2)},"list":[${object(limits.jsonNames / 2)}]}`),
      ).toBe(crowded("list"))
      const contacts = `"contacts":[${values(limits.jsonNames, '{"to_number":"+15555550100","a":1}')}]`
      expect(await judged(`{${beside},${contacts}}`, "contacts")).toBeNull()
      expect(await judged(`{${beside},${contacts},"labels":[${object(limits.jsonNames)}]}`, "contacts")).toBe(
        crowded("labels"),
      )
    }
  })

  it("is told so in pieces as in one go", async () => {
    const filler = JSON.stringify("x".repeat(300_000))
    expect(await judged(`{"f":${filler},"metadata":{"a":[${values(limits.jsonValues)}]}}`)).toBe(many("metadata"))
    expect(await judged(`{"f":${filler},"list":[${values(limits.jsonValues)}]}`)).toBe(many("list"))
  })

  it("may have its contacts beside it, and nothing else", async () => {
    const contacts = `"contacts":[${values(limits.jsonValues, '{"to_number":"+15555550100","a":1,"b":2}')}]`
    expect(await judged(`{${contacts},"name":"x"}`, "contacts")).toBeNull()
    expect(await judged(`{${contacts},"name":"x"}`)).toBe(many("contacts"))
    expect(await judged(`{${contacts},"phone_numbers":[${values(limits.jsonValues)}]}`, "contacts")).toBe(
      many("phone_numbers"),
    )
    expect(await judged(`{${contacts},"metadata":{"a":[${values(limits.jsonValues, "{}")}]}}`, "contacts")).toBe(
      many("metadata"),
    )
    // Of lists under one name the last one counts; the others are read for nothing.
    expect(await judged(`{${contacts},"contacts":[]}`, "contacts")).toBe(many("contacts"))
    const oversize = " "
    for (const [list, rest] of [
      [contacts, JSON.stringify("x".repeat(limits.bodyBytes))],
      [contacts, `["${"x".repeat(limits.bodyBytes)}"]`],
    ]) {
      expect(await judged(`{${list},"metadata":${rest}}`, "contacts")).toBe(oversize)
    }
  })

  it("has contacts of which each has its bound, and all of them together", async () => {
    const large = `{"to_number":"+15555550100","note":"${"x".repeat(limits.contactBytes + 5000)}"}`
    const filler = values(300, `"${"x".repeat(1000)}"`)
    expect(await judged(`{"contacts":[${filler},${large}]}`, "contacts")).toBe(
      "contacts[300] must take at most 65536 bytes of JSON",
    )
    // Counted before any of them is parsed.
    const tooMany = values(limits.contactsPerRequest + 1, "{}")
    expect(await judged(`{"contacts":[${tooMany}]}`, "contacts")).toBe("contacts must have at most 50000 contacts")
    expect(await judged(`{"contacts":[${values(limits.contactsPerRequest, "{}")}]}`, "contacts")).toBeNull()
    expect(await judged(`{"contacts":[${values(limits.jsonContactValues + 2)}]}`, "contacts")).toBe(
      "contacts must have at most 1,000,000 values",
    )
  })

  it("has contacts of so many values each, wherever they stand in them", async () => {
    const members = (count: number) => Array.from({ length: count }, (_, nth) => `"k${nth}":0`).join(",")
    const last = async (contact: string) => {
      const contacts = `{"to_number":"+15555550100"},{"to_number":"+15555550101",${contact}}`
      const refusal = await judged(`{"contacts":[${contacts},{"to_number":"+15555550102"}]}`, "contacts")
      expect(await judged(`{"contacts":[${contacts}]}`, "contacts")).toBe(refusal)
      return refusal
    }
    const refusal = `contacts[1] must have at most ${limits.contactValues} values`
    expect(await last(members(limits.contactValues))).toBeNull()
    expect(await last(`"held":[{${members(limits.contactValues - 3)}},0]`)).toBeNull()
    expect(await last(members(limits.contactValues + 1))).toBe(refusal)
    expect(await last(`"held":[{${members(limits.contactValues - 2)}},0]`)).toBe(refusal)
    expect(await last(`"held":[${values(limits.contactValues + 1)}]`)).toBe(refusal)
  })

  it("has contacts whose keys may be many and not all different, wherever they stand in them", async () => {
    const perContact = 20
    const contacts = (count: number, member: (nth: number) => string) =>
      Array.from({ length: count }, (_, nth) => {
        const own = Array.from({ length: perContact }, (_, at) => member(nth * perContact + at)).join(",")
        return `{"to_number":"+15555550100","held":[{${own}}]}`
      }).join(",")
    const list = (count: number, member: (nth: number) => string) =>
      judged(`{"name":"x","contacts":[${contacts(count, member)}]}`, "contacts")
    const most = limits.jsonContactKeys / perContact
    expect(await list(most - 1, (nth) => `"k${nth}":0`)).toBeNull()
    expect(await list(2 * most, (nth) => `"k${nth % 1000}":0`)).toBeNull()
    for (const key of ["k", "", "\\u006b"]) {
      expect(await list(most, (nth) => `"${key}${nth}":0`)).toBe(
        `contacts must have at most ${limits.jsonContactKeys} different keys in all contacts together`,
      )
    }
  })
})

it("pauses while it looks for escaped keys in a long text, whether it is one text or many", () => {
  const length = 1024 * 1024
  for (const text of ['{"\\u0061":"x', '{"\\u0061":"\\"'].map((start) => start.padEnd(length, '\\"'))) {
    const parsing = parsingEscapedKeys(text)
    let pauses = 0
    expect(() => {
      while (parsing.next().done !== true) pauses++
    }).toThrow(SyntaxError)
    expect(pauses).toBeGreaterThanOrEqual(7)
  }
  const many = parsingEscapedKeys(`{"\\u0061":[${'"",'.repeat(length / 3)}""]}`)
  let pauses = 0
  while (many.next().done !== true) pauses++
  expect(pauses).toBeGreaterThanOrEqual(7)
})

it("waits for its turn while it looks for escaped keys in a list, as elsewhere", async () => {
  let turns = 0
  const pacing = Effect.sync(() => void turns++)
  const list = (text: string) => bytes(`{"\\u0061":1,"phone_numbers":["${text}"]}`)
  const body = list('\\">'.repeat(300 * 1024))
  const found = await Effect.runPromise(Effect.provideService(readJsonObject(body), Pacing, pacing))
  expect(Object.keys(found)).toEqual(["a", "phone_numbers"])
  // Four while its megabyte is looked through once, one for the outline, one for the list: the rest is for the list's own text.
  expect(turns).toBeGreaterThanOrEqual(12)
})
