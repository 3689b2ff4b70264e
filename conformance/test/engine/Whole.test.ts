import { Simulator } from "@carillon/simulator"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { clauses } from "../../src/clauses/Clauses.ts"
import { isJudgeable } from "../../src/run/ClauseCount.ts"
import { broken, judge } from "./Judged.ts"

/** Real time that a whole run may take on a busy machine, ten times what it takes on an idle one. */
const wholeLimitMs = 600_000

/** Whatever keeps something on the server: keys, numbers, names, inboxes, campaigns, lines. */
const lasting = ["idempotency", "numbers", "keys", "webhooks", "knowledge", "experiments", "usage", "campaigns/moves"]

describe("a whole run", () => {
  let simulator: Simulator
  const options = { controlUrl: "http://simulator.test", seed: 7 }

  beforeAll(async () => {
    simulator = await Simulator.start({ clock: "manual" })
  })

  afterAll(() => simulator.close())

  it(
    "judges every required clause that can be seen, and reaches the highest level",
    async () => {
      const report = await judge(simulator, options)
      expect(broken(report.cases)).toEqual([])
      const unjudged = clauses.filter((each) => isJudgeable(each) && report.clauseStates[each.id] === undefined)
      expect(unjudged.map(({ id }) => id)).toEqual([])
      expect(report.reached).toBe(3)
    },
    wholeLimitMs,
  )

  it(
    "is green again with the same seed on the same server, for whatever keeps something there",
    async () => {
      const report = await judge(simulator, { ...options, only: lasting })
      expect(broken(report.cases)).toEqual([])
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
