import { canonical } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, readCall, stopCall } from "../../../trial/Calls.ts"
import { minuteMs, secondMs } from "../../../trial/Duration.ts"
import { untilStatus } from "../../../trial/Progress.ts"

const completing: Case = {
  id: "calls/lifecycle/late/facts",
  title: "What is reported after the end completes the facts of a call and never its status",
  clauses: ["CALL-LATE-P1", "CALL-LATE-P2", "STATUS-3", "STATUS-17", "STATUS-MOVE-P9"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await dial(trial, client, agentId, trial.numbers.magic("holdsLine", 3))
    await untilStatus(trial, client, executionId, ["in-progress"], minuteMs)
    await clock.advance(20 * secondMs)
    trial.made(await stopCall(client, executionId), 202)
    const stopped = await readCall(client, executionId)
    check.equal("stopped", "STATUS-17", stopped.at("status"), "stopped", stopped)
    await clock.advance(10 * minuteMs)
    const later = await readCall(client, executionId)
    check.equal("stays-stopped", ["CALL-LATE-P1", "STATUS-3", "STATUS-MOVE-P9"], later.at("status"), "stopped", later)
    check.holds("duration", "CALL-LATE-P2", later.number("duration_seconds") >= 20, "20 s or more", later)
    check.holds("cost", "CALL-LATE-P2", later.number("cost.total") > 0, "a cost", later)
    check.holds("recording", "CALL-LATE-P2", later.string("recording_url") !== "", "a recording", later)
  },
}

const corrected: Case = {
  id: "calls/lifecycle/late/corrected",
  title: "A fact that is corrected afterwards leaves the status alone",
  clauses: ["CALL-LATE-P1", "CALL-LATE-P2", "STATUS-10"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await dial(trial, client, agentId, trial.numbers.magic("corrected"))
    const completed = await untilStatus(trial, client, executionId, ["completed"])
    check.equal("completed", "STATUS-10", completed?.at("status"), "completed", completed)
    // The facts as they first stand, before anything corrects them.
    let first = await readCall(client, executionId)
    for (let step = 0; step < 40 && first.string("recording_url") === ""; step++) {
      await clock.advance(250)
      first = await readCall(client, executionId)
    }
    await clock.advance(60 * minuteMs)
    const later = await readCall(client, executionId)
    check.equal("still-completed", ["CALL-LATE-P1", "STATUS-10"], later.at("status"), "completed", later)
    const facts = ["duration_seconds", "cost", "recording_url", "hangup_by", "hangup_reason"]
    const changed = facts.filter((name) => canonical(first.at(name)) !== canonical(later.at(name)))
    check.that("a-fact-changed", "CALL-LATE-P2", changed.length > 0, {
      expected: "one of the facts corrected",
      got: "none",
      at: later,
    })
  },
}

export const lateCases: ReadonlyArray<Case> = [completing, corrected]
