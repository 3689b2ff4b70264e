import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, readCall, schedule } from "../../../trial/Calls.ts"
import { dayMs, minuteMs, secondMs } from "../../../trial/Duration.ts"
import { untilEnded, untilStatus } from "../../../trial/Progress.ts"

const recorded: Case = {
  id: "calls/records/recording/recorded",
  title: "A recording is answered as a link, or as a redirect to it",
  clauses: [
    "CALL-RECORDING-1",
    "CALL-RECORDING-3",
    "CALL-RECORDING-4",
    "CALL-RECORDING-5",
    "CALL-RECORDING-6",
    "CALL-RECORDING-7",
    "CALL-RECORDING-8",
    "CALL-CREATE-14",
    "ERROR-STATUS-6",
    "VERSION-7",
    "CALL-FIELD-18",
    "DECODE-P7",
  ],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await dial(trial, client, agentId, trial.numbers.magic("completed", 2))
    const call = await untilEnded(trial, client, executionId)
    const path = `/v2/calls/${executionId}/recording`
    const answer = await client.get(path)
    check.status("answered", ["CALL-RECORDING-1", "CALL-RECORDING-4", "CALL-CREATE-14"], answer, 200)
    check.equal(
      "link",
      ["CALL-RECORDING-4", "CALL-FIELD-18"],
      answer.at("recording_url"),
      call.at("recording_url"),
      answer,
    )
    check.holds("type", "CALL-RECORDING-4", answer.string("content_type") !== "", "a content type", answer)
    check.equal("reserved", ["CALL-RECORDING-5", "VERSION-7"], answer.at("expires_at"), null, answer)
    check.equal("id", "CALL-RECORDING-4", answer.at("execution_id"), executionId, answer)
    const redirect = await client.get(path, { redirect: true })
    check.status("redirect", ["CALL-RECORDING-3", "CALL-RECORDING-6", "ERROR-STATUS-6"], redirect, 302)
    check.equal("location", "CALL-RECORDING-6", redirect.header("location"), call.at("recording_url"), redirect)
    check.holds(
      "rate-headers",
      "CALL-RECORDING-7",
      ["limit", "remaining", "reset"].every((name) => redirect.integerHeader(`x-ratelimit-${name}`) >= 0),
      "the three X-RateLimit headers on the redirect",
      redirect,
    )
    const audio = redirect.header("content-type")?.startsWith("audio/") === true
    check.holds("no-audio", "CALL-RECORDING-8", !audio, "no audio bytes", redirect)
    check.status("declined", "CALL-RECORDING-3", await client.get(path, { redirect: false }), 200)
    const wrong = await client.get(path, { redirect: "maybe" })
    check.refused("neither", "DECODE-P7", wrong, 1001)
  },
}

const missing: Case = {
  id: "calls/records/recording/missing",
  title: "A call without audio is told apart from a call that never was",
  clauses: [
    "CALL-RECORDING-9",
    "CALL-RECORDING-10",
    "CALL-RECORDING-11",
    "CALL-RECORDING-12",
    "CALL-CREATE-14",
    "CALL-CREATE-15",
    "CALL-FIELD-18",
    "MESSAGE-G5",
  ],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const unknown = await client.get("/v2/calls/exec_unknown/recording")
    check.refused("unknown", ["CALL-RECORDING-9", "CALL-RECORDING-10"], unknown, 1200)
    check.equal(
      "unknown-message",
      ["CALL-RECORDING-9", "CALL-RECORDING-10"],
      unknown.message,
      "Call not found.",
      unknown,
    )

    const silentAbout = async (name: string, cited: ReadonlyArray<string>, executionId: string) => {
      for (const query of [{}, { redirect: true }]) {
        const answer = await client.get(`/v2/calls/${executionId}/recording`, query)
        const id = "redirect" in query ? `${name}-redirect` : name
        check.refused(id, ["CALL-RECORDING-9", ...cited], answer, 1200)
        const told = "No recording is available for this execution."
        check.equal(`${id}-message`, ["CALL-RECORDING-11", "CALL-RECORDING-9"], answer.message, told, answer)
      }
    }
    await silentAbout("booked", ["CALL-RECORDING-12"], await schedule(trial, client, agentId, dayMs))
    const busy = await dial(trial, client, agentId, trial.numbers.magic("busy"))
    await untilEnded(trial, client, busy)
    await silentAbout("never-answered", ["CALL-RECORDING-12"], busy)
    const off = await dial(trial, client, agentId, trial.numbers.magic("completed", 1), { record: false })
    const ended = await untilEnded(trial, client, off)
    check.equal("recording-off-in-call", ["CALL-FIELD-18", "CALL-CREATE-14"], ended.at("recording_url"), null, ended)
    await silentAbout("recording-off", ["CALL-RECORDING-12", "CALL-CREATE-14"], off)
    const produced = await dial(trial, client, agentId, trial.numbers.magic("noRecording"))
    await untilEnded(trial, client, produced)
    await silentAbout("none-produced", ["CALL-RECORDING-12"], produced)
    const live = await dial(trial, client, agentId, trial.numbers.magic("holdsLine", 2))
    await untilStatus(trial, client, live, ["in-progress"], minuteMs)
    await silentAbout("not-finished", ["CALL-RECORDING-12"], live)

    const booked = await schedule(trial, client, agentId, 5 * minuteMs, { record: false })
    await clock.advance(5 * minuteMs + secondMs)
    await untilEnded(trial, client, booked)
    await silentAbout("recording-off-when-booked", ["CALL-CREATE-15"], booked)
    const loud = await schedule(trial, client, agentId, 5 * minuteMs)
    await clock.advance(5 * minuteMs + secondMs)
    await untilEnded(trial, client, loud)
    const kept = await readCall(client, loud)
    check.holds(
      "recorded-when-booked",
      ["CALL-CREATE-14", "CALL-CREATE-15"],
      kept.string("recording_url") !== "",
      "a recording by default",
      kept,
    )
  },
}

export const recordingCases: ReadonlyArray<Case> = [recorded, missing]
