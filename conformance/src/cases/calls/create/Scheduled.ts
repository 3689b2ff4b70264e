import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { bookCall, idsOf, readCall } from "../../../trial/Calls.ts"
import { dayMs, minuteMs, secondMs } from "../../../trial/Duration.ts"

const accepted: Case = {
  id: "calls/create/scheduled/accepted",
  title: "A call for later is accepted, stored and listed at once",
  clauses: [
    "CALL-CREATE-LATER-1",
    "CALL-CREATE-LATER-2",
    "CALL-LIST-4",
    "CALL-FIELD-26",
    "STATUS-5",
    "STATUS-MOVE-5",
    "STATUS-MOVE-7",
    "ERROR-STATUS-4",
    "CALL-FIELD-8",
    "CALL-FIELD-11",
    "ID-P1",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = await activeAgent(trial, client)
    const moment = Math.floor(((await trial.now()) + dayMs) / secondMs) * secondMs
    const to_number = trial.numbers.magic("completed", 1)
    const answer = await bookCall(trial, client, { agent_id, to_number, scheduled_at: new Date(moment).toISOString() })
    check.status("answered", ["STATUS-MOVE-5", "ERROR-STATUS-4"], answer, 202)
    check.equal("status", "CALL-CREATE-LATER-1", answer.at("status"), "scheduled", answer)
    check.equal("moment", "CALL-CREATE-LATER-2", Date.parse(answer.string("scheduled_at")), moment, answer)
    check.holds(
      "not-deferred",
      "CALL-CREATE-LATER-1",
      answer.at("deferred_by_calling_guard") !== true,
      "no deferral",
      answer,
    )
    const executionId = answer.string("execution_id")
    check.that("id-prefix", "ID-P1", executionId.startsWith("exec_"), {
      expected: "exec_…",
      got: executionId,
      at: answer,
    })
    const read = await readCall(client, executionId)
    check.equal("reads-scheduled", ["STATUS-5", "STATUS-MOVE-5"], read.at("status"), "scheduled", read)
    check.equal("reads-moment", "CALL-FIELD-26", Date.parse(read.string("scheduled_at")), moment, read)
    check.equal("no-contact", "CALL-FIELD-8", read.at("contact_id"), null, read)
    check.equal("no-retry", "CALL-FIELD-11", read.at("retry_count"), 0, read)
    check.equal("to-number", "STATUS-MOVE-5", [read.at("to_number"), read.at("agent_id")], [to_number, agent_id], read)
    const list = await client.get("/v2/calls")
    check.holds(
      "listed-at-once",
      ["CALL-LIST-4", "STATUS-MOVE-7"],
      idsOf(list).includes(executionId),
      "the call in the list",
      list,
    )
  },
}

const bounds: Case = {
  id: "calls/create/scheduled/bounds",
  title: "A call may be booked from 2 minutes to 30 days ahead, to the millisecond",
  clauses: ["CALL-CREATE-13", "CONSTANT-7", "ERROR-2", "ERROR-3"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const now = await clock.now()
    const to_number = trial.numbers.magic("completed", 1)
    const rows: ReadonlyArray<readonly [name: string, aheadMs: number, accepted: boolean]> = [
      ["past", -minuteMs, false],
      ["now", 0, false],
      ["2-minutes-less-1-ms", 2 * minuteMs - 1, false],
      ["2-minutes", 2 * minuteMs, true],
      ["30-days", 30 * dayMs, true],
      ["30-days-and-1-ms", 30 * dayMs + 1, false],
      ["next-year", 365 * dayMs, false],
    ]
    for (const [name, aheadMs, ok] of rows) {
      const answer = await client.post("/v2/calls", {
        agent_id,
        to_number,
        scheduled_at: new Date(now + aheadMs).toISOString(),
      })
      if (ok) check.status(name, ["CALL-CREATE-13", "CONSTANT-7"], answer, 202)
      else {
        check.refused(name, ["CALL-CREATE-13", "CONSTANT-7", "ERROR-2"], answer, 1001)
        check.names(`${name}-named`, "ERROR-3", answer, "scheduled_at")
      }
    }
  },
}

const roughBounds: Case = {
  id: "calls/create/scheduled/rough-bounds",
  title: "A call may be booked from 2 minutes to 30 days ahead, give or take the clocks of two machines",
  clauses: ["CALL-CREATE-13", "CONSTANT-7"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = await activeAgent(trial, client)
    const now = await trial.now()
    const to_number = trial.numbers.magic("completed", 1)
    const rows: ReadonlyArray<readonly [name: string, aheadMs: number, status: number]> = [
      ["one-minute", minuteMs, 422],
      ["ten-minutes", 10 * minuteMs, 202],
      ["29-days", 29 * dayMs, 202],
      ["31-days", 31 * dayMs, 422],
    ]
    for (const [name, aheadMs, status] of rows) {
      const scheduled_at = new Date(now + aheadMs).toISOString()
      const answer = await bookCall(trial, client, { agent_id, to_number, scheduled_at })
      check.status(name, ["CALL-CREATE-13", "CONSTANT-7"], answer, status)
    }
  },
}

const offset: Case = {
  id: "calls/create/scheduled/offset",
  title: "A moment without an offset is refused",
  clauses: ["TIME-2", "CALL-CREATE-12", "DECODE-P9"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = await activeAgent(trial, client)
    const scheduled_at = new Date((await trial.now()) + dayMs).toISOString().slice(0, 19)
    const answer = await bookCall(trial, client, {
      agent_id,
      to_number: trial.numbers.magic("completed", 1),
      scheduled_at,
    })
    check.rejected("rejected", ["TIME-2", "CALL-CREATE-12"], answer)
    check.refused("code", "DECODE-P9", answer, 1001)
  },
}

export const scheduledCases: ReadonlyArray<Case> = [accepted, bounds, roughBounds, offset]
