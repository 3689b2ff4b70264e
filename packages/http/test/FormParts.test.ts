import { Effect, Exit, Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readParts } from "../src/FormParts.ts"
import { boundary, formOf, type Part } from "./Forms.ts"

const type = `multipart/form-data; boundary=${boundary}`
const files: ReadonlySet<string> = new Set(["file", "files"])

const read = (body: Uint8Array | string, header = type, sliceBytes?: number) =>
  Effect.runPromise(
    Effect.result(readParts(header, typeof body === "string" ? Buffer.from(body, "latin1") : body, files, sliceBytes)),
  )

const statusOf = async (body: Uint8Array | string, header?: string): Promise<number> => {
  const found = await read(body, header)
  return Result.isSuccess(found) ? 200 : found.failure.status
}

/** A part as it should come out again. */
const expected = ({ filename, name, value }: Part) => {
  const bytes = new Uint8Array(Buffer.from(value))
  return filename === undefined
    ? { _tag: "Field", name, bytes }
    : { _tag: "File", name, file: { name: filename, bytes } }
}

/** Contents that look like the end of a part, and any others. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .constantFrom(`\r\n--${boundary}`.slice(0, -1), `--${boundary}--`.slice(1), "\r\n", "\r", "--", "")
    .map((text) => new Uint8Array(Buffer.from(text))),
)

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ name: fc.constantFrom("name", "__proto__", "metadata"), value: content }),
  fc.record({ name: fc.constantFrom("file", "files"), filename: fc.constantFrom("a.pdf", "b.csv"), value: content }),
)

const whole = formOf([
  { name: "name", value: "Campaign" },
  { name: "metadata", value: `{"a": 1}` },
  { name: "file", filename: "list.csv", value: "to_number\n+15555550100\n" },
  { name: "working_hours_enforced", value: "true" },
  { name: "files", filename: "a.pdf", value: "%PDF-1.7\n" },
]).bytes

describe("the parts of a form", () => {
  it("come out as they were sent, wherever the slices are cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 400 }),
        async (parts, size) => {
          expect(Result.getOrThrow(await read(formOf(parts).bytes, type, size))).toEqual(parts.map(expected))
        },
      ),
    )
  })

  it("are refused with 400 when the form ends anywhere but at its end", async () => {
    // Two bytes are left when only the line break behind the last boundary is missing, and that is nobody's business.
    for (let length = 0; length < whole.length - 2; length++) {
      expect([length, await statusOf(whole.subarray(0, length))]).toEqual([length, 400])
    }
    expect(await statusOf(whole.subarray(0, -2))).toBe(200)
  })

  it("are read or refused, and never more, whatever bytes are changed, lost or put in between", async () => {
    const edit = fc.record({ at: fc.nat(whole.length), noise: fc.uint8Array({ maxLength: 20 }), cut: fc.nat(60) })
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
        let body = Buffer.from(whole)
        for (const { at, cut, noise } of edits) {
          body = Buffer.concat([body.subarray(0, at), noise, body.subarray(at + cut)])
        }
        const exit = await Effect.runPromiseExit(Effect.result(readParts(type, body, files)))
        if (Exit.isFailure(exit)) throw new Error(`A defect: ${String(exit.cause)}`)
        if (Result.isFailure(exit.value)) expect([400, 413]).toContain(exit.value.failure.status)
      }),
      { numRuns: 1000 },
    )
  })

  it("are refused where it is no form, and taken where it is an odd one", async () => {
    const text = Buffer.from(whole).toString("latin1")
    const end = `--${boundary}--\r\n`
    const rows: ReadonlyArray<readonly [what: string, body: Uint8Array | string, status: number, header?: string]> = [
      ["whole", whole, 200],
      ["no boundary", whole, 400, "multipart/form-data"],
      ["another boundary", whole, 400, "multipart/form-data; boundary=other"],
      ["no part", end, 200],
      ["line feeds only", text.replaceAll("\r\n", "\n"), 400],
      ["words behind the end", `${text}bye\r\n--${boundary}\r\nX: y\r\n\r\n${"bye".repeat(50_000)}`, 200],
      ["a part without a name", `--${boundary}\r\nContent-Disposition: form-data\r\n\r\nx\r\n${end}`, 400],
      ["a part without a disposition", `--${boundary}\r\nX: y\r\n\r\nx\r\n${end}`, 400],
      ["an attachment", `--${boundary}\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n${end}`, 400],
      ["a part that ends within its head", `--${boundary}\r\nContent-Disp\r\n${end}`, 400],
      ["one behind a file", text.replace(end, `--${boundary}\r\nX: y\r\n${end}`), 400],
      [
        "one behind a field",
        text.replace(
          `--${boundary}\r\n`,
          `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--${boundary}\r\nX: y\r\n--${boundary}\r\n`,
        ),
        400,
      ],
      ["a huge field", formOf([{ name: "description", value: "x".repeat(1024 * 1024 + 1) }]).bytes, 413],
      ["too many parts", formOf(Array.from({ length: 129 }, () => ({ name: "x", value: "" }))).bytes, 400],
    ]
    for (const [what, body, status, header] of rows) {
      expect([what, await statusOf(body, header)]).toEqual([what, status])
    }
  })
})

describe("a boundary", () => {
  const typed = (text: string) => `multipart/form-data; boundary=${text}`

  it("has at most 70 characters, wherever it hides", async () => {
    const whole = (text: string) =>
      `--${text}\r\nContent-Disposition: form-data; name="name"\r\n\r\nx\r\n--${text}--\r\n`
    const longest = "b".repeat(70)
    expect(await statusOf(whole(longest), typed(longest))).toBe(200)
    expect(await statusOf(whole(longest), typed(`"${longest}"`))).toBe(200)
    for (const hidden of [
      `${longest}b`,
      `"${longest}b"`,
      `a; boundary=${longest}b`,
      `a; BOUNDARY="${longest}b"`,
      `"${"b;".repeat(200)}"`,
      `"${'b\\"'.repeat(200)}"`,
    ]) {
      const refused = await read(whole(longest), typed(hidden))
      expect(Result.isFailure(refused) && refused.failure).toMatchObject({
        status: 400,
        message: "The 'boundary' in the Content-Type must have at most 70 characters.",
      })
    }
  })
})
