import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ceilingsOf, figuresOf } from "../../src/limits/rules/ConcurrencyFigures.ts"
import { ceilingsFor, resolveCeilings } from "../../src/limits/rules/SlotLevels.ts"

const settings = fc.record({
  organization: fc.option(fc.integer({ min: 1, max: 200 })),
  per_agent: fc.option(fc.integer({ min: 1, max: 200 })),
  enforced: fc.boolean(),
})

it("the figures that are shown hold a dial against the same ceilings as the settings", () => {
  fc.assert(
    fc.property(settings, fc.nat(300), fc.option(fc.nat(50)), (given, current, campaign) => {
      const ceilings = resolveCeilings(given, 150)
      assert.deepStrictEqual(ceilingsOf(figuresOf(ceilings, current), campaign), ceilingsFor(ceilings, campaign))
    }),
  )
})

it("none is available under a ceiling that was lowered, and no more than the platform has", () => {
  const ceilings = resolveCeilings({ organization: 50, per_agent: null, enforced: true }, 30)
  assert.deepInclude(figuresOf(ceilings, 12), { max: 30, current: 12, available: 18 })
  assert.deepInclude(figuresOf(ceilings, 40), { max: 30, current: 40, available: 0 })
})
