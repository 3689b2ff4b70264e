import { limits } from "../src/Limits.ts"
import { jsonBytes, jsonBytesAtMost, oversized } from "../src/Measure.ts"
import { expect, it } from "vitest"
import * as fc from "fast-check"

const half = "\ud83d"
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom(half, `${half}\ude00`, half.repeat(9)),
)

it("takes a document that takes no more bytes of JSON than it may, and no other, whatever letters it has", () => {
  fc.assert(
    fc.property(fc.dictionary(texts, fc.oneof(texts, fc.array(texts))), fc.nat({ max: 400 }), (document, bytes) => {
      const isTaken = oversized("agent", document, Object.keys(document), bytes) === null
      expect(isTaken).toBe(jsonBytes(document) <= bytes)
    }),
  )
})

it("takes what becomes smaller, though it is more than it may be", () => {
  const before = { a: half.repeat(50), b: "x" }
  expect(oversized("agent", { ...before, a: half.repeat(49) }, ["a"], 10, before)).toBeNull()
  expect(oversized("agent", { ...before, a: half.repeat(51) }, ["a"], 10, before)).toMatchObject({ field: "a" })
})

it("names the field that is most to read of those that were sent", () => {
  const sent = { few: "x", most: ["y".repeat(limits.agentBytes), 1], unsent: "z".repeat(2 * limits.agentBytes) }
  expect(oversized("agent", sent, ["few", "most"], limits.agentBytes)).toMatchObject({ field: "most" })
})

it("never says fewer bytes than a value takes", () => {
  const longest = -Number.MIN_VALUE * 2 ** 52 * 1.000_000_000_000_000_2
  const numbers = fc.oneof(fc.double(), fc.maxSafeInteger(), fc.constant(longest))
  const { value } = fc.letrec<{ readonly value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(texts, numbers, fc.boolean(), fc.constantFrom(null, undefined, "\u0000".repeat(9))),
      fc.array(tie("value")),
      fc.dictionary(texts, tie("value")),
    ),
  }))
  fc.assert(
    fc.property(value, (held) => {
      expect(jsonBytesAtMost(held)).toBeGreaterThanOrEqual(jsonBytes(held))
    }),
  )
})
