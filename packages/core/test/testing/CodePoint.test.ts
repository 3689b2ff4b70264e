import * as fc from "fast-check"
import { assert, it } from "vitest"
import { codePoint } from "../../src/testing/CodePoint.ts"

it("is any one code point, never half of one", () => {
  fc.assert(
    fc.property(codePoint, (text) => {
      assert.strictEqual([...text].length, 1)
      assert(text.isWellFormed())
    }),
  )
})

it("knows the code points, so that a text of them can hold what is known to be dangerous, and be made smaller", () => {
  const known = (text: string) => codePoint.canShrinkWithoutContext(text)
  for (const text of ["\0", "a", "\ud7ff", "\ue000", "\u{10000}", "\u{10ffff}"]) assert(known(text), text)
  for (const text of ["", "ab", "\ud800", "\udfff", "e\u0301"]) assert(!known(text), text)
  assert(fc.string({ unit: codePoint }).canShrinkWithoutContext("__proto__"))
})
