import { describe, expect, it } from "vitest"
import { clauses } from "../../src/clauses/Clauses.ts"
import { isJudgeable } from "../../src/run/ClauseCount.ts"
import { broken, judgeEngine } from "./Judged.ts"

/** Real time that a whole run may take on a busy machine, ten times what it takes on an idle one. */
const wholeLimitMs = 240_000

describe("a whole run", () => {
  it(
    "judges every required clause that can be seen, and reaches the highest level",
    async () => {
      const { report } = await judgeEngine({ controlUrl: "http://simulator.test" })
      expect(broken(report.cases)).toEqual([])
      const unjudged = clauses.filter((each) => isJudgeable(each) && report.clauseStates[each.id] === undefined)
      expect(unjudged.map(({ id }) => id)).toEqual([])
      expect(report.reached).toBe(3)
    },
    wholeLimitMs,
  )
})

describe("what nobody can see", () => {
  it("says why", () => {
    const hidden = clauses.filter(({ level, observable }) => level === "required" && observable === "no")
    expect(hidden.filter(({ why }) => why === undefined).map(({ id }) => id)).toEqual([])
  })
})
