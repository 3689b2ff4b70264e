import { limits } from "@carillon/core"
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readJsonObject } from "../src/JsonBody.ts"

const json = "application/json"
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (text: string) => readJsonObject(json, bytes(text))
const refused = (result: Result.Result<unknown, string>): string | null =>
  Result.isFailure(result) ? result.failure : null

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const hasProtoKey = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (Object.hasOwn(value, "__proto__") || Object.values(value).some(hasProtoKey))

describe("readJsonObject", () => {
  it("reads what JSON.parse reads, when that is an object", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!hasProtoKey(value) && depthOf(value) <= limits.jsonDepth)
        const text = JSON.stringify(value)
        const result = read(text)
        if (typeof value === "object" && value !== null && !Array.isArray(value)) {
          expect(Result.getOrThrow(result)).toEqual(JSON.parse(text))
        } else {
          expect(refused(result)).toBe("The request body must be a JSON object.")
        }
      }),
    )
  })

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
    expect(refused(readJsonObject(type, bytes("{}")))).toContain("Content-Type")
  })

  it.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/json ;charset=UTF-8",
  ])("takes the content type %s", (type) => {
    expect(Result.isSuccess(readJsonObject(type, bytes("{}")))).toBe(true)
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
          expect(refused(readJsonObject(json, body))).toBe("The request body is not valid UTF-8.")
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

  it("survives a megabyte of brackets", () => {
    expect(refused(read("[".repeat(1024 * 1024)))).toContain("nested deeper")
    expect(refused(read('{"a":'.repeat(200_000)))).toContain("nested deeper")
  })

  it.each([
    '{"__proto__":{"admin":true},"a":1}',
    '{"\\u005f_proto__":{"admin":true},"a":1}',
    '{"\\u005F\\u005fproto__":1,"a":1}',
  ])("drops the key that assignment obeys: %s", (text) => {
    const value = Result.getOrThrow(read(text))
    expect(Object.keys(value)).toEqual(["a"])
    expect(Object.getPrototypeOf({ ...value })).toBe(Object.prototype)
    expect("admin" in value).toBe(false)
  })

  it("drops it at every depth and keeps everything else", () => {
    const value = Result.getOrThrow(read('{"variables":{"__proto__":1,"x":[{"__proto__":{"y":2},"z":"__proto__"}]}}'))
    expect(JSON.stringify(value)).toBe('{"variables":{"x":[{"z":"__proto__"}]}}')
  })
})
