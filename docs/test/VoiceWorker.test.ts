import { join } from "node:path"
import type { Job } from "@carillon/livekit/worker"
import { assert, describe, it, test } from "vitest"
import { compiled } from "../../scripts/Compiled.ts"
import { costOf, hangupOf, instructionsOf, phaseOf, transcriptOf } from "../examples/voice-worker/telling.ts"
import { installOwn } from "./OwnPackages.ts"

const root = join(import.meta.dirname, "../..")
const folder = join(root, "docs/examples/voice-worker")

/** Nothing of it is built, for it is only compiled against. */
const missing = installOwn(folder, "--omit=optional")

// A run without them says so in its last lines (scripts/NotTested.ts).
if (missing !== null) {
  // oxlint-disable-next-line vitest/no-disabled-tests -- there is nothing to run
  test.skip(`cannot be run: the voice worker of docs/examples (${missing})`, () => {})
}

describe.skipIf(missing !== null)("the voice worker", () => {
  it("has nothing that the compiler finds, against LiveKit's agents", () => {
    const { said, status: code } = compiled(folder)
    assert.strictEqual(code, 0, said)
  })
})

const job: Job = {
  version: 1,
  execution_id: "exec_1",
  organization_id: "org_1",
  agent_id: "agt_1",
  campaign_id: null,
  contact_id: null,
  callee: "exec_1",
  to_number: "+12125550100",
  prompt: null,
  variables: { name: "Ada" },
  retry_count: 0,
  is_follow_up: false,
  configuration: { prompt: "Remind them of Monday." },
  report_url: "https://voice.example.com/livekit/report",
}

describe("what the voice worker tells", () => {
  it.each([
    ["dialing", null],
    ["ringing", "ringing"],
    ["automation", "answered"],
    ["active", "answered"],
    ["hangup", null],
    [undefined, null],
  ])("the leg is %s: %s", (status, phase) => assert.strictEqual(phaseOf(status), phase))

  it.each([
    [1, "customer"],
    [4, "agent"],
    [5, "agent"],
    [10, "agent"],
    [0, null],
    [14, null],
    [15, null],
    [undefined, null],
  ])("the callee left for reason %s: hung up by %s", (reason, by) => assert.strictEqual(hangupOf(reason), by))

  it("what was said, from the answer on, by whom, and nothing that nobody heard", () => {
    const said = [
      { role: "system", text: "Be brief.", at: 900 },
      { role: "assistant", text: "Hello.", at: 1_000 },
      { role: "user", text: " ", at: 2_000 },
      { role: "user", text: "Who is it?", at: 3_500 },
      { role: "assistant", text: "Early.", at: 500 },
    ]
    assert.deepStrictEqual(transcriptOf(said, 1_000), [
      { role: "agent", content: "Hello.", start_ms: 0, end_ms: null },
      { role: "user", content: "Who is it?", start_ms: 2_500, end_ms: null },
      { role: "agent", content: "Early.", start_ms: 0, end_ms: null },
    ])
  })

  it("a cost that is the sum of its parts, and grows with the call", () => {
    for (const milliseconds of [0, 1, 59_999, 3_600_000]) {
      const { breakdown, total } = costOf(milliseconds)
      const sum = Object.values(breakdown).reduce((all, part) => all + part, 0)
      assert.approximately(total, sum, 1e-6)
    }
    assert.isAbove(costOf(120_000).total, costOf(60_000).total)
  })

  it("the agent what it is: the call's prompt before its configuration's, with the variables", () => {
    assert.include(instructionsOf(job), "Remind them of Monday.")
    assert.include(instructionsOf(job), '{"name":"Ada"}')
    assert.notInclude(instructionsOf({ ...job, prompt: "Ask for Bob." }), "Monday")
    for (const configuration of [null, "text", { prompt: 5 }]) {
      assert.include(instructionsOf({ ...job, configuration }), "polite")
    }
  })
})
