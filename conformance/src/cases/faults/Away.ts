import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import type { Capability } from "../../run/Capabilities.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent, agentName } from "../../trial/Agents.ts"
import { dial, placeCall, schedule } from "../../trial/Calls.ts"
import { dayMs, minuteMs } from "../../trial/Duration.ts"
import { untilEnded } from "../../trial/Progress.ts"
import type { Trial } from "../../trial/Trial.ts"

interface Setting {
  readonly client: Client
  readonly agentId: string
  readonly executionId: string
}

/** A dependency, what it is called in messages, and the requests that cannot do without it. */
interface Dependency {
  readonly name: string
  readonly label: RegExp
  readonly modes: ReadonlyArray<readonly [mode: string, code: number]>
  readonly asks: (trial: Trial, setting: Setting) => ReadonlyArray<readonly [name: string, ask: () => Promise<Answer>]>
}

const unreachableAndTimeout = [
  ["unreachable", 1501],
  ["error", 1501],
  ["timeout", 1502],
] as const

const dependencies: ReadonlyArray<Dependency> = [
  {
    name: "call_store",
    label: /call storage/i,
    modes: unreachableAndTimeout,
    asks: (trial, { client, agentId, executionId }) => [
      ["read", () => client.get(`/v2/calls/${executionId}`)],
      ["list", () => client.get("/v2/calls")],
      ["dial", () => placeCall(trial, client, { agent_id: agentId, to_number: trial.numbers.magic("completed", 1) })],
      ["stop", () => client.post(`/v2/calls/${executionId}/stop`)],
    ],
  },
  {
    name: "agent_store",
    label: /agent service/i,
    modes: unreachableAndTimeout,
    asks: (trial, { client, agentId }) => [
      ["read", () => client.get(`/v2/agents/${agentId}`)],
      ["list", () => client.get("/v2/agents")],
      ["create", () => client.post("/v2/agents", { display_name: agentName(trial) })],
      ["dial", () => placeCall(trial, client, { agent_id: agentId, to_number: trial.numbers.magic("completed", 1) })],
    ],
  },
  {
    name: "scheduler",
    label: /scheduling service/i,
    modes: [["unreachable", 1501]],
    asks: (trial, { client, agentId }) => [
      [
        "book",
        async () => {
          const scheduled_at = new Date((await trial.now()) + dayMs).toISOString()
          return client.post("/v2/calls", {
            agent_id: agentId,
            to_number: trial.numbers.magic("completed", 1),
            scheduled_at,
          })
        },
      ],
    ],
  },
  {
    name: "account",
    label: /account service/i,
    modes: [["unreachable", 1501]],
    asks: (trial, { client, agentId }) => [
      ["me", () => client.get("/v2/user/me")],
      ["dial", () => placeCall(trial, client, { agent_id: agentId, to_number: trial.numbers.magic("completed", 1) })],
    ],
  },
  {
    name: "telephony",
    label: /telephony service/i,
    modes: [
      ["unreachable", 1501],
      ["error", 1501],
    ],
    asks: (trial, { client, agentId }) => [
      ["dial", () => placeCall(trial, client, { agent_id: agentId, to_number: trial.numbers.magic("completed", 1) })],
    ],
  },
]

const away = ({ name, label, modes, asks }: Dependency): Case => ({
  id: `faults/away/${name}`,
  title: `With ${name} away what needs it answers 1501 or 1502 and names it, and all is well when it is back`,
  clauses: ["ERROR-14", "ERROR-15", "MESSAGE-2", "CALL-CREATE-18", "ERROR-STATUS-1", "ERROR-STATUS-7"],
  requires: ["fixtures", "clock", "magic", "telephony", `faults:${name}` satisfies Capability],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, 10 * dayMs)
    for (const [mode, code] of modes) {
      await trial.breaks(name, { mode })
      for (const [request, ask] of asks(trial, { client, agentId, executionId })) {
        const answer = await ask()
        if (request === "dial" || request === "book")
          check.refused(`${mode}-${request}-status`, "CALL-CREATE-18", answer, code)
        check.refused(`${mode}-${request}`, [code === 1501 ? "ERROR-14" : "ERROR-15", "ERROR-STATUS-1"], answer, code)
        check.holds(`${mode}-${request}-not-502`, "ERROR-STATUS-7", answer.status !== 502, "any status but 502", answer)
        check.that(`${mode}-${request}-names-it`, "MESSAGE-2", label.test(answer.message), {
          expected: String(label),
          got: answer.message,
          at: answer,
        })
      }
      await trial.restores(name)
    }
    const me = await client.get("/v2/user/me")
    check.status("mended", "ERROR-14", me, 200)
    const call = await dial(trial, client, agentId, trial.numbers.magic("completed", 1))
    const ended = await untilEnded(trial, client, call)
    check.equal("mended-dial", "CALL-CREATE-18", ended.at("status"), "completed", ended)
  },
})

const nothingUnstored: Case = {
  id: "faults/store/nothing-unstored",
  title: "Nothing is dialled that could not be stored, and a call outlives an outage of its store",
  clauses: ["ERROR-14", "STATUS-MOVE-2", "STATUS-10", "CALL-GET-5"],
  requires: ["fixtures", "clock", "magic", "telephony", "faults:call_store"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const live = await dial(trial, client, agentId, trial.numbers.magic("completed", 3))
    await clock.advance(5_000)
    await trial.breaks("call_store", { mode: "unreachable" })
    const to_number = trial.numbers.magic("completed", 1)
    const answer = await placeCall(trial, client, { agent_id: agentId, to_number })
    check.refused("refused", "ERROR-14", answer, 1501)
    await clock.advance(minuteMs)
    check.equal("nobody-rung", "STATUS-MOVE-2", (await trial.telephony.legs({ to_number })).length, 0)
    await trial.restores("call_store")
    const ended = await untilEnded(trial, client, live)
    check.equal("outlived", ["STATUS-10", "CALL-GET-5"], ended.at("status"), "completed", ended)
    check.equal("one-leg", "CALL-GET-5", (await trial.telephony.legs({ execution_id: live })).length, 1)
  },
}

const acknowledgementLost: Case = {
  id: "faults/telephony/acknowledgement-lost",
  title: "An acknowledgement that is lost on the way gives 202, and the call is not dialled twice",
  clauses: ["CALL-CREATE-UNCONFIRMED-1", "STATUS-MOVE-3", "CALL-CREATE-P4"],
  requires: ["fixtures", "clock", "magic", "telephony", "faults:telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    await trial.breaks("telephony", { mode: "timeout", times: 1 })
    const to_number = trial.numbers.magic("completed", 1)
    const answer = await placeCall(trial, client, { agent_id: agentId, to_number })
    check.status("unconfirmed", "STATUS-MOVE-3", answer, 202)
    check.equal("told", "CALL-CREATE-UNCONFIRMED-1", answer.at("dispatch"), "pending_confirmation", answer)
    await trial.restores("telephony")
    const ended = await untilEnded(trial, client, answer.string("execution_id"))
    check.equal("ends", "STATUS-MOVE-3", ended.at("is_terminal"), true, ended)
    const legs = await trial.telephony.legs({ to_number })
    check.that("one-dial", "CALL-CREATE-P4", legs.length <= 1, { expected: "at most one leg", got: legs.length })
  },
}

const due: Case = {
  id: "faults/scheduler/due-waits",
  title: "What is due while the scheduler is away happens when it is back",
  clauses: ["STATUS-MOVE-6", "STATUS-10"],
  requires: ["fixtures", "clock", "magic", "faults:scheduler"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, 5 * minuteMs)
    await trial.breaks("scheduler", { mode: "unreachable" })
    await clock.advance(7 * minuteMs)
    const waiting = await client.get(`/v2/calls/${executionId}`)
    check.equal("not-lost", "STATUS-MOVE-6", waiting.at("is_terminal"), false, waiting)
    await trial.restores("scheduler")
    await clock.advance(2 * minuteMs)
    const ended = await untilEnded(trial, client, executionId)
    check.equal("happens", ["STATUS-MOVE-6", "STATUS-10"], ended.at("status"), "completed", ended)
  },
}

export const faultCases: ReadonlyArray<Case> = [...dependencies.map(away), nothingUnstored, acknowledgementLost, due]
