import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial } from "../../../trial/Calls.ts"
import { minuteMs, secondMs } from "../../../trial/Duration.ts"
import { untilEnded, untilStatus } from "../../../trial/Progress.ts"

const silent: Case = {
  id: "calls/lifecycle/silent",
  title: "A leg that falls silent is asked about and ends as the carrier says",
  clauses: ["RETRY-P7", "SLOT-P5", "SLOT-P6", "CALL-GET-4", "STATUS-7"],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({ concurrency: { organization: 1 } })
    const agentId = await activeAgent(trial, client)
    const to_number = trial.numbers.magic("silent")
    // Over, unseen, well before anybody asks.
    await trial.rules([
      { match: { to_number }, outcome: { result: "silent", ring_ms: secondMs, talk_ms: 5 * secondMs } },
    ])
    const executionId = await dial(trial, client, agentId, to_number)
    const initiated = await untilStatus(trial, client, executionId, ["initiated"], 2_000)
    check.equal("reported-once", "STATUS-7", initiated?.at("status"), "initiated", initiated)
    const ended = await untilEnded(trial, client, executionId, 30 * minuteMs)
    // It rings for 30 s and is asked about some 30 s later, by a tick of 15 s.
    const silentMs = Date.parse(ended.string("updated_at")) - Date.parse(ended.string("created_at"))
    check.holds("asked-in-time", "SLOT-P6", silentMs <= 120 * secondMs, "some 30 s after its ring time", ended)
    check.equal("ends", ["RETRY-P7", "SLOT-P6"], ended.at("is_terminal"), true, ended)
    check.equal("as-the-carrier-says", "RETRY-P7", ended.at("status"), "completed", ended)
    const next = await trial.settle(
      client.post("/v2/calls", { agent_id: agentId, to_number: trial.numbers.magic("busy") }),
    )
    check.status("line-is-free-again", "SLOT-P5", next, 201)
  },
}

export const silenceCases: ReadonlyArray<Case> = [silent]
