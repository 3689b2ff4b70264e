import type { Answer } from "../../../http/Answer.ts"
import { canonical, isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, isTranscript, readCall, schedule } from "../../../trial/Calls.ts"
import { dayMs, secondMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"

const turnsOf = (answer: Answer): ReadonlyArray<readonly [role: unknown, content: unknown]> =>
  answer
    .items("turns")
    .filter(isObject)
    .map(({ role, content }) => [role, content])

const spoken = [
  { role: "agent", content: "Good morning, this is the bakery." },
  { role: "user", content: "I would like a loaf: rye." },
  { role: "agent", content: "Gladly." },
]

const turns: Case = {
  id: "calls/records/transcript/turns",
  title: "The transcript of a conversation is its turns in order",
  clauses: ["CALL-TRANSCRIPT-1", "CALL-TRANSCRIPT-3", "CALL-TRANSCRIPT-P1", "CALL-FIELD-28"],
  requires: ["fixtures", "clock", "telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const to_number = trial.numbers.plain()
    await trial.rules([
      {
        match: { to_number },
        outcome: { result: "completed", ring_ms: secondMs, talk_ms: 10 * secondMs, transcript: spoken },
      },
    ])
    const executionId = await dial(trial, client, agentId, to_number)
    await untilEnded(trial, client, executionId)
    const answer = await client.get(`/v2/calls/${executionId}/transcript`)
    check.status("answered", ["CALL-TRANSCRIPT-1", "CALL-TRANSCRIPT-3"], answer, 200)
    check.equal(
      "turns",
      "CALL-TRANSCRIPT-P1",
      turnsOf(answer),
      spoken.map(({ role, content }) => [role, content]),
      answer,
    )
    check.equal(
      "head",
      "CALL-TRANSCRIPT-P1",
      [answer.at("execution_id"), answer.at("format"), answer.at("transcript_status"), answer.at("turn_count")],
      [executionId, "turns", "available", 3],
      answer,
    )
    const indices = answer.items("turns").map((_turn, place) => answer.at(`turns.${place}.index`))
    check.equal(
      "numbered",
      "CALL-TRANSCRIPT-P1",
      indices,
      indices.map((_index, place) => Number(indices[0]) + place),
      answer,
    )
    check.holds(
      "text",
      "CALL-TRANSCRIPT-P1",
      spoken.every(({ content }) => answer.string("text").includes(content)),
      "every turn in text",
      answer,
    )
    const call = await readCall(client, executionId, { include_transcript: true })
    const inCall = call
      .items("transcript")
      .filter(isObject)
      .map(({ role, content }) => ({ role, content }))
    // In the call it may be turns or one text.
    const text = call.at("transcript")
    const isTold =
      typeof text === "string"
        ? spoken.every(({ content }) => text.includes(content))
        : canonical(inCall) === canonical(spoken)
    check.that("in-the-call", "CALL-FIELD-28", isTold, { expected: spoken, got: text, at: call })
  },
}

const plain: Case = {
  id: "calls/records/transcript/plain",
  title: "A transcript that came as one string is answered in the same shape",
  clauses: ["CALL-TRANSCRIPT-3", "CALL-TRANSCRIPT-P1", "CALL-TRANSCRIPT-P2", "CALL-FIELD-28"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await dial(trial, client, agentId, trial.numbers.magic("plainTranscript"))
    await untilEnded(trial, client, executionId)
    const call = await readCall(client, executionId, { include_transcript: true })
    check.holds("in-the-call", "CALL-FIELD-28", isTranscript(call.at("transcript")), "turns, or one text", call)
    const answer = await client.get(`/v2/calls/${executionId}/transcript`)
    check.status("answered", "CALL-TRANSCRIPT-3", answer, 200)
    const spokenId = await dial(trial, client, agentId, trial.numbers.magic("completed", 1))
    await untilEnded(trial, client, spokenId)
    const other = await client.get(`/v2/calls/${spokenId}/transcript`)
    const listsOf = (each: Answer) =>
      Object.entries(Object(each.json)).flatMap(([name, value]) => (Array.isArray(value) ? [name] : []))
    check.equal("one-shape", "CALL-TRANSCRIPT-3", listsOf(answer), listsOf(other), answer)
    const split = turnsOf(answer)
    check.that("split", "CALL-TRANSCRIPT-P2", split.length > 1, {
      expected: "several turns",
      got: split.length,
      at: answer,
    })
    const roles = ["agent", "user", "tool", "system", "unknown"]
    check.holds(
      "roles",
      "CALL-TRANSCRIPT-P1",
      split.every(([role]) => roles.some((each) => each === role)),
      roles.join(", "),
      answer,
    )
    const marked = split.find(([, content]) => /^(agent|assistant|bot|user|customer|human):/i.test(String(content)))
    check.equal("speakers-cut-off", "CALL-TRANSCRIPT-P2", marked, undefined, answer)
    check.equal("counted", "CALL-TRANSCRIPT-P1", answer.at("turn_count"), split.length, answer)
  },
}

const none: Case = {
  id: "calls/records/transcript/none",
  title: "A call without a transcript answers 200 with no turns",
  clauses: ["CALL-TRANSCRIPT-P4", "CALL-TRANSCRIPT-1"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, dayMs)
    if (!trial.hasFixtures) trial.defer(() => client.post(`/v2/calls/${executionId}/stop`))
    const answer = await client.get(`/v2/calls/${executionId}/transcript`)
    check.status("answered", ["CALL-TRANSCRIPT-P4"], answer, 200)
    check.equal(
      "nothing",
      "CALL-TRANSCRIPT-P4",
      [answer.at("turns"), answer.at("turn_count"), answer.at("transcript_status")],
      [[], 0, "unavailable"],
      answer,
    )
    const unknown = await client.get("/v2/calls/exec_unknown/transcript")
    check.refused("unknown", "CALL-TRANSCRIPT-1", unknown, 1200)
  },
}

export const transcriptCases: ReadonlyArray<Case> = [turns, plain, none]
