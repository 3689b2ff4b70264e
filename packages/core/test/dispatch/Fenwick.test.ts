import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Fenwick } from "../../src/dispatch/rules/Fenwick.ts"

describe("Fenwick", () => {
  it("equals a plain array", () => {
    const change = fc.record({ index: fc.nat(40), delta: fc.integer({ min: -9, max: 9 }) })
    fc.assert(
      fc.property(fc.nat(40), fc.array(change, { maxLength: 60 }), (size, changes) => {
        const tree = new Fenwick(size)
        const plain = Array.from({ length: size + 1 }, () => 0)
        for (const { index, delta } of changes.filter((each) => each.index <= size)) {
          tree.add(index, delta)
          plain[index]! += delta
        }
        for (let index = 0; index <= size; index++) {
          expect(tree.prefix(index)).toBe(plain.slice(0, index + 1).reduce((sum, value) => sum + value, 0))
        }
      }),
    )
  })
})
