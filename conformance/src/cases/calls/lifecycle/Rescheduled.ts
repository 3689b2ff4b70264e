import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { readCall, schedule, stopCall } from "../../../trial/Calls.ts"
import { minuteMs, secondMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"
import { hold } from "../../concurrency/Gate.ts"

const rescheduled: Case = {
  id: "calls/lifecycle/rescheduled/no-line",
  title: "A booked call that finds no line waits, is moved to a minute later and is never refused",
  clauses: [
    "STATUS-6",
    "STATUS-2",
    "CALL-DUE-P1",
    "CALL-DUE-P2",
    "STATUS-MOVE-P3",
    "STATUS-MOVE-P1",
    "STATUS-MOVE-P4",
    "STATUS-MOVE-P5",
    "CALL-STOP-P1",
    "CALL-STOP-4",
  ],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 1 } })
    const agentId = await activeAgent(trial, client)
    const to_number = trial.numbers.magic("legReportedLate", 20)
    const executionId = await schedule(trial, client, agentId, 10 * minuteMs, { to_number })
    const other = await schedule(trial, client, agentId, 10 * minuteMs)
    const due = Date.parse((await readCall(client, executionId)).string("scheduled_at"))
    await clock.advance(9 * minuteMs)
    const [line] = await hold(trial, client, agentId, 1)
    await clock.advance(due - (await clock.now()) + 14 * secondMs)
    const waiting = await readCall(client, executionId)
    check.that("waits", "CALL-DUE-P1", waiting.at("is_terminal") === false && waiting.at("status") !== "rescheduled", {
      expected: "still waiting for a line",
      got: waiting.at("status"),
      at: waiting,
    })
    await clock.advance(5 * secondMs)
    const moved = await readCall(client, executionId)
    check.equal("moved", ["CALL-DUE-P2", "STATUS-MOVE-P3"], moved.at("status"), "rescheduled", moved)
    const wasQueued = waiting.at("status") === "queued"
    check.that("not-from-queued", ["STATUS-MOVE-P1", "STATUS-MOVE-P5"], !wasQueued || moved.at("status") === "queued", {
      expected: "a call that is queued is not moved",
      got: moved.at("status"),
      at: moved,
    })
    // That it is moved is a reading; what is said of a call that was moved is not.
    const wasMoved = moved.at("status") === "rescheduled"
    check.that("in-flight", ["STATUS-2", "STATUS-6"], !wasMoved || moved.at("is_terminal") === false, {
      expected: false,
      got: moved.at("is_terminal"),
      at: moved,
    })
    const next = Date.parse(moved.string("scheduled_at"))
    const gaveUp = next - minuteMs
    check.that(
      "a-minute-after-it-gave-up",
      "CALL-DUE-P2",
      gaveUp >= due + 15 * secondMs && gaveUp <= due + 19 * secondMs,
      { expected: "a minute after about 15 s of waiting", got: moved.at("scheduled_at"), at: moved },
    )
    check.that("no-failure", "STATUS-6", !wasMoved || moved.at("error") === undefined, {
      expected: "no error",
      got: moved.at("error"),
      at: moved,
    })

    const stopped = await stopCall(client, other)
    check.status("can-be-cancelled", "CALL-STOP-P1", stopped, 200)
    trial.made(await stopCall(client, line ?? ""), 202)
    // It has not been moved by whoever does not keep this reading.
    await clock.advance(Math.max(0, next - (await clock.now())) + 2 * secondMs)
    const dialled = await readCall(client, executionId)
    check.that("dialled-then", ["CALL-DUE-P1", "STATUS-MOVE-P4"], dialled.at("status") !== "rescheduled", {
      expected: "dialled",
      got: dialled.at("status"),
      at: dialled,
    })
    check.equal("queued-then", "STATUS-MOVE-P4", dialled.at("status"), "queued", dialled)
    const ended = await untilEnded(trial, client, executionId)
    check.equal("completes", "CALL-DUE-P1", ended.at("status"), "completed", ended)
  },
}

const inTime: Case = {
  id: "calls/lifecycle/rescheduled/line-in-time",
  title: "A booked call takes the line that frees within its fifteen seconds",
  clauses: ["CALL-DUE-P1"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 1 } })
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, 10 * minuteMs)
    await clock.advance(9 * minuteMs)
    const [line] = await hold(trial, client, agentId, 1)
    await clock.advance(minuteMs + 5 * secondMs)
    trial.made(await stopCall(client, line ?? ""), 202)
    await clock.advance(8 * secondMs)
    const call = await readCall(client, executionId)
    const gotIt = call.at("status") !== "scheduled" && call.at("status") !== "rescheduled"
    check.that("dialled", "CALL-DUE-P1", gotIt, {
      expected: "dialled on the freed line",
      got: call.at("status"),
      at: call,
    })
  },
}

export const rescheduledCases: ReadonlyArray<Case> = [rescheduled, inTime]
