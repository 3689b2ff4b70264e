import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readUploadForm } from "../src/UploadForm.ts"
import { boundary, file, formHeaders, multipart, type Part } from "./Form.ts"

const type = `multipart/form-data; boundary=${boundary}`

const read = (parts: ReadonlyArray<Part>) => {
  const body = multipart(parts)
  return readUploadForm(formHeaders(body)["content-type"] ?? null, body)
}

const statusOf = (header: string | null, body: Uint8Array | string): number => {
  const found = readUploadForm(header, typeof body === "string" ? Buffer.from(body, "latin1") : body)
  return Result.isSuccess(found) ? 200 : found.failure.status
}

describe("the form of an upload", () => {
  it("gives fields and files as they were sent, whatever bytes they have", () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .constantFrom(`\r\n--${boundary}`.slice(0, -1), "\r\n", "--", "")
        .map((text) => new Uint8Array(Buffer.from(text))),
    )
    fc.assert(
      fc.property(
        fc.array(content, { minLength: 1, maxLength: 12 }),
        fc.string({ unit: "grapheme", maxLength: 20 }),
        (files, text) => {
          const parts = files.map((bytes, nth) => ({ name: "files", file: `${nth}.pdf`, bytes }))
          const found = Result.getOrThrow(read([{ name: "description", bytes: text }, ...parts]))
          expect(found).toEqual({
            description: new TextDecoder().decode(Buffer.from(text)),
            files: files.map((bytes, nth) => ({ name: `${nth}.pdf`, bytes: new Uint8Array(bytes) })),
          })
        },
      ),
    )
  })

  it("reads whole numbers, takes `name` for `collection`, and leaves repeated fields to the contract", () => {
    const fields = (...parts: ReadonlyArray<readonly [string, string]>) =>
      Result.getOrThrow(read(parts.map(([name, bytes]) => ({ name, bytes }))))
    expect(fields(["chunk_size", "64"], ["overlapping", "-1"])).toEqual({ chunk_size: 64, overlapping: -1 })
    expect(fields(["chunk_size", "6e1"])).toEqual({ chunk_size: "6e1" })
    expect(fields(["name", "docs"])).toEqual({ name: "docs", collection: "docs" })
    expect(fields(["name", "a"], ["collection", "b"])).toEqual({ name: "a", collection: "b" })
    expect(fields(["collection", "a"], ["collection", "b"])).toEqual({ collection: ["a", "b"] })
  })

  it("is not deceived by names that mean something to the language", () => {
    const found = Result.getOrThrow(
      read([
        { name: "__proto__", bytes: '{"polluted": true}' },
        { name: "constructor", bytes: "x" },
        { name: "__proto__", file: "a.pdf", bytes: "x" },
        file("text"),
      ]),
    )
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype)
    expect(Reflect.get({}, "polluted")).toBeUndefined()
    expect(Reflect.get(found, "files")).toHaveLength(1)
  })

  it("is refused where it is no form or not a whole one", () => {
    const whole = multipart([{ name: "collection", bytes: "docs" }, file("text")])
    const rows: ReadonlyArray<
      readonly [what: string, header: string | null, body: Uint8Array | string, status: number]
    > = [
      ["whole", type, whole, 200],
      ["no content type", null, whole, 400],
      ["JSON", "application/json", "{}", 400],
      ["no boundary", "multipart/form-data", whole, 400],
      ["another boundary", "multipart/form-data; boundary=other", whole, 400],
      ["empty", type, "", 400],
      ["no part", type, `--${boundary}--\r\n`, 200],
      ["no final boundary", type, whole.subarray(0, -boundary.length - 8), 400],
      ["cut in a file", type, whole.subarray(0, whole.length - boundary.length - 12), 400],
      ["line feeds only", type, Buffer.from(whole).toString("latin1").replaceAll("\r\n", "\n"), 400],
      [
        "a part without a name",
        type,
        `--${boundary}\r\nContent-Disposition: form-data\r\n\r\nx\r\n--${boundary}--\r\n`,
        400,
      ],
      ["a part without a disposition", type, `--${boundary}\r\nX: y\r\n\r\nx\r\n--${boundary}--\r\n`, 400],
      ["a part that ends within its head", type, `--${boundary}\r\nContent-Disp\r\n--${boundary}--\r\n`, 400],
      [
        "a second part that does",
        type,
        Buffer.from(whole)
          .toString("latin1")
          .replace("--\r\n", "\r\nX: y\r\n" + `--${boundary}--\r\n`),
        400,
      ],
      ["invalid UTF-8", type, multipart([{ name: "description", bytes: Uint8Array.of(0xc3, 0x28) }]), 400],
      ["a huge field", type, multipart([{ name: "description", bytes: "x".repeat(70_000) }]), 413],
      ["too many parts", type, multipart(Array.from({ length: 65 }, () => ({ name: "x", bytes: "" }))), 413],
    ]
    for (const [what, header, body, status] of rows) expect([what, statusOf(header, body)]).toEqual([what, status])
  })

  it("is read or refused, whatever comes", () => {
    const body = multipart([{ name: "collection", bytes: "docs" }, file("text")])
    fc.assert(
      fc.property(fc.nat(body.length), fc.uint8Array({ maxLength: 20 }), fc.nat(30), (at, noise, cut) => {
        const broken = Buffer.concat([body.subarray(0, at), noise, body.subarray(at + cut)])
        expect([200, 400, 413]).toContain(statusOf(type, broken))
      }),
      { numRuns: 300 },
    )
  })
})
