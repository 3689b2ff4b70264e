import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, placeCall, readCall, stopCall } from "../../../trial/Calls.ts"
import { minuteMs, secondMs } from "../../../trial/Duration.ts"
import { untilEnded, untilStatus } from "../../../trial/Progress.ts"

const live: Case = {
  id: "calls/stop/live",
  title: "A call with a leg is hung up in every phase: 202, stopped, and it stays stopped",
  clauses: [
    "CALL-STOP-7",
    "CALL-STOP-8",
    "CALL-STOP-9",
    "CALL-STOP-10",
    "CALL-STOP-P3",
    "CALL-STOP-P6",
    "STATUS-17",
    "STATUS-18",
    "STATUS-MOVE-13",
    "STATUS-MOVE-14",
    "ERROR-STATUS-4",
    "CALL-STOP-12",
  ],
  requires: ["fixtures", "clock", "telephony"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const rows: ReadonlyArray<readonly [phase: string, body: unknown, reason: string]> = [
      ["initiated", undefined, "user_request"],
      ["ringing", { reason: "wrong number" }, "wrong number"],
      ["in-progress", { reason: null }, "user_request"],
    ]
    for (const [phase, body, reason] of rows) {
      const to_number = trial.numbers.plain()
      await trial.telephony.rules([
        { match: { to_number }, outcome: { result: "completed", ring_ms: 8 * secondMs, talk_ms: 5 * minuteMs } },
      ])
      const executionId = await dial(trial, client, agentId, to_number)
      const reached = await untilStatus(trial, client, executionId, [phase], 30 * secondMs)
      if (reached === undefined) {
        check.note(`${phase}-not-seen`, "CALL-STOP-P3", "the call passed this phase between two looks")
        continue
      }
      const before = await clock.now()
      const answer = await stopCall(client, executionId, body)
      if (phase === "initiated") {
        check.status("initiated-has-a-leg", "CALL-STOP-P3", answer, 202)
        // That it was handed to the provider says nothing of a leg: one without a leg is still being placed.
        if (answer.status === 409 && answer.header("retry-after") === "2") continue
      }
      check.status(`${phase}-answered`, ["CALL-STOP-7", "STATUS-MOVE-13", "ERROR-STATUS-4"], answer, 202)
      check.equal(
        `${phase}-fields`,
        "CALL-STOP-8",
        [answer.at("execution_id"), answer.at("status")],
        [executionId, "stopped"],
        answer,
      )
      check.equal(`${phase}-reason`, "CALL-STOP-9", answer.at("reason"), reason, answer)
      const requested = answer.at("requested_at") === null ? null : Date.parse(answer.string("requested_at"))
      check.oneOf(`${phase}-moment`, "CALL-STOP-8", requested, [before, null], answer)
      const read = await readCall(client, executionId)
      check.equal(
        `${phase}-flips-at-once`,
        ["CALL-STOP-10", "STATUS-17", "STATUS-MOVE-14"],
        [read.at("status"), read.at("is_terminal")],
        ["stopped", true],
        read,
      )
      check.equal(`${phase}-no-failure`, "STATUS-18", read.at("error"), undefined, read)
      const again = await stopCall(client, executionId)
      check.refused(`${phase}-again`, "CALL-STOP-12", again, 1201)
      check.names(`${phase}-again-names-the-status`, "CALL-STOP-12", again, "stopped")
      await clock.advance(minuteMs)
      const later = await readCall(client, executionId)
      check.equal(`${phase}-stays`, ["STATUS-17", "CALL-STOP-P6"], later.at("status"), "stopped", later)
      const legs = await trial.telephony.legs({ execution_id: executionId })
      check.equal(`${phase}-leg-ended`, "STATUS-MOVE-13", legs.filter((leg) => leg.live === true).length, 0)
    }
    await trial.telephony.rules([])
  },
}

const beingPlaced: Case = {
  id: "calls/stop/still-being-placed",
  title: "A call that is dialled but has no leg yet cannot be stopped for the moment",
  clauses: ["CALL-STOP-11", "CALL-STOP-13", "CALL-STOP-P2", "STATUS-MOVE-P10", "MESSAGE-1", "MESSAGE-G7", "ERROR-10"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await dial(trial, client, agentId, trial.numbers.magic("legReportedLate", 30))
    for (const afterMs of [0, 20 * secondMs]) {
      await clock.advance(afterMs)
      const answer = await stopCall(client, executionId)
      check.refused("refused", ["CALL-STOP-13", "ERROR-10"], answer, 1201)
      check.equal("retry-after", ["CALL-STOP-13", "MESSAGE-1"], answer.header("retry-after"), "2", answer)
      check.equal("wording", "MESSAGE-G7", answer.message, "The call is still being placed. Retry in a moment.", answer)
      const read = await readCall(client, executionId)
      check.equal("still-in-flight", "CALL-STOP-13", read.at("is_terminal"), false, read)
      check.equal("still-queued", ["CALL-STOP-P2", "STATUS-MOVE-P10"], read.at("status"), "queued", read)
    }
    await untilStatus(trial, client, executionId, ["initiated", "ringing", "in-progress"], minuteMs)
    check.status("then-stopped", "CALL-STOP-P2", await stopCall(client, executionId), 202)

    const unconfirmed = await placeCall(trial, client, {
      agent_id: agentId,
      to_number: trial.numbers.magic("unconfirmedNeverDialled"),
    })
    trial.made(unconfirmed, 202)
    const answer = await stopCall(client, unconfirmed.string("execution_id"))
    check.refused("unconfirmed", "CALL-STOP-P2", answer, 1201)
    check.equal("unconfirmed-retry-after", "CALL-STOP-P2", answer.header("retry-after"), "2", answer)
  },
}

const refused: Case = {
  id: "calls/stop/refused-by-the-provider",
  title: "A hang-up that the provider refuses changes nothing",
  clauses: ["CALL-STOP-11", "CALL-STOP-14", "CALL-STOP-P5", "ERROR-10"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await dial(trial, client, agentId, trial.numbers.magic("hangupRefused"))
    const phases = ["ringing", "in-progress"]
    const reached = await untilStatus(trial, client, executionId, phases, minuteMs)
    const answer = await stopCall(client, executionId)
    check.refused("refused", ["CALL-STOP-14", "ERROR-10"], answer, 1201)
    const read = await readCall(client, executionId)
    check.equal("unchanged", "CALL-STOP-P5", read.at("status"), reached?.at("status"), read)

    // Each of the three conflicts has its own message.
    const placing = await dial(trial, client, agentId, trial.numbers.magic("legReportedLate", 60))
    const beingPlaced = await stopCall(client, placing)
    await untilEnded(trial, client, executionId)
    const ended = await stopCall(client, executionId)
    const messages = [answer.message, beingPlaced.message, ended.message]
    check.that("three-messages", "CALL-STOP-11", new Set(messages).size === 3, {
      expected: "three different messages",
      got: messages,
      at: answer,
    })
  },
}

const ended: Case = {
  id: "calls/stop/ended",
  title: "A call that has ended cannot be stopped, and the message names how it ended",
  clauses: ["CALL-STOP-12", "CALL-STOP-P4", "MESSAGE-G6", "ERROR-10", "STATUS-MOVE-P9"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const rows = [
      ["completed", "completed"],
      ["busy", "busy"],
      ["noAnswer", "no-answer"],
      ["failed", "failed"],
      ["error", "error"],
      ["callDisconnected", "call-disconnected"],
    ] as const
    for (const [outcome, status] of rows) {
      const executionId = await dial(trial, client, agentId, trial.numbers.magic(outcome, 1))
      const before = await untilEnded(trial, client, executionId)
      const answer = await stopCall(client, executionId)
      check.refused(outcome, ["CALL-STOP-12", "ERROR-10"], answer, 1201)
      check.names(`${outcome}-named`, "CALL-STOP-12", answer, status)
      check.equal(
        `${outcome}-wording`,
        "MESSAGE-G6",
        answer.message,
        `This call already ended (status=${status}).`,
        answer,
      )
      const after = await readCall(client, executionId)
      check.equal(`${outcome}-unchanged`, ["CALL-STOP-P4", "STATUS-MOVE-P9"], after.json, before.json, after)
    }
  },
}

export const stopLiveCases: ReadonlyArray<Case> = [live, beingPlaced, refused, ended]
