import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent, agentName, makeAgent } from "../../trial/Agents.ts"
import { schedule } from "../../trial/Calls.ts"
import { dayMs } from "../../trial/Duration.ts"
import { keyIdOf } from "../../trial/KeyId.ts"
import { allScopes } from "../../trial/Scopes.ts"
import type { Trial } from "../../trial/Trial.ts"

/** A request that succeeds when the caller may make it. */
interface Gate {
  readonly name: string
  /** Null where a valid key is enough. */
  readonly scope: string | null
  readonly clauses: ReadonlyArray<string>
  readonly ask: (client: Client) => Promise<Answer>
}

interface Setting {
  readonly agentId: string
  readonly idleAgentId: string
  readonly executionId: string
  readonly spareKeyId: string
  readonly scheduledAt: string
}

const gatesOf = (trial: Trial, setting: Setting): ReadonlyArray<Gate> => {
  const { agentId, idleAgentId, executionId, spareKeyId, scheduledAt } = setting
  const call = `/v2/calls/${executionId}`
  const booked = { agent_id: agentId, to_number: trial.numbers.magic("completed", 1), scheduled_at: scheduledAt }
  const gate = (name: string, scope: string | null, clauses: ReadonlyArray<string>, ask: Gate["ask"]): Gate => ({
    name,
    scope,
    clauses,
    ask,
  })
  return [
    gate("me", null, ["SCOPE-OPEN-1", "ME-ROUTE-2"], (client) => client.get("/v2/user/me")),
    gate("scopes", null, ["SCOPE-OPEN-1", "SCOPES-ROUTE-2"], (client) => client.get("/v2/scopes")),
    gate("keys-list", null, ["SCOPE-OPEN-1", "KEY-LIST-1"], (client) => client.get("/v2/api-keys")),
    gate("agents-list", "agents:read", ["SCOPE-ENFORCED-3", "SCOPE-2", "AGENT-LIST-4"], (client) =>
      client.get("/v2/agents"),
    ),
    gate("agent-read", "agents:read", ["SCOPE-ENFORCED-3", "SCOPE-2", "AGENT-GET-1"], (client) =>
      client.get(`/v2/agents/${agentId}`),
    ),
    gate("agent-executions", "agents:read", ["SCOPE-ENFORCED-3", "SCOPE-2", "CALL-OF-AGENT-2"], (client) =>
      client.get(`/v2/agents/${agentId}/executions`),
    ),
    gate("agent-create", "agents:write", ["SCOPE-ENFORCED-4", "SCOPE-3", "AGENT-CREATE-2"], (client) =>
      client.post("/v2/agents", { display_name: agentName(trial) }),
    ),
    gate("agent-patch", "agents:write", ["SCOPE-ENFORCED-4", "SCOPE-3", "AGENT-UPDATE-3"], (client) =>
      client.patch(`/v2/agents/${idleAgentId}`, { summary: "x" }),
    ),
    gate("calls-list", "calls:read", ["SCOPE-ENFORCED-5", "SCOPE-4", "CALL-LIST-2"], (client) =>
      client.get("/v2/calls"),
    ),
    gate("call-read", "calls:read", ["SCOPE-ENFORCED-5", "SCOPE-4", "CALL-GET-2"], (client) => client.get(call)),
    gate("call-transcript", "calls:read", ["SCOPE-ENFORCED-5", "SCOPE-4", "CALL-TRANSCRIPT-2"], (client) =>
      client.get(`${call}/transcript`),
    ),
    gate("call-recording", "calls:read", ["SCOPE-ENFORCED-P1"], (client) => client.get(`${call}/recording`)),
    gate("call-timing", "calls:read", ["SCOPE-ENFORCED-P1"], (client) => client.get(`${call}/timing`)),
    gate("call-create", "calls:write", ["SCOPE-ENFORCED-6", "SCOPE-5", "CALL-CREATE-2"], (client) =>
      client.post("/v2/calls", booked),
    ),
    gate("call-stop", "calls:write", ["SCOPE-ENFORCED-6", "SCOPE-5", "CALL-STOP-2"], (client) =>
      client.post(`${call}/stop`),
    ),
    gate("key-mint", "keys:write", ["SCOPE-ENFORCED-8", "SCOPE-8", "KEY-MINT-1"], (client) =>
      client.post("/v2/api-keys", { name: "x", scopes: [] }),
    ),
    gate("key-revoke", "keys:write", ["SCOPE-ENFORCED-8", "SCOPE-8", "KEY-REVOKE-1"], (client) =>
      client.delete(`/v2/api-keys/${spareKeyId}`),
    ),
  ]
}

const holders: ReadonlyArray<{
  readonly name: string
  readonly scopes: ReadonlyArray<string> | null
  readonly keys_write?: boolean
  readonly holds: (scope: string) => boolean
}> = [
  { name: "grandfathered", scopes: null, holds: (scope) => scope !== "keys:write" },
  { name: "grandfathered-with-keys", scopes: null, keys_write: true, holds: () => true },
  { name: "nothing", scopes: [], holds: () => false },
  ...allScopes.map((only) => ({ name: only, scopes: [only], holds: (scope: string) => scope === only })),
  { name: "calls:*", scopes: ["calls:*"], holds: (scope) => scope.startsWith("calls:") },
  { name: "agents:*", scopes: ["agents:*"], holds: (scope) => scope.startsWith("agents:") },
  { name: "*", scopes: ["*"], holds: (scope) => scope !== "keys:write" },
]

const policyClauses: Readonly<Record<string, string>> = {
  grandfathered: "SCOPE-POLICY-1",
  "grandfathered-with-keys": "SCOPE-POLICY-P2",
  nothing: "SCOPE-POLICY-2",
  "calls:*": "SCOPE-POLICY-4",
  "agents:*": "SCOPE-POLICY-4",
  "*": "SCOPE-POLICY-4",
}

const matrix: Case = {
  id: "keys/enforcement/matrix",
  title: "Every key may do exactly what its scopes open, on every served route",
  clauses: [
    "SCOPE-ENFORCED-1",
    "SCOPE-ENFORCED-3",
    "SCOPE-ENFORCED-4",
    "SCOPE-ENFORCED-5",
    "SCOPE-ENFORCED-6",
    "SCOPE-ENFORCED-8",
    "SCOPE-ENFORCED-P1",
    "SCOPE-2",
    "SCOPE-3",
    "SCOPE-4",
    "SCOPE-5",
    "SCOPE-8",
    "SCOPE-OPEN-1",
    "SCOPE-POLICY-1",
    "SCOPE-POLICY-2",
    "SCOPE-POLICY-3",
    "SCOPE-POLICY-4",
    "SCOPE-POLICY-P2",
    "SCOPE-POLICY-P3",
    "ME-ROUTE-2",
    "SCOPES-ROUTE-2",
    "KEY-LIST-1",
    "AGENT-LIST-4",
    "AGENT-GET-1",
    "CALL-OF-AGENT-2",
    "AGENT-CREATE-2",
    "AGENT-UPDATE-3",
    "CALL-LIST-2",
    "CALL-GET-2",
    "CALL-TRANSCRIPT-2",
    "CALL-RECORDING-2",
    "CALL-CREATE-2",
    "CALL-STOP-2",
    "KEY-MINT-1",
    "KEY-REVOKE-1",
    "ERROR-8",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { clients } = await trial.organization({
      keys: [
        { keys_write: true },
        {},
        ...holders.map(({ scopes, keys_write }) => (keys_write === undefined ? { scopes } : { scopes, keys_write })),
      ],
    })
    const [admin, spare, ...zoo] = clients
    if (admin === undefined || spare === undefined) return
    const agentId = await activeAgent(trial, admin)
    const idleAgentId = trial
      .made(await admin.post("/v2/agents", { display_name: agentName(trial) }), 201)
      .string("agent_id")
    const scheduledAt = new Date((await trial.now()) + dayMs).toISOString()
    const executionId = await schedule(trial, admin, agentId, dayMs)
    const gates = gatesOf(trial, {
      agentId,
      idleAgentId,
      executionId,
      spareKeyId: await keyIdOf(spare.key ?? ""),
      scheduledAt,
    })

    for (const [index, { name, holds }] of holders.entries()) {
      const client = zoo[index]
      if (client === undefined) continue
      for (const gate of gates) {
        const policy = policyClauses[name] ?? "SCOPE-POLICY-3"
        const answer = await gate.ask(client)
        if (gate.scope === null || holds(gate.scope)) {
          const open = answer.status !== 403
          // A key that holds nothing is denied everything, and some routes need nothing: which is stronger is not said but of scopes.
          const isTorn = gate.scope === null && name === "nothing"
          const own = isTorn && gate.name !== "scopes" ? [] : gate.clauses
          const clauses = isTorn ? [...own, "SCOPE-POLICY-P3"] : [...own, policy]
          check.that(`${name}-may-${gate.name}`, clauses, open, { expected: "not 403", got: answer.status, at: answer })
        } else {
          // What is said of every gate says nothing of one that a reading alone puts there.
          const general = gate.clauses.includes("SCOPE-ENFORCED-P1") ? [] : [policy, "SCOPE-ENFORCED-1", "ERROR-8"]
          check.refused(`${name}-may-not-${gate.name}`, [...gate.clauses, ...general], answer, 1102)
        }
      }
    }
  },
}

const wording: Case = {
  id: "keys/enforcement/wording",
  title: "A denial names the scope that is missing",
  clauses: ["SCOPE-DENIED-G1", "SCOPE-DENIED-1"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({ keys: [{ scopes: [] }] })
    const answer = await client.get("/v2/calls")
    check.refused("denied", "SCOPE-DENIED-1", answer, 1102)
    const told = "This API key is not authorized for this action. Missing scope: calls:read."
    check.equal("wording", "SCOPE-DENIED-G1", answer.message, told, answer)
  },
}

const order: Case = {
  id: "keys/enforcement/order",
  title: "A missing scope is told before ids and bodies are looked at",
  clauses: ["PIPELINE-P4", "ERROR-FORBIDDEN-1", "CALL-RECORDING-2", "TENANCY-2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({ keys: [{ scopes: [] }] })
    check.refused("unknown-id", "PIPELINE-P4", await client.get("/v2/agents/agt_unknown"), 1102)
    check.refused("bad-body", "PIPELINE-P4", await client.post("/v2/agents", {}), 1102)
    check.refused("bad-query", "PIPELINE-P4", await client.get("/v2/calls", { page: "x" }), 1102)
    const malformed = await client.send("POST", "/v2/calls", {
      raw: "{",
      headers: { "content-type": "application/json" },
    })
    check.refused("malformed-body", "PIPELINE-P4", malformed, 1102)
    const other = await trial.organization({ keys: [{ scopes: ["calls:read", "agents:read", "agents:write"] }] })
    const foreign = (await makeAgent(trial, other.client)).string("agent_id")
    const { client: stranger } = await trial.organization({ keys: [{ scopes: ["calls:read", "agents:read"] }] })
    const hidden = await stranger.get(`/v2/agents/${foreign}`)
    check.refused("foreign-is-not-found", ["ERROR-FORBIDDEN-1", "TENANCY-2"], hidden, 1200)
    const recording = await stranger.get("/v2/calls/exec_unknown/recording")
    check.refused("recording-with-calls-read", "CALL-RECORDING-2", recording, 1200)
    const barred = await client.get("/v2/calls/exec_unknown/recording")
    check.refused("recording-without", "CALL-RECORDING-2", barred, 1102)
  },
}

export const enforcementCases: ReadonlyArray<Case> = [matrix, wording, order]
