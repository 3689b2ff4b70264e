import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, readCall, schedule } from "../../../trial/Calls.ts"
import { dayMs, minuteMs, secondMs } from "../../../trial/Duration.ts"
import { untilEnded, untilStatus } from "../../../trial/Progress.ts"

/** Turns as the carrier measures them; the second lacks the model, the third says nothing at all. */
const measuredTurns = [
  { heard_ms: 120, first_token_ms: 200, last_token_ms: 600, first_audio_ms: 80, audio_end_ms: 1_500 },
  { heard_ms: 100, first_audio_ms: 90, audio_end_ms: 900 },
  {},
  { heard_ms: 140, first_token_ms: 260, last_token_ms: 500, first_audio_ms: 100, audio_end_ms: 1_200 },
]

const summed: Case = {
  id: "calls/records/timing/each-summed",
  title: "Every turn whose three stages were measured has their sum",
  clauses: ["TIMING-10", "TIMING-P5"],
  requires: ["fixtures", "clock", "telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const to_number = trial.numbers.plain()
    const partly = { heard_ms: 110, first_token_ms: 210, first_audio_ms: 90 }
    const turns = [measuredTurns[0], measuredTurns[3], measuredTurns[0], partly].filter((turn) => turn !== undefined)
    const outcome = { result: "completed", ring_ms: secondMs, talk_ms: 20 * secondMs, turns }
    await trial.rules([{ match: { to_number }, outcome }])
    const executionId = await dial(trial, client, agentId, to_number)
    await untilEnded(trial, client, executionId)
    const answer = await client.get(`/v2/calls/${executionId}/timing`)
    // Which of a stage's figures counts is a reading, the same for every turn; that the three are summed is not.
    const told = [0, 1, 2].map((nth) => answer.at(`turns.${nth}.round_trip_ms`))
    const sums = [
      [400, 500, 400],
      [800, 740, 800],
      [1_820, 1_600, 1_820],
      [2_220, 1_840, 2_220],
    ]
    check.oneOf("each", "TIMING-10", told, sums, answer)
    check.equal("partly", "TIMING-P5", answer.at("turns.3.round_trip_ms"), 410, answer)
  },
}

const measured: Case = {
  id: "calls/records/timing/measured",
  title: "A conversation is timed turn by turn, and what was not measured is named",
  clauses: [
    "CALL-TIMING-1",
    "CALL-TIMING-2",
    "CALL-TIMING-3",
    "TIMING-1",
    "TIMING-2",
    "TIMING-3",
    "TIMING-4",
    "TIMING-P1",
    "TIMING-5",
    "TIMING-7",
    "TIMING-8",
    "TIMING-9",
    "TIMING-10",
    "TIMING-11",
    "TIMING-12",
    "TIMING-P2",
    "TIMING-P3",
    "TIMING-P4",
    "TIMING-P5",
    "TIMING-P6",
    "TIMING-6",
  ],
  requires: ["fixtures", "clock", "telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const to_number = trial.numbers.plain()
    const outcome = { result: "completed", ring_ms: secondMs, talk_ms: 20 * secondMs, turns: measuredTurns }
    await trial.rules([{ match: { to_number }, outcome }])
    const executionId = await dial(trial, client, agentId, to_number)
    await untilEnded(trial, client, executionId)
    const answer = await client.get(`/v2/calls/${executionId}/timing`)
    check.status("answered", ["CALL-TIMING-1", "CALL-TIMING-2"], answer, 200)
    check.equal("id", ["TIMING-1", "CALL-TIMING-2"], answer.at("execution_id"), executionId, answer)
    // Which of a stage's figures counts is a reading; that the three stages are summed is not.
    const first = answer.at("turns.0.round_trip_ms")
    check.oneOf("three-summed", ["TIMING-5", "TIMING-10"], first, [400, 800, 1_820, 2_220], answer)
    const last = answer.at("turns.3.round_trip_ms")
    check.oneOf("three-summed-again", ["TIMING-5", "TIMING-10"], last, [500, 740, 1_600, 1_840], answer)
    const named = [1, 2].map((turn) => answer.items(`turns.${turn}.round_trip_missing`).length)
    check.equal("as-many-as-missing", "TIMING-12", named, [1, 3], answer)
    check.holds("summarized", "TIMING-6", isObject(answer.at("summary")), "a summary", answer)
    check.equal(
      "measured",
      ["TIMING-2", "TIMING-3"],
      [answer.at("measured"), answer.at("not_measured_reason")],
      [true, null],
      answer,
    )
    check.equal("one-for-each-turn", "TIMING-5", answer.items("turns").length, 4, answer)
    check.equal("heard", "TIMING-P2", answer.at("turns.0.heard.final_transcript_ms"), 120, answer)
    check.equal(
      "thought",
      "TIMING-P2",
      [answer.at("turns.0.thought.first_token_ms"), answer.at("turns.0.thought.last_token_ms")],
      [200, 600],
      answer,
    )
    check.equal(
      "spoke",
      "TIMING-P2",
      [answer.at("turns.0.spoke.first_audio_ms"), answer.at("turns.0.spoke.complete_ms")],
      [80, 1_500],
      answer,
    )
    check.equal(
      "round-trip-sum",
      "TIMING-P3",
      [answer.at("turns.0.round_trip_ms"), answer.at("turns.3.round_trip_ms")],
      [400, 500],
      answer,
    )
    check.holds("round-trip", "TIMING-10", answer.number("turns.0.round_trip_ms") > 0, "a sum", answer)
    check.equal(
      "round-trip-null",
      ["TIMING-11"],
      [answer.at("turns.1.round_trip_ms"), answer.at("turns.2.round_trip_ms")],
      [null, null],
      answer,
    )
    check.equal("missing-named", "TIMING-P6", answer.at("turns.1.round_trip_missing"), ["thought"], answer)
    check.equal(
      "all-missing-named",
      ["TIMING-P5", "TIMING-P6"],
      answer.at("turns.2.round_trip_missing"),
      ["heard", "thought", "spoke"],
      answer,
    )
    const complete = answer.items("turns.0.round_trip_missing")
    check.equal("nothing-missing", "TIMING-12", complete.length, 0, answer)
    check.equal(
      "summary",
      "TIMING-P4",
      [answer.at("summary.turns"), answer.at("summary.turns_measured")],
      [4, 2],
      answer,
    )
    check.equal(
      "summary-range",
      "TIMING-P4",
      [answer.at("summary.round_trip.min"), answer.at("summary.round_trip.max"), answer.at("summary.round_trip.avg")],
      [400, 500, 450],
      answer,
    )
    const costs = [
      "stream_connect_ms",
      "transcriber_connect_ms",
      "language_model_connect_ms",
      "synthesizer_connect_ms",
      "time_to_first_audio_ms",
    ]
    const setup = answer.at("setup")
    const isNamed = setup === null || costs.every((name) => answer.at(`setup.${name}`) !== undefined)
    check.that("setup", "TIMING-P1", isNamed, { expected: costs, got: setup, at: answer })
    const call = await readCall(client, executionId)
    check.equal("not-in-the-call", "CALL-TIMING-3", call.at("timing"), undefined, call)
  },
}

const unmeasured: Case = {
  id: "calls/records/timing/unmeasured",
  title: "A call without turns says why nothing was measured",
  clauses: ["CALL-TIMING-2", "TIMING-2", "TIMING-3", "TIMING-5", "ERROR-9"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const booked = await schedule(trial, client, agentId, dayMs)
    const live = await dial(trial, client, agentId, trial.numbers.magic("legReportedLate", 40))
    const busy = await dial(trial, client, agentId, trial.numbers.magic("busy"))
    await untilEnded(trial, client, busy, 30 * secondMs)
    const rows: ReadonlyArray<readonly [name: string, executionId: string, reasons: ReadonlyArray<string>]> = [
      ["booked", booked, ["in_progress"]],
      ["live", live, ["in_progress"]],
      ["busy", busy, ["no_turns_completed", "never_recorded"]],
    ]
    for (const [name, executionId, reasons] of rows) {
      const answer = await client.get(`/v2/calls/${executionId}/timing`)
      check.status(name, "CALL-TIMING-2", answer, 200)
      check.equal(`${name}-not-measured`, "TIMING-2", answer.at("measured"), false, answer)
      check.oneOf(`${name}-reason`, "TIMING-3", answer.at("not_measured_reason"), reasons, answer)
      check.equal(`${name}-no-turns`, ["TIMING-2", "TIMING-5"], answer.at("turns"), [], answer)
    }
    check.refused("unknown", "ERROR-9", await client.get("/v2/calls/exec_unknown/timing"), 1200)
    await untilStatus(trial, client, live, ["initiated", "ringing"], minuteMs)
  },
}

export const timingCases: ReadonlyArray<Case> = [measured, summed, unmeasured]
