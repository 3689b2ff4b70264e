import { routes } from "@carillon/api"
import { limits } from "@carillon/core"
import { Pacing } from "@carillon/core/ports"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { isForm, readForm } from "../src/FormBody.ts"
import { envelope } from "../src/Refusal.ts"
import { formOf, type Part, pdf } from "./Forms.ts"

const formFields: ReadonlySet<string> = new Set(routes.flatMap((route) => [...route.formFields]))

/** Reads a form of a route that knows every field there is, or those that are given. */
const read = (parts: ReadonlyArray<Part>, route: Partial<Parameters<typeof readForm>[2]> = {}) => {
  const { bytes, headers } = formOf(parts)
  const form = { formFields, fieldAliases: {}, ...route }
  return Effect.runPromise(Effect.result(readForm(headers["content-type"], bytes, form)))
}

const fields = async (...sent: ReadonlyArray<readonly [name: string, value: string]>) =>
  Result.getOrThrow(await read(sent.map(([name, value]) => ({ name, value }))))

describe("a form", () => {
  it("is told by its content type", () => {
    expect(["multipart/form-data; boundary=x", "Multipart/Form-Data"].every(isForm)).toBe(true)
    expect([null, "", "application/json", "multipart/form-database", "multipart/mixed; boundary=x"].some(isForm)).toBe(
      false,
    )
  })

  it("stands for the JSON that its fields stand for", async () => {
    expect(await fields(["metadata", `{"a": [1]}`], ["name", "12"])).toEqual({ metadata: { a: [1] }, name: "12" })
    expect(await fields(["working_hours_enforced", "TRUE"])).toEqual({ working_hours_enforced: true })
    expect(await fields(["chunk_size", "64"], ["overlapping", "-1"])).toEqual({ chunk_size: 64, overlapping: -1 })
    expect(await fields(["chunk_size", "6e1"], ["max_concurrent_calls", ""])).toEqual({
      chunk_size: "6e1",
      max_concurrent_calls: "",
    })
    expect(await fields(["phone_numbers", `["a", "b"]`])).toEqual({ phone_numbers: ["a", "b"] })
    expect(await fields(["phone_numbers", "a"])).toEqual({ phone_numbers: ["a"] })
    expect(await fields(["phone_numbers", "a"], ["phone_numbers", "b"])).toEqual({ phone_numbers: ["a", "b"] })
    expect(await fields(["name", "a"], ["name", "b"])).toEqual({ name: ["a", "b"] })
  })

  it("has files, of which some fields hold several", async () => {
    const csv = { name: "file", filename: "list.csv", value: "to_number\n" }
    const unnamed = { name: "file", value: "to_number\n" }
    const body = Result.getOrThrow(await read([csv, pdf("one"), { name: "photo", filename: "a.png", value: "x" }]))
    expect(body).toEqual({
      file: { name: "list.csv", bytes: expect.any(Uint8Array) },
      files: [{ name: "a.pdf", bytes: new Uint8Array(Buffer.from("%PDF-1.7\none")) }],
    })
    expect(Result.getOrThrow(await read([unnamed, csv]))).toMatchObject({
      file: [{ name: null }, { name: "list.csv" }],
    })
  })

  it("takes the alias of a field only where the field itself is not sent", async () => {
    const aliases = { fieldAliases: { name: "collection" } }
    const name = { name: "name", value: "a" }
    const collection = { name: "collection", value: "b" }
    expect(Result.getOrThrow(await read([name], aliases))).toEqual({ name: "a", collection: "a" })
    expect(Result.getOrThrow(await read([name, collection], aliases))).toEqual({ name: "a", collection: "b" })
    expect(Result.getOrThrow(await read([name]))).toEqual({ name: "a" })
  })

  it("is not deceived by names that mean something to the language", async () => {
    const body = Result.getOrThrow(
      await read([
        { name: "__proto__", value: '{"polluted": true}' },
        { name: "constructor", value: "x" },
        { name: "__proto__", filename: "a.pdf", value: "x" },
        pdf("text"),
      ]),
    )
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
    expect(Reflect.get({}, "polluted")).toBeUndefined()
    expect(body).toEqual({ files: [expect.anything()] })
  })

  it("has so many names and values in all its fields together, and waits for its turn before each", async () => {
    const names = (count: number, from = 0) =>
      `{${Array.from({ length: count }, (_, nth) => `"k${from + nth}":0`).join(",")}}`
    const sent = async (count: number, value: (nth: number) => string) => {
      const found = await read(Array.from({ length: count }, (_, nth) => ({ name: "metadata", value: value(nth) })))
      return Result.isFailure(found) ? JSON.parse(envelope(found.failure)).message : null
    }
    expect(await sent(4, () => names(limits.jsonNames / 4))).toBeNull()
    const tooMany = `brings the request body to more than ${limits.jsonNames} names of fields`
    expect(await sent(5, (nth) => names(limits.jsonNames / 4, nth))).toContain(`'metadata': ${tooMany}`)
    const list = `[${"0,".repeat(limits.jsonValues / 3)}0]`
    expect(await sent(2, () => list)).toBeNull()
    expect(await sent(4, () => list)).toContain(`more than ${limits.jsonValues} values`)
    let turns = 0
    const pacing = Effect.sync(() => void turns++)
    const { bytes, headers } = formOf(Array.from({ length: 20 }, () => ({ name: "metadata", value: "{}" })))
    const reading = readForm(headers["content-type"], bytes, { formFields, fieldAliases: {} })
    await Effect.runPromise(Effect.provideService(reading, Pacing, pacing))
    expect(turns).toBeGreaterThanOrEqual(20)
  })

  it("leaves out what the route does not know, whatever it says", async () => {
    const sent = [
      { name: "metadata", value: "{" },
      { name: "name", value: Uint8Array.of(0xc3, 0x28) },
      { name: "file", value: "x" },
      pdf("one"),
    ]
    expect(Result.getOrThrow(await read(sent, { formFields: new Set(["files"]) }))).toEqual({
      files: [expect.anything()],
    })
  })

  it.each<[string, Part]>([
    ["invalid UTF-8", { name: "name", value: Uint8Array.of(0xc3, 0x28) }],
    ["a setting that is no JSON", { name: "metadata", value: "{" }],
    ["a list that is no JSON", { name: "phone_numbers", value: "[" }],
  ])("with %s is malformed", async (_, part) => {
    const found = await read([part])
    expect(Result.isFailure(found) && [found.failure.status, found.failure.code]).toEqual([400, 1000])
  })
})
