import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { ReportShelf } from "../../src/calls/rules/ReportShelf.ts"
import type { CarrierReport } from "../../src/telephony/rules/Leg.ts"

const ringing = (call: number, at: number): CarrierReport => ({
  execution_id: `exec_${call}`,
  call_sid: null,
  at,
  type: "ringing",
})

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("keep" as const), call: fc.nat(3), at: fc.nat(20) }),
    fc.record({ do: fc.constantFrom("drop" as const, "putBack" as const), call: fc.nat(3) }),
  ),
  { maxLength: 60 },
)

describe("kept reports", () => {
  it("keep the order of each call and each report once, never more than may be, and lose none untold", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 8 }), (all, reports) => {
        const shelf = new ReportShelf({ reports, characters: Infinity })
        let [kept, gone] = [0, 0]
        for (const step of all) {
          const id = `exec_${step.call}`
          if (step.do === "keep") {
            const isKnown = shelf.of(id).some(({ at }) => at === step.at)
            gone += shelf.keep(ringing(step.call, step.at))
            if (!isKnown) kept += 1
            if (!isKnown) assert.strictEqual(shelf.of(id).at(-1)?.at, step.at)
          } else if (step.do === "putBack") shelf.putBack(id)
          else {
            const [first] = shelf.of(id)
            if (first === undefined) continue
            shelf.drop(first)
            gone += 1
            assert.notInclude(shelf.of(id), first)
          }
          assert.strictEqual(shelf.size(), kept - gone)
          assert.isAtMost(shelf.size(), reports)
          const sizes = shelf.calls().map((call) => shelf.of(call).length)
          assert.strictEqual(
            sizes.reduce((sum, size) => sum + size, 0),
            shelf.size(),
          )
          assert.notInclude(sizes, 0)
        }
        assert.strictEqual(shelf.clear(), kept - gone)
        assert.strictEqual(shelf.size(), 0)
      }),
    )
  })

  it("give up the oldest where their text is too long, also the only one", () => {
    const shelf = new ReportShelf({ reports: 10, characters: JSON.stringify(ringing(1, 1)).length })
    assert.strictEqual(shelf.keep(ringing(1, 1)), 0)
    assert.strictEqual(shelf.keep(ringing(2, 2)), 1)
    assert.deepStrictEqual(shelf.calls(), ["exec_2"])
    assert.strictEqual(shelf.keep(ringing(3, 1_000_000)), 2)
    assert.strictEqual(shelf.size(), 0)
  })
})
