import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, placeCall } from "../../../trial/Calls.ts"
import { minuteMs, secondMs } from "../../../trial/Duration.ts"
import { watch } from "../../../trial/Progress.ts"

/** Where a call that is answered may go from each status, and the clause that says so (decisions, Calls). */
const moves: Readonly<Record<string, readonly [clause: string, next: ReadonlyArray<string>]>> = {
  queued: ["STATUS-MOVE-P5", ["initiated", "ringing", "in-progress"]],
  initiated: ["STATUS-MOVE-P6", ["ringing", "in-progress"]],
  ringing: ["STATUS-MOVE-P7", ["in-progress"]],
  "in-progress": ["STATUS-MOVE-P8", ["completed"]],
}

const phases: Case = {
  id: "calls/lifecycle/phases",
  title: "A call that is answered is queued, initiated, ringing and in progress before it has completed",
  clauses: [
    "STATUS-4",
    "STATUS-7",
    "STATUS-8",
    "STATUS-9",
    "STATUS-10",
    "CALL-GET-4",
    "STATUS-MOVE-P1",
    "STATUS-MOVE-P5",
    "STATUS-MOVE-P6",
    "STATUS-MOVE-P7",
    "STATUS-MOVE-P8",
    "STATUS-MOVE-P10",
    "CALL-FIELD-14",
    "CALL-FIELD-27",
  ],
  requires: ["fixtures", "clock", "telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const to_number = trial.numbers.plain()
    await trial.rules([
      {
        match: { to_number },
        outcome: { result: "completed", ring_ms: 5 * secondMs, talk_ms: 12 * secondMs, processing_ms: secondMs },
      },
    ])
    const placed = trial.made(await placeCall(trial, client, { agent_id: agentId, to_number }), 201)
    check.equal("queued", "STATUS-4", placed.at("status"), "queued", placed)
    const seen = await watch(trial, client, placed.string("execution_id"), 100)
    const statuses = seen.map((answer) => answer.string("status"))
    const onItsWay = ["queued", "initiated", "ringing", "in-progress"]
    check.oneOf("waits-or-on-its-way", ["STATUS-4", "CALL-GET-4"], statuses[0], onItsWay, seen[0])
    // How long a call that was accepted is queued is left open; that it is so until its leg is reported is a reading.
    check.equal("queued-until-its-leg", "STATUS-MOVE-P10", statuses[0], "queued", seen[0])
    const rows: ReadonlyArray<readonly [status: string, clause: string]> = [
      ["initiated", "STATUS-7"],
      ["ringing", "STATUS-8"],
      ["in-progress", "STATUS-9"],
      ["completed", "STATUS-10"],
    ]
    for (const [status, clause] of rows) {
      check.that(status, [clause, "CALL-GET-4"], statuses.includes(status), {
        expected: status,
        got: statuses,
        at: seen.at(-1),
      })
    }
    for (const [index, status] of statuses.entries()) {
      const next = statuses[index + 1]
      const [clause, allowed] = moves[status] ?? []
      if (next === undefined || clause === undefined || allowed === undefined) continue
      const holds = allowed.includes(next)
      check.that(`after-${status}`, ["STATUS-MOVE-P1", clause], holds, {
        expected: allowed,
        got: next,
        at: seen[index + 1],
      })
    }
    const ended = seen.at(-1)
    check.equal("talk-time", "CALL-FIELD-14", ended?.at("duration_seconds"), 12, ended)
    const talked = Date.parse(ended?.string("completed_at") ?? "") - Date.parse(ended?.string("created_at") ?? "")
    check.that("moments-in-order", "CALL-FIELD-27", talked >= 17 * secondMs, {
      expected: "17 s or more between created_at and completed_at",
      got: talked,
      at: ended,
    })
  },
}

const timeout: Case = {
  id: "calls/lifecycle/ring-time",
  title: "A phone rings for timeout_seconds and no longer",
  clauses: ["CALL-CREATE-16", "CALL-CREATE-17", "CONSTANT-8", "STATUS-14"],
  requires: ["fixtures", "clock", "telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    for (const [name, more, seconds] of [
      ["default", {}, 30],
      ["five", { timeout_seconds: 5 }, 5],
      ["longest", { timeout_seconds: 120 }, 120],
    ] as const) {
      const to_number = trial.numbers.plain()
      await trial.telephony.rules([
        { match: { to_number }, outcome: { result: "completed", ring_ms: 300 * secondMs, talk_ms: secondMs } },
      ])
      const executionId = await dial(trial, client, agentId, to_number, more)
      const seen = await watch(trial, client, executionId, 500, 200 * secondMs)
      const ended = seen.at(-1)
      check.equal(name, ["STATUS-14", "CALL-CREATE-17"], ended?.at("status"), "no-answer", ended)
      const rang =
        (Date.parse(ended?.string("completed_at") ?? "") - Date.parse(ended?.string("created_at") ?? "")) / secondMs
      const about = rang >= seconds && rang <= seconds + 3
      check.that(`${name}-time`, ["CALL-CREATE-16", "CALL-CREATE-17", "CONSTANT-8"], about, {
        expected: `about ${seconds} s`,
        got: rang,
        at: ended,
      })
    }
    await trial.telephony.rules([])
  },
}

const bookedTimeout: Case = {
  id: "calls/lifecycle/ring-time-of-a-booking",
  title: "The phone of a booked call rings as long as it was booked for",
  clauses: ["CALL-CREATE-17"],
  requires: ["fixtures", "clock", "telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const to_number = trial.numbers.plain()
    await trial.rules([{ match: { to_number }, outcome: { result: "completed", ring_ms: 300 * secondMs } }])
    const scheduled_at = new Date((await trial.now()) + 10 * minuteMs).toISOString()
    const body = { agent_id: agentId, to_number, scheduled_at, timeout_seconds: 5 }
    const booked = trial.made(await client.post("/v2/calls", body), 202)
    await trial.clock.advance(10 * minuteMs)
    await watch(trial, client, booked.string("execution_id"), 500, 200 * secondMs)
    const [leg] = await trial.telephony.legs({ to_number })
    const rang = (Date.parse(String(leg?.ended_at)) - Date.parse(String(leg?.placed_at))) / secondMs
    const holds = rang >= 5 && rang <= 8
    check.that("five", "CALL-CREATE-17", holds, { expected: "about 5 s", got: rang, at: booked })
  },
}

const late: Case = {
  id: "calls/lifecycle/noisy-reports",
  title: "Reports that come twice and out of order end a call once",
  clauses: ["STATUS-3", "STATUS-10", "STATUS-MOVE-P9", "CALL-LATE-P1", "CALL-GET-9"],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await dial(trial, client, agentId, trial.numbers.magic("duplicateReports"))
    const seen = await watch(trial, client, executionId, 250, 300 * secondMs)
    const ended = seen.at(-1)
    check.equal("ends", "STATUS-3", ended?.at("is_terminal"), true, ended)
    for (let step = 0; step < 10; step++) {
      await clock.advance(3 * secondMs)
      const later = await client.get(`/v2/calls/${executionId}`)
      check.equal(
        "stays",
        ["STATUS-3", "STATUS-MOVE-P9", "CALL-LATE-P1"],
        later.at("status"),
        ended?.at("status"),
        later,
      )
    }
    const list = await client.get("/v2/calls")
    check.equal("one-call", "CALL-GET-9", list.items().length, 1, list)
  },
}

export const phaseCases: ReadonlyArray<Case> = [phases, timeout, bookedTimeout, late]
