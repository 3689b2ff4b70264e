import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent, makeAgent } from "../../trial/Agents.ts"
import { schedule } from "../../trial/Calls.ts"
import { distantStart, magicContacts, makeCampaign } from "../../trial/Campaigns.ts"
import { dayMs } from "../../trial/Duration.ts"
import type { Trial } from "../../trial/Trial.ts"

/** Reads that need nothing but a key. */
const lists: ReadonlyArray<string> = [
  "/v2/user/me",
  "/v2/scopes",
  "/v2/api-keys",
  "/v2/calls",
  "/v2/agents",
  "/v2/campaigns",
  "/v2/batches",
  "/v2/knowledge-bases",
  "/v2/webhooks",
  "/v2/webhooks/deliveries",
  "/v2/usage",
  "/v2/phone-numbers",
  "/v2/providers",
  "/v2/inbound-agents",
  "/v2/audit-logs",
  "/v2/audit-logs/verify",
]

/** Every other route, with ids that nothing has. */
const others: ReadonlyArray<readonly [method: string, path: string]> = [
  ["POST", "/v2/api-keys"],
  ["DELETE", "/v2/api-keys/key_none"],
  ["POST", "/v2/calls"],
  ["GET", "/v2/calls/exec_none"],
  ["POST", "/v2/calls/exec_none/stop"],
  ["GET", "/v2/calls/exec_none/recording"],
  ["GET", "/v2/calls/exec_none/transcript"],
  ["GET", "/v2/calls/exec_none/timing"],
  ["POST", "/v2/agents"],
  ["GET", "/v2/agents/agt_none"],
  ["PUT", "/v2/agents/agt_none"],
  ["PATCH", "/v2/agents/agt_none"],
  ["DELETE", "/v2/agents/agt_none"],
  ["POST", "/v2/agents/agt_none/clone"],
  ["GET", "/v2/agents/agt_none/executions"],
  ["GET", "/v2/agents/agt_none/versions/ver_none"],
  ["POST", "/v2/campaigns"],
  ["GET", "/v2/campaigns/cmp_none"],
  ["PATCH", "/v2/campaigns/cmp_none"],
  ["DELETE", "/v2/campaigns/cmp_none"],
  ["GET", "/v2/campaigns/cmp_none/stats"],
  ["GET", "/v2/campaigns/cmp_none/batches"],
  ["POST", "/v2/campaigns/cmp_none/pause"],
  ["POST", "/v2/campaigns/cmp_none/resume"],
  ["POST", "/v2/campaigns/cmp_none/cancel"],
  ["POST", "/v2/campaigns/cmp_none/revive"],
  ["POST", "/v2/batches"],
  ["GET", "/v2/batches/bat_none"],
  ["GET", "/v2/batches/bat_none/executions"],
  ["POST", "/v2/batches/bat_none/stop"],
  ["POST", "/v2/batches/bat_none/pause"],
  ["POST", "/v2/batches/bat_none/resume"],
  ["POST", "/v2/webhooks"],
  ["POST", "/v2/webhooks/test"],
  ["DELETE", "/v2/webhooks/sub_none"],
  ["DELETE", "/v2/knowledge-bases/none/documents/doc_none"],
]

const session = "session.token.of-a-browser"

const everyRoute = [...lists.map((path) => ["GET", path] as const), ...others]

const asked = (client: Client, method: string, path: string): Promise<Answer> =>
  client.send(method, path, method === "GET" || method === "DELETE" ? {} : { body: {} })

const credentials: Case = {
  id: "authentication/every-route",
  title: "No route answers without a key, to a browser session, or to a key in any other place",
  clauses: [
    "AUTH-HEADER-1",
    "AUTH-KEY-4",
    "AUTH-KEY-5",
    "AUTH-KEY-6",
    "AUTH-REJECT-2",
    "AUTH-REJECT-3",
    "AUTH-REJECT-4",
    "AUTH-REJECT-8",
    "ERROR-6",
    "ERROR-7",
    "ERROR-STATUS-1",
    "SCOPES-ROUTE-4",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const { anonymous } = trial
    const browser = client.as(session)
    const stranger = client.as(`${client.key ?? ""}x`)
    for (const [method, path] of everyRoute) {
      const none = await asked(anonymous, method, path)
      check.refused("no-key", ["AUTH-KEY-4", "AUTH-REJECT-2", "ERROR-6", "ERROR-STATUS-1"], none, 1100)
      const foreign = await asked(browser, method, path)
      check.refused("session", ["AUTH-REJECT-3", "AUTH-REJECT-8", "ERROR-7"], foreign, 1101)
      const unknown = await asked(stranger, method, path)
      check.refused("unknown-key", ["AUTH-REJECT-4", "ERROR-6"], unknown, 1100)
    }
    const scopes = await anonymous.get("/v2/scopes")
    check.refused("scopes-without-a-key", "SCOPES-ROUTE-4", scopes, 1100)
    for (const path of ["/v2/calls", "/v2/agents", "/v2/campaigns"]) {
      check.status("with-its-key", "AUTH-HEADER-1", await client.get(path), 200)
    }
    await elsewhere(trial, client)
  },
}

/** A key that is sent in any other place than the header is no key. */
const elsewhere = async ({ anonymous, check }: Trial, { key = "" }: Client): Promise<void> => {
  const basic = `Basic ${btoa(`${key}:`)}`
  const other = `Basic ${btoa(`user:${key}`)}`
  const headers: ReadonlyArray<Readonly<Record<string, string>>> = [
    { authorization: basic },
    { authorization: other },
    { "x-api-key": key },
    { "x-authorization": `Bearer ${key}` },
    { cookie: `session=${key}` },
    { cookie: `authorization=Bearer ${key}` },
  ]
  for (const sent of headers) {
    const answer = await anonymous.send("GET", "/v2/user/me", { headers: sent })
    check.refused("in-another-header", ["AUTH-KEY-5", "AUTH-KEY-6"], answer, 1100)
  }
  for (const name of ["api_key", "key", "token", "access_token"]) {
    check.refused("in-the-query", "AUTH-KEY-6", await anonymous.get("/v2/user/me", { [name]: key }), 1100)
  }
}

const organizations: Case = {
  id: "organization/every-route",
  title: "Every route takes the key's own organization, and refuses any other",
  clauses: ["ERROR-8", "ORG-1", "ORG-2", "ORG-5", "ME-ROUTE-3", "SCOPES-ROUTE-4"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client, organizationId } = await trial.tenant()
    for (const path of lists) {
      const own = await client.get(path, { organization_id: organizationId })
      const plain = await client.get(path)
      check.equal("own", "ORG-1", own.status, plain.status, own)
    }
    for (const [method, path] of everyRoute) {
      const query = { organization_id: "org_of-somebody-else" }
      const body = method === "GET" || method === "DELETE" ? {} : { body: {} }
      const other = await client.send(method, path, { query, ...body })
      check.refused("other", ["ORG-2", "ORG-5", "ERROR-8"], other, 1102)
    }
    const scopes = await client.get("/v2/scopes", { organization_id: "org_of-somebody-else" })
    check.refused("scopes", "SCOPES-ROUTE-4", scopes, 1102)
    const me = await client.get("/v2/user/me", { organization_id: organizationId })
    check.equal("me", "ME-ROUTE-3", me.at("organization_id"), organizationId, me)
  },
}

/** JSON by any of its names: which one an answer has is not said. */
const isJson = (type: string): boolean => /^application\/([\w.-]+\+)?json\b/i.test(type)

const paths: Case = {
  id: "routing/paths",
  title: "Every path is under /v2 of the base URL, and there",
  clauses: ["CONV-1", "CONV-2", "VERSION-1", "VERSION-2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    // Whether knowledge bases are listed is not shown (KB-ROUTES-G1).
    for (const path of lists.filter((each) => each !== "/v2/knowledge-bases")) {
      const answer = await client.get(path)
      // The identity that an audit trail or a knowledge base asks for may be missing; the route is there.
      check.exists("there", ["CONV-1", "VERSION-1"], answer)
      const type = answer.header("content-type") ?? ""
      check.holds("json", "CONV-2", type.toLowerCase().startsWith("application/json"), "a body of JSON", answer)
    }
    for (const [method, path] of [
      ["POST", "/v2/agents"],
      ["POST", "/v2/calls"],
      ["POST", "/v2/campaigns"],
      ["POST", "/v2/batches"],
    ] as const) {
      const answer = await client.send(method, path, { body: {} })
      check.exists("write-there", ["CONV-1", "VERSION-1"], answer)
      const type = answer.header("content-type") ?? ""
      check.holds("json-of-errors", "CONV-2", isJson(type), "JSON", answer)
      check.holds("envelope", "VERSION-2", answer.code !== undefined, "an integer error code", answer)
    }
    for (const path of ["/v2/no-such-thing", "/v2/agents/agt_none", "/v2/calls/exec_none"]) {
      const answer = await client.get(path)
      const type = answer.header("content-type") ?? ""
      check.holds("json-of-404", "CONV-2", isJson(type), "JSON", answer)
      check.holds("code-of-404", "VERSION-2", answer.code === 1200, "error 1200", answer)
    }
  },
}

const conflicts: Case = {
  id: "errors/conflicts",
  title: "What the state does not allow is 1201, whatever the resource",
  clauses: [
    "CALL-CREATE-P7",
    "ERROR-10",
    "CAMPAIGN-CONFLICT-4",
    "CAMPAIGN-PATCH-3",
    "ENVELOPE-1",
    "ENVELOPE-5",
    "ENVELOPE-6",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const all = ["ERROR-10", "ENVELOPE-5"] as const
    const conflict = (name: string, answer: Answer, clauses: ReadonlyArray<string> = all) => {
      check.refused(name, clauses, answer, 1201)
      check.holds(`${name}-number`, "ENVELOPE-1", typeof answer.at("error") === "number", "an integer code", answer)
      const { message } = answer
      const isClean = !/\n|\bat \S+ \(|\.[cm]?[jt]s:\d/.test(message)
      check.holds(`${name}-clean`, "ENVELOPE-6", isClean, "a message without a stack", answer)
    }
    conflict("agent-edited", await client.patch(`/v2/agents/${agentId}`, { summary: "x" }))
    conflict("agent-deleted", await client.delete(`/v2/agents/${agentId}`))
    const draft = (await makeAgent(trial, client)).string("agent_id")
    const call = { agent_id: draft, to_number: trial.numbers.magic("completed", 1) }
    // That a call of such an agent is a conflict is a reading; `POST /v2/calls` lists no 409.
    conflict("agent-not-active", await client.post("/v2/calls", call), ["CALL-CREATE-P7"])
    const stopped = await schedule(trial, client, agentId, dayMs)
    await client.post(`/v2/calls/${stopped}/stop`)
    conflict("call-ended", await client.post(`/v2/calls/${stopped}/stop`))
    const contacts = magicContacts(trial, 1, "completed")
    const made = await makeCampaign(trial, client, agentId, { contacts, start_time: await distantStart(trial) })
    const path = `/v2/campaigns/${made.string("campaign_id")}`
    conflict("campaign-running", await client.delete(path))
    conflict("campaign-revived", await client.post(`${path}/revive`))
    trial.made(await client.post(`${path}/cancel`), 200)
    for (const how of ["pause", "resume", "cancel"]) conflict(how, await client.post(`${path}/${how}`))
    const edited = await client.patch(path, { name: "Other" })
    conflict("campaign-edited", edited, [...all, "CAMPAIGN-CONFLICT-4", "CAMPAIGN-PATCH-3"])
    const batch = made.string("batch_id")
    conflict("batch-finished", await client.post(`/v2/batches/${batch}/pause`))
  },
}

const names: Case = {
  id: "errors/names",
  title: "A refusal names the first field that is wrong, as the client wrote it",
  clauses: ["DECODE-P2", "ERROR-2", "ERROR-3", "ERROR-4", "ERROR-5", "ERROR-STATUS-1"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const plainly = (name: string, answer: Answer, field: string) => {
      check.refused(name, ["ERROR-2", "ERROR-STATUS-1"], answer, 1001)
      check.names(`${name}-named`, "ERROR-3", answer, field)
      const isPlain = !new RegExp(String.raw`\b(body|query|path)[.\[]`).test(answer.message)
      check.holds(`${name}-plain`, "ERROR-4", isPlain, "a field without where it came from", answer)
    }
    for (const path of ["/v2/agents", "/v2/campaigns", "/v2/api-keys"]) {
      plainly("page", await client.get(path, { page: 0 }), "page")
      plainly("page-size", await client.get(path, { page_size: 101 }), "page_size")
    }
    const agentId = await activeAgent(trial, client)
    const call = { agent_id: agentId, to_number: trial.numbers.magic("completed", 1) }
    plainly("number", await client.post("/v2/calls", { ...call, to_number: "12" }), "to_number")
    const both = await client.post("/v2/calls", { ...call, to_number: "12", timeout_seconds: 4 })
    plainly("first-of-two", both, "to_number")
    for (const [path, body, field] of [
      ["/v2/agents", {}, "display_name"],
      ["/v2/calls", {}, "agent_id"],
      ["/v2/calls", { agent_id: agentId }, "to_number"],
      ["/v2/campaigns", {}, "name"],
      ["/v2/campaigns", { name: "Conformance" }, "agent_id"],
    ] as const) {
      const answer = await client.post(path, body)
      if (path === "/v2/calls") check.refused("absent", "ERROR-5", answer, 1002)
      else check.refused("absent-elsewhere", "DECODE-P2", answer, 1002)
      check.names("absent-named", "ERROR-5", answer, field)
    }
  },
}

/** Reads of things that another organization has. */
const foreignRoutes = (ids: Readonly<Record<string, string>>): ReadonlyArray<readonly [string, string]> => [
  ["GET", `/v2/agents/${ids["agent"]}`],
  ["PATCH", `/v2/agents/${ids["agent"]}`],
  ["PUT", `/v2/agents/${ids["agent"]}`],
  ["DELETE", `/v2/agents/${ids["agent"]}`],
  ["POST", `/v2/agents/${ids["agent"]}/clone`],
  ["GET", `/v2/agents/${ids["agent"]}/executions`],
  ["GET", `/v2/calls/${ids["call"]}`],
  ["GET", `/v2/calls/${ids["call"]}/timing`],
  ["GET", `/v2/calls/${ids["call"]}/recording`],
  ["GET", `/v2/calls/${ids["call"]}/transcript`],
  ["POST", `/v2/calls/${ids["call"]}/stop`],
  ["GET", `/v2/campaigns/${ids["campaign"]}`],
  ["PATCH", `/v2/campaigns/${ids["campaign"]}`],
  ["DELETE", `/v2/campaigns/${ids["campaign"]}`],
  ["GET", `/v2/campaigns/${ids["campaign"]}/stats`],
  ["POST", `/v2/campaigns/${ids["campaign"]}/pause`],
  ["POST", `/v2/campaigns/${ids["campaign"]}/cancel`],
  ["GET", `/v2/batches/${ids["batch"]}`],
  ["GET", `/v2/batches/${ids["batch"]}/executions`],
  ["POST", `/v2/batches/${ids["batch"]}/stop`],
  ["DELETE", `/v2/webhooks/${ids["subscription"]}`],
]

const foreign: Case = {
  id: "organization/foreign-resources",
  title: "What belongs to another organization is not there, whatever is asked of it",
  clauses: [
    "CALL-GET-10",
    "ERROR-9",
    "ERROR-FORBIDDEN-1",
    "ERROR-FORBIDDEN-2",
    "ORG-4",
    "TENANCY-1",
    "TENANCY-2",
    "WEBHOOK-DELETE-4",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const other = await trial.organization()
    const agent = await activeAgent(trial, client)
    const contacts = magicContacts(trial, 1, "completed")
    const made = await makeCampaign(trial, client, agent, { contacts, start_time: await distantStart(trial) })
    const hook = await client.post("/v2/webhooks", { callback_url: "https://hooks.example.com/in", agent_id: agent })
    const ids = {
      agent,
      call: await schedule(trial, client, agent, dayMs),
      campaign: made.string("campaign_id"),
      batch: made.string("batch_id"),
      subscription: hook.string("subscription_id"),
    }
    for (const [method, path] of foreignRoutes(ids)) {
      const body = method === "PATCH" || method === "PUT" ? { body: { name: "X", display_name: "X" } } : {}
      const answer = await other.client.send(method, path, body)
      const clauses = ["ERROR-9", "ERROR-FORBIDDEN-1", "ERROR-FORBIDDEN-2", "TENANCY-2"]
      check.refused("foreign", clauses, answer, 1200)
      if (path.startsWith("/v2/calls/")) check.refused("call", "CALL-GET-10", answer, 1200)
      if (path.startsWith("/v2/webhooks/")) check.refused("subscription", "WEBHOOK-DELETE-4", answer, 1200)
    }
    for (const path of ["/v2/agents", "/v2/calls", "/v2/campaigns", "/v2/batches", "/v2/webhooks"]) {
      const own = await client.get(path)
      const theirs = await other.client.get(path)
      const clauses = ["ORG-4", "TENANCY-1"]
      check.holds("own-listed", clauses, own.items().length > 0, "what the organization has", own)
      check.equal("nothing-of-others", clauses, theirs.items(), [], theirs)
    }
    const [mine, yours] = [await client.get("/v2/phone-numbers"), await other.client.get("/v2/phone-numbers")]
    const isApart = mine.items().length === 0 || mine.text !== yours.text
    check.holds("numbers-apart", ["ORG-4", "TENANCY-1"], isApart, "numbers of the own organization", yours)
  },
}

/** What holds on every route alike. */
export const everywhereCases: ReadonlyArray<Case> = [credentials, organizations, paths, conflicts, names, foreign]
