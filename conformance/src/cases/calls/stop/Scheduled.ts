import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { readCall, schedule, stopCall } from "../../../trial/Calls.ts"
import { dayMs, minuteMs } from "../../../trial/Duration.ts"

const canceled: Case = {
  id: "calls/stop/scheduled",
  title: "A booked call that is stopped is cancelled, with the time that will never come",
  clauses: [
    "CALL-STOP-3",
    "CALL-STOP-4",
    "CALL-STOP-5",
    "CALL-STOP-6",
    "CALL-STOP-12",
    "STATUS-16",
    "STATUS-MOVE-11",
    "CALL-STOP-P1",
    "CALL-STOP-P4",
    "MESSAGE-G6",
    "ERROR-10",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, dayMs)
    const before = await readCall(client, executionId)
    const answer = await stopCall(client, executionId)
    check.status("answered", ["CALL-STOP-4", "STATUS-MOVE-11"], answer, 200)
    check.equal(
      "fields",
      "CALL-STOP-5",
      [answer.at("execution_id"), answer.at("status"), answer.at("canceled_before_dial")],
      [executionId, "canceled", true],
      answer,
    )
    const never = answer.at("scheduled_at")
    const moment = never === null ? null : Date.parse(answer.string("scheduled_at"))
    check.oneOf("moment", "CALL-STOP-6", moment, [null, Date.parse(before.string("scheduled_at"))], answer)
    const read = await readCall(client, executionId)
    check.equal(
      "reads-canceled",
      ["STATUS-16", "STATUS-MOVE-11"],
      [read.at("status"), read.at("is_terminal")],
      ["canceled", true],
      read,
    )
    const again = await stopCall(client, executionId)
    check.refused("again", ["CALL-STOP-12", "ERROR-10"], again, 1201)
    check.names("again-names-the-status", "CALL-STOP-12", again, "canceled")
    check.equal("again-wording", "MESSAGE-G6", again.message, "This call already ended (status=canceled).", again)

    const forms: ReadonlyArray<readonly [name: string, body: unknown]> = [
      ["reason", { reason: "changed my mind" }],
      ["null-reason", { reason: null }],
      ["empty-object", {}],
    ]
    for (const [name, body] of forms) {
      const other = await schedule(trial, client, agentId, dayMs)
      check.status(name, "CALL-STOP-3", await stopCall(client, other, body), 200)
    }
  },
}

const malformed: Case = {
  id: "calls/stop/malformed",
  title: "A malformed stop changes nothing",
  clauses: ["CALL-STOP-3", "DECODE-P3", "DECODE-P5", "ERROR-3"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, dayMs)
    const wrong = await stopCall(client, executionId, { reason: 5 })
    check.refused("reason-number", ["CALL-STOP-3", "DECODE-P3"], wrong, 1001)
    check.names("reason-named", ["ERROR-3", "DECODE-P3"], wrong, "reason")
    check.refused("array", "DECODE-P5", await stopCall(client, executionId, []), 1000)
    const raw = { raw: "{", headers: { "content-type": "application/json" } }
    check.refused("unclosed", "DECODE-P5", await client.send("POST", `/v2/calls/${executionId}/stop`, raw), 1000)
    const read = await readCall(client, executionId)
    check.equal("still-scheduled", "CALL-STOP-3", read.at("status"), "scheduled", read)
  },
}

const neverRung: Case = {
  id: "calls/stop/never-rung",
  title: "Nobody is rung for a cancelled call, and nothing is billed",
  clauses: ["STATUS-MOVE-12", "STATUS-16", "CALL-STOP-P1", "CALL-FIELD-19"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, 10 * minuteMs)
    await clock.advance(10 * minuteMs - 1)
    const answer = await stopCall(client, executionId)
    check.status("to-the-last", "CALL-STOP-P1", answer, 200)
    await clock.advance(30 * minuteMs)
    const legs = await trial.telephony.legs({ execution_id: executionId })
    check.equal("nobody-rung", "STATUS-MOVE-12", legs.length, 0)
    const read = await readCall(client, executionId)
    check.equal("stays-canceled", "STATUS-16", read.at("status"), "canceled", read)
    check.equal("nothing-billed", ["STATUS-MOVE-12", "CALL-FIELD-19"], read.at("cost.total"), 0, read)
  },
}

export const stopScheduledCases: ReadonlyArray<Case> = [canceled, malformed, neverRung]
