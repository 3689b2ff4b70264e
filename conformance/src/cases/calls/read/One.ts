import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, isTranscript, readCall, schedule, stopCall } from "../../../trial/Calls.ts"
import { dayMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"

const unknown: Case = {
  id: "calls/read/one/unknown",
  title: "A call that never was is unknown on every route below it",
  clauses: ["ERROR-9", "MESSAGE-G5", "CALL-RECORDING-9", "CALL-RECORDING-10"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    for (const below of ["", "/transcript", "/recording", "/timing"]) {
      const answer = await client.get(`/v2/calls/exec_unknown${below}`)
      check.refused(`get${below}`, "ERROR-9", answer, 1200)
      check.equal(`get${below}-wording`, "MESSAGE-G5", answer.message, "Call not found.", answer)
      if (below === "/recording") {
        const told = "Call not found."
        check.equal("recording-told-apart", ["CALL-RECORDING-9", "CALL-RECORDING-10"], answer.message, told, answer)
      }
    }
    check.refused("stop", "ERROR-9", await stopCall(client, "exec_unknown"), 1200)
  },
}

const tenants: Case = {
  id: "calls/read/one/tenants",
  title: "A call of another organization answers byte for byte like one that never was",
  clauses: ["CALL-GET-10", "TENANCY-1", "TENANCY-2", "ERROR-9", "ERROR-FORBIDDEN-2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const a = await trial.organization()
    const b = await trial.organization()
    const agentId = await activeAgent(trial, a.client)
    const executionId = await schedule(trial, a.client, agentId, dayMs)
    const before = await readCall(a.client, executionId)
    for (const below of ["", "/transcript", "/recording", "/timing"]) {
      const theirs = await b.client.get(`/v2/calls/${executionId}${below}`)
      const nobodys = await b.client.get(`/v2/calls/exec_unknown${below}`)
      check.refused(`get${below}`, ["CALL-GET-10", "TENANCY-2", "ERROR-9", "ERROR-FORBIDDEN-2"], theirs, 1200)
      check.equal(`get${below}-same-bytes`, "TENANCY-2", theirs.text, nobodys.text, theirs)
    }
    const stopped = await stopCall(b.client, executionId)
    check.refused("stop", ["TENANCY-2", "ERROR-9"], stopped, 1200)
    check.equal("stop-same-bytes", "TENANCY-2", stopped.text, (await stopCall(b.client, "exec_unknown")).text, stopped)
    const after = await readCall(a.client, executionId)
    check.equal("untouched", "TENANCY-2", after.json, before.json, after)
    const list = await b.client.get("/v2/calls")
    check.equal("not-listed", "TENANCY-1", [list.items().length, list.at("pagination.total")], [0, 0], list)
    for (const filter of ["agent_id", "to_number"]) {
      const value = filter === "agent_id" ? agentId : before.string("to_number")
      const filtered = await b.client.get("/v2/calls", { [filter]: value })
      check.equal(`not-found-by-${filter}`, "TENANCY-1", filtered.items().length, 0, filtered)
    }
  },
}

const transcripts: Case = {
  id: "calls/read/one/transcript-on-request",
  title: "The transcript comes with a call only when it is asked for",
  clauses: ["CALL-GET-3", "CALL-FIELD-28"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await dial(trial, client, agentId, trial.numbers.magic("completed", 2))
    await untilEnded(trial, client, executionId)
    const plain = await readCall(client, executionId)
    check.equal("left-out", ["CALL-GET-3", "CALL-FIELD-28"], plain.at("transcript"), undefined, plain)
    const declined = await readCall(client, executionId, { include_transcript: false })
    check.equal("declined", "CALL-GET-3", declined.at("transcript"), undefined, declined)
    const asked = await readCall(client, executionId, { include_transcript: true })
    check.holds(
      "asked",
      ["CALL-GET-3", "CALL-FIELD-28"],
      isTranscript(asked.at("transcript")),
      "turns, or one text",
      asked,
    )
    const row = await client.get("/v2/calls", { include_transcript: true })
    check.holds("asked-in-list", "CALL-FIELD-28", isTranscript(row.at("data.0.transcript")), "turns, or one text", row)
    const without = await client.get("/v2/calls")
    check.equal("left-out-of-list", "CALL-FIELD-28", without.at("data.0.transcript"), undefined, without)
  },
}

export const oneCases: ReadonlyArray<Case> = [unknown, tenants, transcripts]
