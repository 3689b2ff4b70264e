import { canonical } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, idsOf, readCall, stopCall } from "../../../trial/Calls.ts"
import { minuteMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"

const folded: Case = {
  id: "calls/lifecycle/folded",
  title: "After telephony lost its state the first id still answers, with the record that survived",
  clauses: ["CALL-GET-5", "CALL-GET-6", "CALL-GET-7", "CALL-GET-8", "CALL-GET-9", "CALL-OF-AGENT-10", "CALL-STOP-12"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const original = await dial(trial, client, agentId, trial.numbers.magic("folds"))
    const first = await readCall(client, original)
    check.equal("before", "CALL-GET-5", first.at("execution_id"), original, first)
    const ended = await untilEnded(trial, client, original)
    check.status("still-resolves", ["CALL-GET-6", "CALL-GET-7"], ended, 200)
    const survivor = ended.string("execution_id")
    check.that("survivor", ["CALL-GET-6", "CALL-GET-8"], survivor !== original && survivor !== "", {
      expected: "the id of the surviving record",
      got: survivor,
      at: ended,
    })
    check.equal("ends", "CALL-GET-6", ended.at("status"), "completed", ended)
    check.equal(
      "same-call",
      "CALL-GET-6",
      [ended.at("agent_id"), ended.at("to_number")],
      [agentId, first.at("to_number")],
      ended,
    )
    const direct = await readCall(client, survivor)
    check.that("same-body-under-both", ["CALL-GET-7", "CALL-GET-8"], canonical(direct.json) === canonical(ended.json), {
      expected: ended.text,
      got: direct.text,
      at: direct,
    })
    for (const below of ["/transcript", "/recording", "/timing"]) {
      const answer = await client.get(`/v2/calls/${original}${below}`)
      // The shape of a transcript is not shown: one that names no call is that of the call which was asked for.
      const named = answer.at("execution_id") ?? survivor
      check.equal(`below${below}`, ["CALL-GET-7"], [answer.status, named], [200, survivor], answer)
    }
    const list = await client.get("/v2/calls")
    check.equal("listed-once", "CALL-GET-9", [idsOf(list), list.at("pagination.total")], [[survivor], 1], list)
    const ofAgent = await client.get(`/v2/agents/${agentId}/executions`)
    check.equal("listed-once-for-the-agent", ["CALL-GET-9", "CALL-OF-AGENT-10"], idsOf(ofAgent), [survivor], ofAgent)
    const stopped = await stopCall(client, original)
    check.refused("stop-finds-it", ["CALL-GET-7", "CALL-STOP-12"], stopped, 1201)
    await trial.clock.advance(minuteMs)
  },
}

export const foldedCases: ReadonlyArray<Case> = [folded]
