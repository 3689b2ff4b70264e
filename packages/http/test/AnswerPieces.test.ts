import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { AnswerWriter, countOf, textOf, writtenJson } from "../src/AnswerPieces.ts"
import { addJson } from "../src/JsonParts.ts"
import { nodeListener } from "../src/node.ts"
import { webHandler } from "../src/web.ts"

const partMax = 128 * 1024

const partsOf = (value: unknown): ReadonlyArray<string> => {
  const parts: Array<string> = []
  addJson(value, (part) => void parts.push(part))
  return parts
}

/** Texts that are longer than a part, with letters of every kind where they may be cut. */
const longText = fc
  .tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 7 }), fc.integer({ min: 1, max: 6_000 }))
  .map(([unit, times]) => unit.repeat(times))

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    longText,
    fc.constantFrom(undefined, null, true, 1e300, -0, new Date(0)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: "binary" }), tie("value"), { maxKeys: 4 }),
  ),
})).value

it("what is written in parts is what JSON.stringify writes", () => {
  fc.assert(
    fc.property(value, (held) => {
      const whole = { held, after: 1 }
      expect(partsOf(whole).join("") === JSON.stringify(whole)).toBe(true)
      expect(textOf(writtenJson(whole)) === JSON.stringify(whole)).toBe(true)
    }),
    { numRuns: 30 },
  )
})

it.each([
  ["one text", "x".repeat(300_000)],
  ["a text that is written with escapes", "\u0001".repeat(300_000)],
  ["letters of two units", `x${"😀".repeat(100_000)}`],
  ["halves of letters", "\ud83d".repeat(100_000)],
  ["a list of many", Array.from({ length: 50_000 }, (_, nth) => nth)],
  ["a list of small texts and of one large", ["a", "x".repeat(100_000), "b", undefined, "c"]],
  ["an object of many", Object.fromEntries(Array.from({ length: 9_000 }, (_, nth) => [`k${nth}`, "value"]))],
  ["what lies deep", Array.from({ length: 60 }).reduce((held) => ({ held, k: ["v"] }), "x".repeat(50_000))],
  ["keys that are numbers, or __proto__", JSON.parse(`{"b":"${"x".repeat(20_000)}","1":{},"__proto__":{"a":1}}`)],
])("no part of %s is large", (_, held) => {
  const parts = partsOf({ held })
  expect(parts.join("") === JSON.stringify({ held })).toBe(true)
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(partMax)
})

it("a short answer is a text, and a long one pieces of 64 KiB, of which the last has no more room than it needs", () => {
  expect(writtenJson({ a: "x" })).toEqual({ text: `{"a":"x"}` })
  const written = writtenJson({ a: "ü".repeat(100_000) })
  if (!("pieces" in written)) throw new Error("It is short.")
  expect(written.pieces.characters).toBe(100_008)
  expect(countOf(written.pieces)).toBe(200_008)
  for (const { buffer } of written.pieces.bytes) expect(buffer.byteLength).toBeLessThanOrEqual(64 * 1024)
  expect(written.pieces.bytes.at(-1)?.buffer.byteLength).toBe(200_008 % (64 * 1024))
})

it("what begins with a mark of byte order keeps it", () => {
  const writer = new AnswerWriter()
  writer.add(`\ufeff${"x".repeat(20_000)}`)
  expect(textOf(writer.finish())).toBe(`\ufeff${"x".repeat(20_000)}`)
})

const long = { text: `😀${"ü".repeat(3_000_000)}` }

const respondLong: Parameters<typeof nodeListener>[0] = (_, respond) => {
  const written = writtenJson(long)
  if (!("pieces" in written)) throw new Error("It is short.")
  respond({
    status: 200,
    headers: { "Content-Type": "application/json" },
    pieces: written.pieces,
    get body(): string {
      throw new Error("Nobody needs its text.")
    },
  })
}

it("a mount in Node sends the pieces, with the length of all of them, one answer after the other", async () => {
  const server = createServer(nodeListener(respondLong))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/agents`
  for (let nth = 0; nth < 2; nth++) {
    const answer = await fetch(url)
    expect(answer.headers.get("content-length")).toBe(String(new TextEncoder().encode(JSON.stringify(long)).length))
    expect((await answer.text()) === JSON.stringify(long)).toBe(true)
  }
  const head = await fetch(url, { method: "HEAD" })
  expect([head.status, await head.text()]).toEqual([200, ""])
  server.close()
  server.closeAllConnections()
})

it("a mount of Request and Response sends the same", async () => {
  const answer = await webHandler(respondLong)(new Request("http://x/v2/agents"))
  expect(answer.headers.get("content-type")).toBe("application/json")
  expect((await answer.text()) === JSON.stringify(long)).toBe(true)
})
