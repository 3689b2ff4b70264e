import { FairShare } from "@carillon/core/domain"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { type Claim, mayStart } from "../../src/invariants/FairRule.ts"

const claim = fc.record({
  lanes: fc.integer({ min: 1, max: 3 }),
  used: fc.nat(3),
  demand: fc.nat(3),
  held: fc.nat(3),
  ceiling: fc.option(fc.integer({ min: 1, max: 5 })),
})
const lines = fc.record({
  limit: fc.nat(18),
  direct: fc.nat(3),
  drawn: fc.array(claim, { minLength: 1, maxLength: 3 }),
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

/** The lanes of claims, one after the other. */
const lanesOf = (claims: ReadonlyArray<Claim>): ReadonlyArray<Claim> =>
  claims.flatMap((each) => Array.from({ length: each.lanes }, () => each))

test("what surely may start may under every reading of the rule, and what may under one possibly may", () => {
  let sure = 0
  let refused = 0
  fc.assert(
    fc.property(lines, ({ direct, drawn, limit }) => {
      const claims = drawn.map(({ ceiling, demand, held, lanes, used }) =>
        held > 0 ? { lanes, used, ceiling, demand: 0, most: held } : { lanes, used, ceiling, demand, most: demand },
      )
      const lanes = lanesOf(claims)
      for (const own of claims) {
        const verdicts = readings(lanes).map((campaigns) =>
          admits(FairShare.verdictOf({ limit, direct, campaigns }, lanes.indexOf(own))),
        )
        const [surely, possibly] = (["surely", "possibly"] as const).map((how) =>
          mayStart({ limit, direct, claims }, own, how),
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
