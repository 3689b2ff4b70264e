import { expect, it } from "vitest"
import { cases } from "../../src/cases/Cases.ts"
import type { Case } from "../../src/run/Case.ts"
import { activeAgent } from "../../src/trial/Agents.ts"
import { schedule } from "../../src/trial/Calls.ts"
import { minuteMs, secondMs } from "../../src/trial/Duration.ts"
import { broken, judgeEngine } from "./Judged.ts"

/** How many calls another customer of the same server has booked, and how far they stand apart. */
const booked = 25
const apartMs = 20 * secondMs

/** Somebody else's calls that come due after this time. */
const others = (afterMs: number): Case => ({
  id: `beside/others-after-${afterMs / minuteMs}-minutes`,
  title: "Another customer's calls come due while the next case looks at the whole platform",
  clauses: ["CALL-CREATE-1"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { client } = await trial.organization({ concurrency: { organization: booked } })
    const agentId = await activeAgent(trial, client)
    for (let call = 0; call < booked; call++) {
      const to_number = trial.numbers.magic("holdsLine", 10)
      await schedule(trial, client, agentId, afterMs + call * apartMs, { to_number })
    }
    const list = await client.get("/v2/calls", { status: "scheduled" })
    trial.check.equal("booked", "CALL-CREATE-1", list.at("pagination.total"), booked, list)
  },
})

const platformId = "concurrency/levels/platform"
const platform = cases.filter(({ id }) => id === platformId)

it.each([10, 30, 118])(
  "the platform's ceiling is judged fairly beside calls that come due after %s minutes",
  async (minutes) => {
    const { report } = await judgeEngine({
      cases: [others(minutes * minuteMs), ...platform],
      controlUrl: "http://simulator.test",
    })
    expect(broken(report.cases)).toEqual([])
  },
)
