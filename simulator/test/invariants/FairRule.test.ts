import { FairShare } from "@carillon/core"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { type Claim, mayStart } from "../../src/invariants/FairRule.ts"

const lane = fc.record({
  used: fc.nat(4),
  demand: fc.nat(3),
  held: fc.nat(3),
  ceiling: fc.option(fc.integer({ min: 1, max: 5 })),
})
const lines = fc.record({
  limit: fc.nat(14),
  direct: fc.nat(3),
  lanes: fc.array(lane, { minLength: 1, maxLength: 5 }),
})

const admits = (verdict: FairShare.FairShareVerdict) => verdict === "floor" || verdict === "borrow"

/** Every way in which holds may hide a demand. */
const readings = (lanes: ReadonlyArray<Claim>): ReadonlyArray<ReadonlyArray<FairShare.CampaignLoad>> => {
  const [first, ...rest] = lanes
  if (first === undefined) return [[]]
  const { ceiling, demand, most, used } = first
  const others = readings(rest)
  return [...new Set([demand, most])].flatMap((dialable) =>
    others.map((after) => [{ used, dialable, ceiling }, ...after]),
  )
}

test("what surely may start may under every reading of the rule, and what may under one possibly may", () => {
  let sure = 0
  let refused = 0
  fc.assert(
    fc.property(lines, ({ direct, lanes: drawn, limit }) => {
      const lanes = drawn.map(({ ceiling, demand, held, used }) =>
        held > 0 ? { used, ceiling, demand: 0, most: held } : { used, ceiling, demand, most: demand },
      )
      for (const index of lanes.keys()) {
        const verdicts = readings(lanes).map((campaigns) =>
          admits(FairShare.verdictOf({ limit, direct, campaigns }, index)),
        )
        const [surely, possibly] = (["surely", "possibly"] as const).map((how) =>
          mayStart({ limit, direct, lanes }, index, how),
        )
        if (surely) expect(verdicts).not.toContain(false)
        if (verdicts.includes(true)) expect(possibly).toBe(true)
        // Where nothing is hidden both are the rule itself.
        if (verdicts.length === 1) expect([surely, possibly]).toEqual([verdicts[0], verdicts[0]])
        sure += Number(surely)
        refused += Number(!possibly)
      }
    }),
  )
  expect(sure).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
})
