import { Simulator } from "@carillon/simulator"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cases } from "../../src/cases/Cases.ts"
import { clauses } from "../../src/clauses/Clauses.ts"
import { isJudgeable } from "../../src/run/ClauseCount.ts"
import { ambientCaseId, type Report } from "../../src/run/Report.ts"
import { broken, judge } from "./Judged.ts"

/** Real time that a whole run may take on a busy machine, ten times what it takes on an idle one. */
const wholeLimitMs = 600_000

/** Whatever keeps something on the server, but for what `run/Repeatable.test.ts` repeats: names, inboxes, campaigns, lines. Uploads as large as may be keep no more than others. */
const lasting = ["webhooks/subscriptions", "knowledge/query", "knowledge/delete", "experiments", "usage"]

describe("a whole run", () => {
  let simulator: Simulator
  let report: Report
  const options = { controlUrl: "http://simulator.test", seed: 7 }

  beforeAll(async () => {
    simulator = await Simulator.start({ clock: "manual" })
    report = await judge(simulator, options)
  }, wholeLimitMs)

  afterAll(() => simulator.close())

  it.each([ambientCaseId, ...cases.map(({ id }) => id)])("%s", (id) => {
    const results = report.cases.filter((result) => result.id === id)
    expect(results).toHaveLength(1)
    expect(broken(results)).toEqual([])
  })

  it("judges every required clause that can be seen, and reaches the highest level", () => {
    const unjudged = clauses.filter((each) => isJudgeable(each) && report.clauseStates[each.id] === undefined)
    expect(unjudged.map(({ id }) => id)).toEqual([])
    expect(report.reached).toBe(3)
  })

  it("breaks no invariant of the world that it drives", async () => {
    const answer = await simulator.fetch(new Request("http://simulator.test/_sim/invariants"))
    expect(await answer.json()).toMatchObject({ violations: [] })
  })

  it(
    "is green again with the same seed on the same server, for whatever keeps something there",
    async () => {
      const again = await judge(simulator, { ...options, only: lasting })
      expect(broken(again.cases)).toEqual([])
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
