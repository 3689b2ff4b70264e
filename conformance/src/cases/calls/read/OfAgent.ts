import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, idsOf, isTranscript, schedule, stopCall } from "../../../trial/Calls.ts"
import { dayMs, hourMs, minuteMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"

const history: Case = {
  id: "calls/read/of-agent/history",
  title: "An agent's calls are listed in every phase, newest first, and chosen by status, direction and time",
  clauses: [
    "CALL-OF-AGENT-1",
    "CALL-OF-AGENT-3",
    "CALL-OF-AGENT-4",
    "CALL-OF-AGENT-5",
    "CALL-OF-AGENT-6",
    "CALL-OF-AGENT-7",
    "CALL-OF-AGENT-8",
    "CALL-OF-AGENT-9",
    "CALL-OF-AGENT-10",
    "CALL-OF-AGENT-11",
    "STATUS-FILTER-1",
    "STATUS-FILTER-2",
    "DECODE-P8",
  ],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const one = await activeAgent(trial, client)
    const two = await activeAgent(trial, client)
    const path = `/v2/agents/${one}/executions`
    const done = await dial(trial, client, one, trial.numbers.magic("completed", 1))
    await untilEnded(trial, client, done)
    const box = await dial(trial, client, one, trial.numbers.magic("voicemail"))
    await untilEnded(trial, client, box)
    const unheard = await dial(trial, client, one, trial.numbers.magic("noAnswer"))
    await untilEnded(trial, client, unheard)
    await dial(trial, client, two, trial.numbers.magic("busy"))
    await clock.advance(minuteMs)
    const middle = new Date(await clock.now()).toISOString()
    const inIndia = `${new Date((await clock.now()) + 5.5 * hourMs).toISOString().slice(0, -1)}+05:30`
    await clock.advance(minuteMs)
    const booked = await schedule(trial, client, one, dayMs)
    await clock.advance(minuteMs)
    const live = await dial(trial, client, one, trial.numbers.magic("holdsLine", 30))
    await clock.advance(minuteMs)
    const gone = await schedule(trial, client, one, dayMs)
    trial.made(await stopCall(client, gone), 200)

    const all = await client.get(path)
    check.equal(
      "every-phase-newest-first",
      ["CALL-OF-AGENT-1", "CALL-OF-AGENT-5", "CALL-OF-AGENT-10", "CALL-OF-AGENT-11"],
      idsOf(all),
      [gone, live, booked, unheard, box, done],
      all,
    )
    const rows: ReadonlyArray<
      readonly [
        name: string,
        clause: string | ReadonlyArray<string>,
        query: Readonly<Record<string, string>>,
        expected: ReadonlyArray<string>,
      ]
    > = [
      ["one-status", "CALL-OF-AGENT-3", { status: "completed" }, [done]],
      ["two-statuses", "CALL-OF-AGENT-3", { status: "completed,scheduled" }, [booked, done]],
      ["no-answer", "CALL-OF-AGENT-3", { status: "no-answer" }, [unheard, box]],
      ["voicemail", ["CALL-OF-AGENT-4", "STATUS-FILTER-1"], { status: "voicemail" }, [box]],
      ["voice-mail", "STATUS-FILTER-2", { status: "voice-mail" }, [box]],
      ["voice_mail", "STATUS-FILTER-2", { status: "voice_mail" }, [box]],
      ["voicemail-and-more", "CALL-OF-AGENT-4", { status: "voicemail,completed" }, [box, done]],
      ["outbound", "CALL-OF-AGENT-6", { direction: "outbound" }, [gone, live, booked, unheard, box, done]],
      ["inbound", "CALL-OF-AGENT-6", { direction: "inbound" }, []],
      ["inbound-completed", "CALL-OF-AGENT-6", { direction: "inbound", status: "completed" }, []],
      ["from-date", "CALL-OF-AGENT-7", { from_date: middle }, [gone, live, booked]],
      ["from-offset", "CALL-OF-AGENT-7", { from_date: inIndia }, [gone, live, booked]],
      ["to-offset", "CALL-OF-AGENT-7", { to_date: inIndia }, [unheard, box, done]],
      ["one-of-two", "CALL-OF-AGENT-9", { status: "completed,scheduled", page_size: "1" }, [booked]],
      ["to-date", "CALL-OF-AGENT-7", { to_date: middle }, [unheard, box, done]],
      ["first-page", "CALL-OF-AGENT-9", { page_size: "4" }, [gone, live, booked, unheard]],
      ["second-page", "CALL-OF-AGENT-9", { page_size: "4", page: "2" }, [box, done]],
    ]
    for (const [name, clause, query, expected] of rows) {
      const answer = await client.get(path, query)
      check.equal(name, clause, idsOf(answer), expected, answer)
    }
    const transcripts = await client.get(path, { include_transcript: true, status: "completed" })
    check.holds(
      "with-transcript",
      "CALL-OF-AGENT-8",
      isTranscript(transcripts.at("data.0.transcript")),
      "turns, or one text",
      transcripts,
    )
    const without = await client.get(path, { status: "completed" })
    check.equal("without-transcript", "CALL-OF-AGENT-8", without.at("data.0.transcript"), undefined, without)
    check.refused("bad-status", "DECODE-P8", await client.get(path, { status: "sleeping" }), 1000)
    check.refused("bad-direction", "DECODE-P8", await client.get(path, { direction: "up" }), 1000)
    for (const spelling of ["voicemail", "voice-mail", "voice_mail"]) {
      const answer = await client.get("/v2/calls", { status: spelling })
      check.equal(`all-calls-${spelling}`, ["STATUS-FILTER-1", "STATUS-FILTER-2"], idsOf(answer), [box], answer)
    }
  },
}

const verified: Case = {
  id: "calls/read/of-agent/verified",
  title: "An agent without calls has an empty page, one that never was has none",
  clauses: ["CALL-OF-AGENT-10", "CALL-OF-AGENT-12", "TIME-2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const empty = await client.get(`/v2/agents/${agentId}/executions`)
    check.equal("empty", "CALL-OF-AGENT-10", [empty.status, empty.at("data")], [200, []], empty)
    const unknown = "/v2/agents/agt_unknown/executions"
    for (const [name, query] of Object.entries({
      unknown: {},
      "unknown-by-status": { status: "completed" },
      "unknown-by-direction": { direction: "outbound" },
    })) {
      check.refused(name, "CALL-OF-AGENT-12", await client.get(unknown, query), 1200)
    }
    const local = await client.get(`/v2/agents/${agentId}/executions`, { from_date: "2026-01-01T00:00:00" })
    check.rejected("without-offset", "TIME-2", local)
  },
}

export const ofAgentCases: ReadonlyArray<Case> = [history, verified]
