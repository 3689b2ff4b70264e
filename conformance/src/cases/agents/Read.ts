import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { makeAgent } from "../../trial/Agents.ts"

const read: Case = {
  id: "agents/read/one",
  title: "An agent is read by its id; an id that names none is unknown",
  clauses: ["AGENT-GET-2", "MESSAGE-G5", "ERROR-9", "AGENT-FIELD-11", "AGENT-LIST-1", "AGENT-LIST-2", "AGENT-LIST-12"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const made = await makeAgent(trial, client, { prompts: { conversation: { system: "Be brief." } } })
    const agentId = made.string("agent_id")
    const one = await client.get(`/v2/agents/${agentId}`)
    check.status("found", "AGENT-GET-2", one, 200)
    check.equal(
      "full-prompts",
      ["AGENT-GET-2", "AGENT-FIELD-11"],
      one.at("prompts.conversation.system"),
      "Be brief.",
      one,
    )
    const unknown = await client.get("/v2/agents/agt_unknown")
    check.refused("unknown", "ERROR-9", unknown, 1200)
    check.equal("unknown-wording", "MESSAGE-G5", unknown.message, "Agent not found.", unknown)

    const list = await client.get("/v2/agents", { search: made.string("display_name"), page_size: 100 })
    const row = list
      .items()
      .filter(isObject)
      .find(({ agent_id }) => agent_id === agentId)
    check.holds("listed", "AGENT-LIST-12", row !== undefined, "the agent in the list", list)
    if (row === undefined || !isObject(one.json)) return
    check.equal("same-keys", "AGENT-LIST-1", Object.keys(row).sort(), Object.keys(one.json).sort(), list)
    const prompts = row["prompts"]
    const empty = isObject(prompts) && Object.keys(prompts).length === 0
    check.that("prompts-empty", "AGENT-LIST-2", empty, { expected: "{}", got: prompts, at: list })
    check.equal("knowledge-base-null", "AGENT-LIST-2", row["knowledge_base"], null, list)
    const same = ["display_name", "status", "version", "timestamps", "labels"]
    for (const name of same) check.equal(`same-${name}`, "AGENT-LIST-1", row[name], one.at(name), list)
  },
}

const foreign: Case = {
  id: "agents/read/foreign",
  title: "An agent of another organization cannot be told from one that never was",
  clauses: ["TENANCY-2", "ERROR-FORBIDDEN-2", "ERROR-9", "CALL-OF-AGENT-12"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const a = await trial.organization()
    const b = await trial.organization()
    const made = await makeAgent(trial, a.client)
    const agentId = made.string("agent_id")
    const rows: ReadonlyArray<readonly [name: string, clause: string, method: string, path: string, body: unknown]> = [
      ["read", "TENANCY-2", "GET", "", undefined],
      ["patch", "TENANCY-2", "PATCH", "", { summary: "mine now" }],
      ["executions", "CALL-OF-AGENT-12", "GET", "/executions", undefined],
    ]
    for (const [name, clause, method, path, body] of rows) {
      const parts = body === undefined ? {} : { body }
      const theirs = await b.client.send(method, `/v2/agents/${agentId}${path}`, parts)
      const nobodys = await b.client.send(method, `/v2/agents/agt_unknown${path}`, parts)
      check.refused(`${name}-foreign`, [clause, "ERROR-FORBIDDEN-2"], theirs, 1200)
      check.refused(`${name}-unknown`, [clause, "ERROR-9"], nobodys, 1200)
      check.equal(`${name}-same-bytes`, "TENANCY-2", theirs.text, nobodys.text, theirs)
    }
    const untouched = await a.client.get(`/v2/agents/${agentId}`)
    check.equal("untouched", "TENANCY-2", untouched.json, made.json, untouched)
    const list = await b.client.get("/v2/agents")
    check.equal("not-listed", "TENANCY-2", list.items().length, 0, list)
  },
}

export const readCases: ReadonlyArray<Case> = [read, foreign]
