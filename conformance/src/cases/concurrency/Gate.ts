import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { dial, stopCall } from "../../trial/Calls.ts"
import { secondMs } from "../../trial/Duration.ts"
import { untilEnded, untilStatus } from "../../trial/Progress.ts"
import type { Trial } from "../../trial/Trial.ts"

/** How long a direct dial waits for a line. */
const waitMs = 5 * secondMs

/** Dials that hold their lines for ten minutes. */
export const hold = async (
  trial: Trial,
  client: Client,
  agentId: string,
  lines: number,
): Promise<ReadonlyArray<string>> => {
  const held: Array<string> = []
  for (let line = 0; line < lines; line++)
    held.push(await dial(trial, client, agentId, trial.numbers.magic("holdsLine", 10)))
  return held
}

/** A dial that is sent and not waited for. */
export const knock = (trial: Trial, client: Client, agentId: string): Promise<Answer> =>
  client.post("/v2/calls", { agent_id: agentId, to_number: trial.numbers.magic("holdsLine", 10) })

/** The answer to a dial that finds no line: it waits five seconds and is refused. */
export const refusedDial = async (trial: Trial, client: Client, agentId: string): Promise<Answer> => {
  const pending = knock(trial, client, agentId)
  if ((await trial.parked(pending)) === "parked") await trial.clock.advance(waitMs)
  return trial.settle(pending)
}

const waits: Case = {
  id: "concurrency/gate/waits-then-refuses",
  title: "Without a free line a dial waits five seconds, to the millisecond, and is refused with 429",
  clauses: [
    "LIMITS-1",
    "LIMITS-2",
    "LIMITS-4",
    "SLOT-1",
    "SLOT-6",
    "SLOT-FULL-1",
    "SLOT-FULL-2",
    "SLOT-FULL-3",
    "SLOT-FULL-G1",
    "CALL-CREATE-NOW-6",
    "CALL-CREATE-NOW-7",
    "CALL-CREATE-18",
    "CALL-CREATE-P6",
    "ERROR-11",
  ],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 2 } })
    const agentId = await activeAgent(trial, client)
    await hold(trial, client, agentId, 2)
    const pending = knock(trial, client, agentId)
    check.equal("waits", ["SLOT-FULL-1", "CALL-CREATE-NOW-6"], await trial.parked(pending), "parked")
    await clock.advance(waitMs - 1)
    check.equal("waits-to-the-last", ["SLOT-FULL-1", "CALL-CREATE-NOW-7"], await trial.parked(pending), "parked")
    await clock.advance(1)
    const answer = await trial.settle(pending)
    check.refused(
      "refused",
      [
        "SLOT-FULL-2",
        "CALL-CREATE-NOW-6",
        "CALL-CREATE-NOW-7",
        "CALL-CREATE-18",
        "SLOT-1",
        "SLOT-6",
        "LIMITS-1",
        "LIMITS-2",
        "ERROR-11",
      ],
      answer,
      1300,
    )
    check.equal("retry-after", ["SLOT-FULL-3", "CALL-CREATE-NOW-7"], answer.header("retry-after"), "5", answer)
    const begins = answer.message.startsWith("Account concurrency limit reached")
    check.that("told-apart", ["LIMITS-2", "LIMITS-4", "SLOT-1"], begins, {
      expected: "Account concurrency limit reached…",
      got: answer.message,
      at: answer,
    })
    const told = "Account concurrency limit reached (2 of 2 lines in use)."
    check.equal("wording", "SLOT-FULL-G1", answer.message, told, answer)
    const list = await client.get("/v2/calls")
    check.equal("no-record", "CALL-CREATE-P6", list.at("pagination.total"), 2, list)
    const rate = await client.get("/v2/user/me")
    check.status("separate-from-the-rate", "SLOT-1", rate, 200)
  },
}

const frees: Case = {
  id: "concurrency/gate/line-frees",
  title: "A dial that waits gets the line that frees within its five seconds",
  clauses: ["SLOT-FULL-1", "SLOT-2", "CALL-CREATE-NOW-7", "SLOT-P1"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 1 } })
    const agentId = await activeAgent(trial, client)
    const to_number = trial.numbers.plain()
    await trial.rules([
      {
        match: { to_number },
        outcome: { result: "completed", ring_ms: 2 * secondMs, talk_ms: 6 * secondMs, processing_ms: secondMs },
      },
    ])
    await dial(trial, client, agentId, to_number)
    // The leg is over 8 to 10 seconds after the dial.
    await clock.advance(6 * secondMs)
    const pending = knock(trial, client, agentId)
    check.equal("waits", "SLOT-FULL-1", await trial.parked(pending), "parked")
    await clock.advance(4_999)
    const answer = await trial.settle(pending)
    check.status("gets-the-line", ["SLOT-FULL-1", "SLOT-2", "CALL-CREATE-NOW-7"], answer, 201)
  },
}

const race: Case = {
  id: "concurrency/gate/race",
  title: "Of many dials at one instant exactly as many pass as there are lines",
  clauses: ["SLOT-3", "SLOT-4", "SLOT-6", "SLOT-FULL-2"],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 3 } })
    const agentId = await activeAgent(trial, client)
    const dials = Array.from({ length: 10 }, () => knock(trial, client, agentId))
    await trial.parked(Promise.all(dials), 7)
    await clock.advance(waitMs)
    const answers = await Promise.all(dials.map((pending) => trial.settle(pending)))
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    check.equal("pass", ["SLOT-3", "SLOT-4", "SLOT-6"], count(201), 3)
    check.equal("refused", "SLOT-FULL-2", count(429), 7)
    const legs = await trial.telephony.legs({ agent_id: agentId, live: "true" })
    check.equal("legs", "SLOT-6", legs.length, 3)
    await clock.advance(20 * secondMs)
    const [over] = answers.filter(({ status }) => status === 201)
    if (over === undefined) return
    await stopCall(client, over.string("execution_id"))
    await clock.advance(60 * secondMs)
    const next = await trial.settle(knock(trial, client, agentId))
    check.status("refusals-keep-nothing", "SLOT-4", next, 201)
  },
}

const life: Case = {
  id: "concurrency/gate/slot-life",
  title: "A line is held from the dial until the final report of the call, however the call ends",
  clauses: ["SLOT-2", "SLOT-P1", "SLOT-P2", "SLOT-P3"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    for (const outcome of ["completed", "busy", "noAnswer", "failed", "error", "callDisconnected"] as const) {
      const { client } = await trial.organization({ concurrency: { organization: 1 } })
      const agentId = await activeAgent(trial, client)
      const executionId = await dial(trial, client, agentId, trial.numbers.magic(outcome, 2))
      await untilEnded(trial, client, executionId)
      const next = await trial.settle(knock(trial, client, agentId))
      check.status(`${outcome}-gives-back`, ["SLOT-2", "SLOT-P1"], next, 201)
    }

    const { client } = await trial.organization({ concurrency: { organization: 1 } })
    const agentId = await activeAgent(trial, client)
    const [held] = await hold(trial, client, agentId, 1)
    await untilStatus(trial, client, held ?? "", ["in-progress"])
    check.refused("held-while-live", "SLOT-2", await refusedDial(trial, client, agentId), 1300)
    trial.made(await stopCall(client, held ?? ""), 202)
    await clock.advance(30 * secondMs)
    check.status("stopped-gives-back", ["SLOT-2", "SLOT-P3"], await trial.settle(knock(trial, client, agentId)), 201)

    const { client: slow } = await trial.organization({ concurrency: { organization: 1 } })
    const talker = await activeAgent(trial, slow)
    const analysed = await dial(trial, slow, talker, trial.numbers.magic("analysisLate"))
    await untilEnded(trial, slow, analysed)
    const next = await trial.settle(knock(trial, slow, talker))
    check.status("analysis-holds-no-line", ["SLOT-P1", "SLOT-P2"], next, 201)
  },
}

const unconfirmed: Case = {
  id: "concurrency/gate/unconfirmed",
  title: "A dial that is not confirmed holds its line until its fate is known",
  clauses: ["SLOT-P8", "SLOT-2"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 1 } })
    const agentId = await activeAgent(trial, client)
    const to_number = trial.numbers.magic("unconfirmedNeverDialled")
    trial.made(await trial.settle(client.post("/v2/calls", { agent_id: agentId, to_number })), 202)
    check.refused("held", "SLOT-P8", await refusedDial(trial, client, agentId), 1300)
    await clock.advance(15 * 60 * secondMs)
    const next = await trial.settle(knock(trial, client, agentId))
    check.status("free-once-known", "SLOT-P8", next, 201)
  },
}

export const gateCases: ReadonlyArray<Case> = [waits, frees, race, life, unconfirmed]
