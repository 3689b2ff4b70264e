import { bytesToHex } from "@noble/hashes/utils.js"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { flatText, hexText } from "../../src/engine/rules/FlatText.ts"
import { codePoint } from "../../src/testing/CodePoint.ts"

describe("FlatText", () => {
  it("is the text of its codes", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 200 }), (text) => {
        const codes = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
        assert.strictEqual(flatText(codes), text)
      }),
    )
  })

  it("writes bytes as any other library does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        assert.strictEqual(hexText(bytes), bytesToHex(bytes))
      }),
    )
  })
})
