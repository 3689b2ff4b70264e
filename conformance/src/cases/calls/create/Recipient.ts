import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { idsOf, placeCall, readCall, stopCall } from "../../../trial/Calls.ts"
import { minuteMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"

/** Longest that a call may take to end once it was asked to. */
const endsWithinMs = 2 * minuteMs

const rung: Case = {
  id: "calls/create/recipient/rung",
  title: "A call to a number that the run was given is there from the first answer to the last, and can be stopped",
  clauses: ["CALL-CREATE-NOW-1", "CALL-CREATE-NOW-4", "CALL-LIST-3", "CALL-GET-5", "CALL-STOP-1"],
  requires: ["recipient"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = await activeAgent(trial, client)
    const to_number = trial.recipient
    const answer = await placeCall(trial, client, { agent_id, to_number })
    check.oneOf("placed", "CALL-CREATE-NOW-1", answer.status, [201, 202], answer)
    const executionId = answer.string("execution_id")
    check.must(executionId !== "")
    const echoed = [answer.at("agent_id"), answer.at("to_number")]
    check.equal("echo", "CALL-CREATE-NOW-4", echoed, [agent_id, to_number], answer)
    const list = await client.get("/v2/calls")
    check.holds("listed", "CALL-LIST-3", idsOf(list).includes(executionId), "the call is on the first page", list)
    const stopped = await stopCall(client, executionId)
    check.oneOf("stop", "CALL-STOP-1", stopped.status, [200, 202, 409], stopped)
    const ended = await untilEnded(trial, client, executionId, endsWithinMs)
    const seen = [(await readCall(client, executionId)).at("execution_id"), ended.at("is_terminal")]
    check.equal("one-call-to-its-end", "CALL-GET-5", seen, [executionId, true], ended)
  },
}

/** Calls that really ring somebody who is waiting for it. */
export const recipientCases: ReadonlyArray<Case> = [rung]
