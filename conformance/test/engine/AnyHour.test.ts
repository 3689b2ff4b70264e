import { expect, it } from "vitest"
import { cases, extensionCases } from "../../src/cases/Cases.ts"
import { selects } from "../../src/run/Selection.ts"
import { broken, judgeEngine, runLimitMs } from "./Judged.ts"

/** Cases that choose hours by the clock of the server. */
const folders = [
  "calls/create/guard",
  "calls/lifecycle/due",
  "calls/lifecycle/told/stopped",
  "campaigns/agent-guard",
  "campaigns/hours",
  "campaigns/options/weekend",
  "campaigns/renewed/inbound",
  "campaigns/renewed/respected-hours",
  "extensions/call-caps/a-day",
  "extensions/call-caps/contacts",
  "extensions/callee-hours/contacts",
  "extensions/callee-hours/direct",
  "extensions/callee-hours/due",
  "extensions/callee-hours/later-calls",
  "extensions/callee-hours/places",
]
const chosen = [...cases, ...extensionCases]
  .filter((each) => folders.some((folder) => selects(folder, each)))
  .map(({ id }) => id)

/** Around the hours at which a day ends, or hours that a case chooses would. */
const times = ["00:00", "05:55", "11:55", "20:58", "22:30", "23:50"]

it.each(chosen)(
  "%s chooses hours that fit a server, whatever time it is there",
  async (id) => {
    const failed: Array<string> = []
    for (const time of times) {
      const world = { epoch: `2026-03-04T${time}:00.000Z` }
      const { report } = await judgeEngine({ only: [id], controlUrl: "http://simulator.test", extensions: true }, world)
      failed.push(...broken(report.cases).map((each) => `at ${time}: ${each}`))
    }
    expect(failed).toEqual([])
  },
  runLimitMs,
)
