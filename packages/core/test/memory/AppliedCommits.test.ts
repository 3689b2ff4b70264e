import * as fc from "fast-check"
import { expect, it } from "vitest"
import { AppliedCommits } from "../../src/memory/AppliedCommits.ts"

it("the last ids are remembered, as many as may be, and none before them", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(40), (most, count) => {
      const applied = new AppliedCommits(most)
      const ids = Array.from({ length: count }, (_, nth) => `commit ${nth}`)
      for (const id of ids) applied.add(id)
      expect(ids.filter((id) => applied.has(id))).toEqual(ids.slice(-most))
    }),
  )
})
