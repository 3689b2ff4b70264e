import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { agentName, makeAgent, moveAgent } from "../../trial/Agents.ts"

const errors: Case = {
  id: "agents/create/errors",
  title: "What can be wrong with a new agent has the statuses that the route names",
  clauses: ["AGENT-CREATE-8"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check, anonymous } = trial
    const { client, clients } = await trial.organization({ keys: [{}, { scopes: ["agents:read"] }] })
    const [, reader] = clients
    if (reader === undefined) return
    const body = { display_name: agentName(trial) }
    const raw = { raw: "{", headers: { "content-type": "application/json" } }
    check.status("malformed", "AGENT-CREATE-8", await client.send("POST", "/v2/agents", raw), 400)
    check.status("nobody", "AGENT-CREATE-8", await anonymous.post("/v2/agents", body), 401)
    check.status("without-scope", "AGENT-CREATE-8", await reader.post("/v2/agents", body), 403)
    check.status("invalid", "AGENT-CREATE-8", await client.post("/v2/agents", { display_name: "a/b" }), 422)
  },
}

const away: Case = {
  id: "agents/create/away",
  title: "An agent that cannot be configured is archived and its error told, within the time allowed",
  clauses: ["AGENT-CREATE-7", "AGENT-CREATE-8", "AGENT-STATUS-4", "AGENT-STATUS-5", "CONSTANT-6"],
  requires: ["fixtures", "clock", "faults:agent_store"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const timed = async (ask: () => Promise<number>) => {
      const before = await clock.now()
      return { status: await ask(), took: (await clock.now()) - before }
    }
    await trial.breaks("agent_store", { mode: "timeout" })
    const create = await timed(async () => {
      const answer = await trial.settle(client.post("/v2/agents", { display_name: agentName(trial) }))
      check.oneOf("times-out", ["AGENT-CREATE-8", "AGENT-STATUS-5"], answer.status, [503, 504], answer)
      return answer.status
    })
    check.holds(
      "create-in-time",
      ["AGENT-CREATE-7", "CONSTANT-6"],
      create.took <= 46_000,
      "an answer within 45 seconds",
    )
    const list = await timed(async () => (await trial.settle(client.get("/v2/agents"))).status)
    check.holds("others-in-time", ["AGENT-CREATE-7", "CONSTANT-6"], list.took <= 16_000, "an answer within 15 seconds")
    await trial.restores("agent_store")

    const display_name = agentName(trial)
    // The first write allocates the agent, the second configures it.
    await trial.breaks("agent_store", { mode: "error", skip: 1, times: 1 })
    const half = await client.post("/v2/agents", { display_name, summary: "Half made" })
    await trial.restores("agent_store")
    if (half.succeeded) {
      check.note(
        "allocates-and-configures-at-once",
        "AGENT-STATUS-4",
        "the agent is made by one write: it is never half made",
        half,
      )
      check.equal("whole", "AGENT-STATUS-5", half.at("summary"), "Half made", half)
      return
    }
    check.oneOf("error-returned", "AGENT-STATUS-5", half.code, [1501, 1502], half)
    check.oneOf("error-status", "AGENT-CREATE-8", half.status, [503, 504], half)
    const left = await client.get("/v2/agents", { search: display_name })
    check.equal("none-left", "AGENT-STATUS-4", left.items().length, 0, left)
    const archived = await client.get("/v2/agents", { search: display_name, status: "ARCHIVED" })
    const states = archived
      .items()
      .filter(isObject)
      .map(({ status }) => status)
    check.holds(
      "archived",
      "AGENT-STATUS-4",
      states.every((status) => status === "ARCHIVED"),
      "archived, or never made",
      archived,
    )
  },
}

const kept: Case = {
  id: "agents/fields/kept",
  title: "A language is stored or named as dropped, and the form of variables is a text",
  clauses: ["AGENT-RESPONSE-6", "AGENT-RESPONSE-5", "AGENT-FIELD-14", "AGENT-LIST-11"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client, organizationId } = await trial.tenant()
    const made = await makeAgent(trial, client)
    const path = `/v2/agents/${made.string("agent_id")}`
    const languages = { en: { agent_name: "Ann", voice_id: "v1" }, it: { agent_name: "Anna" } }
    const answer = await client.patch(path, { multilingual: { enabled: true, active_language: "en", languages } })
    check.must(answer.succeeded)
    const read = await client.get(path)
    const dropped = answer.items("dropped_languages")
    for (const code of Object.keys(languages)) {
      const stored = read.at(`multilingual.languages.${code}`) !== undefined
      const isDropped = dropped.includes(code)
      check.holds(`told-${code}`, "AGENT-RESPONSE-5", stored || isDropped, "stored, or named as dropped", answer)
      check.holds(
        `not-both-${code}`,
        "AGENT-RESPONSE-6",
        !(stored && isDropped),
        "a dropped language is not stored",
        read,
      )
    }
    const formed = await client.patch(path, { variables: { custom: ["name"], _original_format: "mustache" } })
    if (formed.succeeded) {
      const format = (await client.get(path)).at("variables._original_format")
      check.equal("original-format", "AGENT-FIELD-14", format, "mustache", formed)
    }
    const wrong = await client.patch(path, { variables: { _original_format: 5 } })
    check.rejected("original-format-number", "AGENT-FIELD-14", wrong)
    const page = await client.get("/v2/agents", { page: 1, page_size: 1, organization_id: organizationId })
    check.status("page", "AGENT-LIST-11", page, 200)
    check.equal("page-size", "AGENT-LIST-11", page.at("pagination.page_size"), 1, page)
    check.holds("short", "AGENT-LIST-11", page.items().length <= 1, "one row at most", page)
    await moveAgent(client, made.string("agent_id"), "INACTIVE")
  },
}

/** Cases of how agents are made and what of them is kept. */
export const makingCases: ReadonlyArray<Case> = [errors, away, kept]
