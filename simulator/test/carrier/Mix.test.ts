import * as fc from "fast-check"
import { expect, test } from "vitest"
import { builtInMix, pick } from "../../src/carrier/Mix.ts"
import { outcomeResults } from "../../src/carrier/Outcome.ts"

const mixes = fc
  .dictionary(fc.constantFrom(...outcomeResults), fc.integer({ min: 0, max: 50 }), { minKeys: 1 })
  .filter((mix) => Object.values(mix).some((weight) => weight > 0))

test("a point picks a result in proportion to its weight", () => {
  fc.assert(
    fc.property(mixes, (mix) => {
      const total = Object.values(mix).reduce((sum, weight) => sum + weight, 0)
      const counts = new Map<string, number>()
      for (let step = 0; step < total; step++) {
        const result = pick(mix, (step + 0.5) / total)
        counts.set(result, (counts.get(result) ?? 0) + 1)
      }
      const weighted = Object.entries(mix).filter(([, weight]) => weight > 0)
      expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(weighted))
    }),
  )
})

test("the last point of the unit interval picks something", () => {
  expect(pick(builtInMix, 1 - Number.EPSILON)).toBe("call-disconnected")
  expect(pick({ busy: 0.1, failed: 0.2 }, 1 - Number.EPSILON)).toBe("failed")
})
