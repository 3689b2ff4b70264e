import type { Case } from "../../../run/Case.ts"
import { activeAgent, moveAgent } from "../../../trial/Agents.ts"
import { readCall, schedule } from "../../../trial/Calls.ts"
import { minuteMs, secondMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"

const dialled: Case = {
  id: "calls/lifecycle/due/dialled",
  title: "A booked call is dialled when it is due, not before, and keeps its id",
  clauses: ["CALL-CREATE-LATER-2", "STATUS-5", "CALL-GET-4", "CALL-GET-5", "STATUS-MOVE-P3", "STATUS-MOVE-6"],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, 10 * minuteMs)
    await clock.advance(10 * minuteMs - 1)
    const before = await readCall(client, executionId)
    check.equal("not-before", ["CALL-CREATE-LATER-2", "STATUS-5"], before.at("status"), "scheduled", before)
    const early = await trial.telephony.legs({ execution_id: executionId })
    check.equal("nobody-rung-before", "CALL-CREATE-LATER-2", early.length, 0)
    await clock.advance(5 * secondMs)
    const due = await readCall(client, executionId)
    check.that("dialled-when-due", ["CALL-CREATE-LATER-2", "STATUS-MOVE-P3"], due.at("status") !== "scheduled", {
      expected: "dialled",
      got: due.at("status"),
      at: due,
    })
    const ended = await untilEnded(trial, client, executionId)
    check.equal(
      "same-id",
      ["CALL-GET-5", "STATUS-MOVE-6"],
      [ended.at("execution_id"), ended.at("status")],
      [executionId, "completed"],
      ended,
    )
    const legs = await trial.telephony.legs({ execution_id: executionId })
    check.equal("one-leg", "CALL-CREATE-LATER-2", legs.length, 1)
  },
}

const inactive: Case = {
  id: "calls/lifecycle/due/agent-not-active",
  title: "A booked call whose agent is no longer active ends as error, and nobody is rung",
  clauses: ["CALL-DUE-P3", "AGENT-STATUS-6"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, 10 * minuteMs)
    trial.made(await moveAgent(client, agentId, "INACTIVE"), 200)
    await clock.advance(11 * minuteMs)
    const ended = await readCall(client, executionId)
    check.equal("error", "CALL-DUE-P3", ended.at("status"), "error", ended)
    const legs = await trial.telephony.legs({ execution_id: executionId })
    check.equal("nobody-rung", "AGENT-STATUS-6", legs.length, 0)
  },
}

export const dueCases: ReadonlyArray<Case> = [dialled, inactive]
