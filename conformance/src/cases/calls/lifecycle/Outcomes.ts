import type { Answer } from "../../../http/Answer.ts"
import type { Case } from "../../../run/Case.ts"
import type { Checks } from "../../../run/Checks.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial } from "../../../trial/Calls.ts"
import type { MagicOutcome } from "../../../trial/Numbers.ts"
import { untilEnded } from "../../../trial/Progress.ts"

/** The words that a hang-up may be given (decisions, Calls). */
const hangupReasons = [
  "user_hangup",
  "agent_hangup",
  "voicemail_reached",
  "inactivity_timeout",
  "max_duration_reached",
  "dial_busy",
  "dial_no_answer",
  "dial_failed",
  "invalid_destination",
  "user_request",
  "carrier_error",
  "balance_low",
]

interface Expected {
  readonly outcome: MagicOutcome
  readonly parameter: number
  readonly status: string
  readonly clauses: ReadonlyArray<string>
  readonly also?: (check: Checks, ended: Answer) => void
}

const outcomes: ReadonlyArray<Expected> = [
  {
    outcome: "completed",
    parameter: 2,
    status: "completed",
    clauses: ["STATUS-10"],
    also: (check, ended) => {
      check.equal("completed-duration", "CALL-FIELD-14", ended.at("duration_seconds"), 20, ended)
      check.holds("completed-cost", "CALL-FIELD-19", ended.number("cost.total") > 0, "a cost above zero", ended)
      check.oneOf("completed-hangup-by", "CALL-FIELD-16", ended.at("hangup_by"), ["agent", "customer", null], ended)
      check.holds("completed-recording", "CALL-FIELD-18", ended.string("recording_url") !== "", "a recording", ended)
      check.holds("completed-moment", "CALL-FIELD-27", ended.string("completed_at") !== "", "completed_at", ended)
      check.oneOf("completed-no-voicemail", "CALL-FIELD-15", ended.at("answered_by_voicemail"), [false, null], ended)
      const parts = ["llm", "network", "platform", "synthesizer", "telephony", "transcriber"]
      const sum = parts.reduce((total, part) => total + ended.number(`cost.breakdown.${part}`), 0)
      const agrees = Math.abs(sum - ended.number("cost.total")) < 0.000_01
      check.that("completed-cost-adds-up", "CALL-FIELD-19", agrees, {
        expected: ended.at("cost.total"),
        got: sum,
        at: ended,
      })
    },
  },
  { outcome: "busy", parameter: 0, status: "busy", clauses: ["STATUS-13"] },
  { outcome: "noAnswer", parameter: 0, status: "no-answer", clauses: ["STATUS-14"] },
  {
    outcome: "voicemail",
    parameter: 0,
    status: "no-answer",
    clauses: ["STATUS-15"],
    also: (check, ended) => {
      check.equal("voicemail-told", "CALL-FIELD-15", ended.at("answered_by_voicemail"), true, ended)
    },
  },
  { outcome: "failed", parameter: 0, status: "failed", clauses: ["STATUS-12"] },
  { outcome: "error", parameter: 0, status: "error", clauses: ["STATUS-21"] },
  {
    outcome: "callDisconnected",
    parameter: 9,
    status: "call-disconnected",
    clauses: ["STATUS-22"],
    also: (check, ended) => {
      check.equal("callDisconnected-duration", "CALL-FIELD-14", ended.at("duration_seconds"), 9, ended)
    },
  },
]

const reasonOf: Readonly<Partial<Record<MagicOutcome, string>>> = {
  busy: "dial_busy",
  noAnswer: "dial_no_answer",
  voicemail: "voicemail_reached",
  failed: "dial_failed",
}

const ends: Case = {
  id: "calls/lifecycle/outcomes",
  title: "Every way in which a call can end is told by its status and its facts",
  clauses: [
    "STATUS-1",
    "STATUS-2",
    "STATUS-3",
    "STATUS-10",
    "STATUS-12",
    "STATUS-13",
    "STATUS-14",
    "STATUS-15",
    "STATUS-21",
    "STATUS-22",
    "CALL-FIELD-14",
    "CALL-FIELD-15",
    "CALL-FIELD-16",
    "CALL-FIELD-18",
    "CALL-FIELD-19",
    "CALL-FIELD-27",
    "CALL-GET-4",
    "CALL-HANGUP-P1",
    "STATUS-MOVE-P9",
    "ENVELOPE-P2",
  ],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const calls = new Map<MagicOutcome, string>()
    for (const { outcome, parameter } of outcomes) {
      calls.set(outcome, await dial(trial, client, agentId, trial.numbers.magic(outcome, parameter)))
    }
    for (const { outcome, status, clauses, also } of outcomes) {
      const executionId = calls.get(outcome) ?? ""
      const ended = await untilEnded(trial, client, executionId)
      check.equal(outcome, [...clauses, "STATUS-1", "CALL-GET-4"], ended.at("status"), status, ended)
      check.equal(`${outcome}-terminal`, ["STATUS-2", "STATUS-3"], ended.at("is_terminal"), true, ended)
      const reason = reasonOf[outcome]
      if (reason !== undefined)
        check.equal(`${outcome}-reason`, "CALL-HANGUP-P1", ended.at("hangup_reason"), reason, ended)
      check.oneOf(
        `${outcome}-reason-known`,
        "CALL-HANGUP-P1",
        ended.at("hangup_reason"),
        [...hangupReasons, null],
        ended,
      )
      if (status === "completed")
        check.equal("completed-without-error", "ENVELOPE-P2", ended.at("error"), undefined, ended)
      const notAnswered = outcome === "busy" || outcome === "noAnswer" || outcome === "failed"
      if (notAnswered) {
        check.equal(`${outcome}-no-recording`, "CALL-FIELD-18", ended.at("recording_url"), null, ended)
        check.oneOf(`${outcome}-no-duration`, "CALL-FIELD-14", ended.at("duration_seconds"), [0, null], ended)
      }
      also?.(check, ended)
    }
    await clock.advance(3_600_000)
    for (const { outcome, status } of outcomes) {
      const later = await client.get(`/v2/calls/${calls.get(outcome)}`)
      check.equal(`${outcome}-stays`, ["STATUS-3", "STATUS-MOVE-P9"], later.at("status"), status, later)
    }
  },
}

export const outcomeCases: ReadonlyArray<Case> = [ends]
