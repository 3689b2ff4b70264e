import type { Answer } from "../../http/Answer.ts"
import type { Case } from "../../run/Case.ts"
import { makeAgent, moveAgent } from "../../trial/Agents.ts"
import type { Trial } from "../../trial/Trial.ts"
import type { Client } from "../../http/Client.ts"

/** How a fresh agent is brought to a status. */
const ways: Readonly<Record<string, ReadonlyArray<string>>> = {
  DRAFT: [],
  ACTIVE: ["ACTIVE"],
  INACTIVE: ["INACTIVE"],
  ARCHIVED: ["INACTIVE", "ARCHIVED"],
}

const agentAt = async (trial: Trial, client: Client, status: string): Promise<string> => {
  const agentId = (await makeAgent(trial, client)).string("agent_id")
  for (const step of ways[status] ?? []) trial.made(await moveAgent(client, agentId, step), 200)
  return agentId
}

/** The moves that the decisions allow, beside staying put. */
const allowed = new Set([
  "DRAFT>ACTIVE",
  "DRAFT>INACTIVE",
  "ACTIVE>INACTIVE",
  "INACTIVE>ACTIVE",
  "DRAFT>ARCHIVED",
  "INACTIVE>ARCHIVED",
])

const moves: Case = {
  id: "agents/status/moves",
  title: "An agent moves between its statuses as the table says, and archived is final",
  clauses: ["AGENT-STATUS-1", "AGENT-STATUS-7", "AGENT-STATUS-P2", "AGENT-STATUS-P3", "ERROR-10"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    for (const from of Object.keys(ways)) {
      for (const to of Object.keys(ways)) {
        if (from === to) continue
        const agentId = await agentAt(trial, client, from)
        const answer = await moveAgent(client, agentId, to)
        const id = `${from}-to-${to}`
        const after = await client.get(`/v2/agents/${agentId}`)
        if (allowed.has(`${from}>${to}`)) {
          check.status(id, ["AGENT-STATUS-P2"], answer, 200)
          if (answer.status === 200) check.equal(`${id}-is`, "AGENT-STATUS-1", after.at("status"), to, after)
        } else {
          const clause = from === "ARCHIVED" ? "AGENT-STATUS-P3" : "AGENT-STATUS-P2"
          check.refused(id, clause, answer, 1201)
          check.equal(`${id}-stays`, clause, after.at("status"), from, after)
        }
      }
    }
    const active = await agentAt(trial, client, "ACTIVE")
    const archived = await moveAgent(client, active, "ARCHIVED")
    check.refused("active-cannot-be-archived", ["AGENT-STATUS-7", "ERROR-10"], archived, 1201)
  },
}

const editing: Case = {
  id: "agents/status/editing",
  title: "An active agent is set back to INACTIVE before it is edited",
  clauses: ["AGENT-STATUS-7", "AGENT-STATUS-P1", "AGENT-STATUS-P3", "ERROR-10", "AGENT-RESPONSE-4"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await agentAt(trial, client, "ACTIVE")
    const path = `/v2/agents/${agentId}`
    const before = await client.get(path)
    const edits: ReadonlyArray<readonly [name: string, body: unknown]> = [
      ["summary", { summary: "x" }],
      ["name", { display_name: "Other" }],
      ["prompts", { prompts: { conversation: { system: "x" } } }],
    ]
    for (const [name, body] of edits) {
      check.refused(`active-${name}`, ["AGENT-STATUS-7", "ERROR-10"], await client.patch(path, body), 1201)
    }
    const untouched = await client.get(path)
    check.equal("untouched", ["AGENT-STATUS-7", "AGENT-RESPONSE-4"], untouched.json, before.json, untouched)
    const moved = await moveAgent(client, agentId, "INACTIVE")
    check.status("set-back", "AGENT-STATUS-P1", moved, 200)
    check.status("then-edited", "AGENT-STATUS-7", await client.patch(path, { summary: "x" }), 200)
    const edited = await client.get(path)
    check.equal("version", "AGENT-RESPONSE-4", edited.at("version"), before.number("version") + 2, edited)
    const busy = await agentAt(trial, client, "ACTIVE")
    check.refused(
      "status-and-more",
      "AGENT-STATUS-P1",
      await client.patch(`/v2/agents/${busy}`, { status: "INACTIVE", summary: "x" }),
      1201,
    )
    const draft = await agentAt(trial, client, "DRAFT")
    check.status("draft-edited", "AGENT-STATUS-7", await client.patch(`/v2/agents/${draft}`, { summary: "x" }), 200)
    const archived = await agentAt(trial, client, "ARCHIVED")
    check.refused(
      "archived-not-edited",
      "AGENT-STATUS-P3",
      await client.patch(`/v2/agents/${archived}`, { summary: "x" }),
      1201,
    )
  },
}

const archive: Case = {
  id: "agents/status/archive",
  title: "Deleting an agent archives it; an active one is refused, an archived one is answered again",
  clauses: [
    "AGENT-DELETE-1",
    "AGENT-DELETE-P1",
    "AGENT-DELETE-P2",
    "AGENT-DELETE-P3",
    "AGENT-STATUS-7",
    "ERROR-STATUS-2",
    "AGENT-LIST-6",
    "RESOURCE-P3",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const active = await agentAt(trial, client, "ACTIVE")
    check.refused("active", ["AGENT-STATUS-7"], await client.delete(`/v2/agents/${active}`), 1201)
    const agentId = await agentAt(trial, client, "INACTIVE")
    const expected = { agent_id: agentId, status: "ARCHIVED", archived: true }
    const shown = (answer: Answer) => ({
      agent_id: answer.at("agent_id"),
      status: answer.at("status"),
      archived: answer.at("archived"),
    })
    const answer = await client.delete(`/v2/agents/${agentId}`)
    check.status("answered", ["AGENT-DELETE-1", "ERROR-STATUS-2"], answer, 200)
    check.equal("result", "AGENT-DELETE-P1", shown(answer), expected, answer)
    check.equal("not-called-deleted", "RESOURCE-P3", answer.at("deleted"), undefined, answer)
    const read = await client.get(`/v2/agents/${agentId}`)
    check.equal("archived", "AGENT-DELETE-1", read.at("status"), "ARCHIVED", read)
    const list = await client.get("/v2/agents", { search: read.string("display_name") })
    check.equal("not-listed", "AGENT-LIST-6", list.items().length, 0, list)
    const again = await client.delete(`/v2/agents/${agentId}`)
    check.status("again", "AGENT-DELETE-P3", again, 200)
    check.equal("again-result", "AGENT-DELETE-P3", shown(again), expected, again)
  },
}

const aliases: Case = {
  id: "agents/status/aliases",
  title: "Deploying and undeploying are other names of two moves",
  clauses: ["AGENT-STATUS-P4"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await agentAt(trial, client, "DRAFT")
    const up = await client.post(`/v2/agents/${agentId}/deploy`)
    check.equal("deploy", "AGENT-STATUS-P4", [up.status, up.at("status")], [200, "ACTIVE"], up)
    const down = await client.post(`/v2/agents/${agentId}/undeploy`)
    check.equal("undeploy", "AGENT-STATUS-P4", [down.status, down.at("status")], [200, "INACTIVE"], down)
    check.refused("unknown", "AGENT-STATUS-P4", await client.post("/v2/agents/agt_unknown/deploy"), 1200)
  },
}

const clone: Case = {
  id: "agents/status/clone",
  title: "A clone is a draft of its own with the configuration of its model",
  clauses: ["AGENT-CLONE-1", "AGENT-CLONE-P1", "AGENT-CLONE-P2", "AGENT-CLONE-P3", "AGENT-CLONE-P4", "ERROR-STATUS-3"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const model = await makeAgent(trial, client, {
      labels: ["x"],
      prompts: { conversation: { system: "c" } },
    })
    const told = await client.post("/v2/webhooks", {
      callback_url: "https://hooks.example.com/model",
      agent_id: model.string("agent_id"),
    })
    trial.defer(() => client.delete(`/v2/webhooks/${told.string("subscription_id")}`))
    const answer = await client.post(`/v2/agents/${model.string("agent_id")}/clone`)
    trial.defer(() => client.delete(`/v2/agents/${answer.string("agent_id")}`))
    check.status("created", ["AGENT-CLONE-1", "ERROR-STATUS-3"], answer, 201)
    check.holds(
      "another",
      "AGENT-CLONE-1",
      answer.string("agent_id") !== model.string("agent_id"),
      "an id of its own",
      answer,
    )
    check.equal("draft", "AGENT-CLONE-P1", answer.at("status"), "DRAFT", answer)
    const subscriptions = await client.get("/v2/webhooks", { agent_id: answer.string("agent_id") })
    check.equal("no-subscriptions", "AGENT-CLONE-P3", subscriptions.items().length, 0, subscriptions)
    const copied = `${model.string("display_name")} (copy)`
    check.equal("name", "AGENT-CLONE-P1", answer.at("display_name"), copied, answer)
    const long = await makeAgent(trial, client, { display_name: "a".repeat(100) })
    const shortened = await client.post(`/v2/agents/${long.string("agent_id")}/clone`)
    trial.defer(() => client.delete(`/v2/agents/${shortened.string("agent_id")}`))
    check.equal("cut", "AGENT-CLONE-P4", shortened.at("display_name"), `${"a".repeat(93)} (copy)`, shortened)
    check.equal(
      "configuration",
      "AGENT-CLONE-P2",
      [answer.at("labels"), answer.at("prompts")],
      [model.at("labels"), model.at("prompts")],
      answer,
    )
    const named = await client.post(`/v2/agents/${model.string("agent_id")}/clone`, { display_name: "Second" })
    trial.defer(() => client.delete(`/v2/agents/${named.string("agent_id")}`))
    check.equal("named", "AGENT-CLONE-P1", named.at("display_name"), "Second", named)
  },
}

export const statusCases: ReadonlyArray<Case> = [moves, editing, archive, aliases, clone]
