import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { transientUtf8, utf8Length } from "../../src/engine/rules/Utf8Bytes.ts"
import { codePoint } from "../../src/testing/CodePoint.ts"

describe("transientUtf8", () => {
  it("gives the bytes of any text, of any length, until the next call", () => {
    const text = fc.oneof(fc.string({ unit: codePoint }), fc.string({ unit: "grapheme" }))
    fc.assert(
      fc.property(text, fc.constantFrom(1, 3, 20_000), (unit, times) => {
        const whole = unit.slice(0, 5).repeat(times)
        assert.isTrue(Buffer.from(whole, "utf8").equals(transientUtf8(whole)))
        assert.strictEqual(utf8Length(whole), Buffer.byteLength(whole))
      }),
    )
    assert.isTrue(Buffer.from("\ud800x").equals(transientUtf8("\ud800x")))
    assert.strictEqual(utf8Length("\ud800x"), 4)
  })
})
