import type { Answer } from "../../http/Answer.ts"
import type { Case } from "../../run/Case.ts"
import { agentName, makeAgent } from "../../trial/Agents.ts"
import { bookCall } from "../../trial/Calls.ts"
import { askCampaign, distantStart, magicContacts, makeCampaign, move } from "../../trial/Campaigns.ts"
import { dayMs } from "../../trial/Duration.ts"
import { mintedKeyIn } from "../../trial/KeyId.ts"

/** Lists that every organization has. */
const lists: ReadonlyArray<string> = [
  "/v2/agents",
  "/v2/api-keys",
  "/v2/calls",
  "/v2/campaigns",
  "/v2/batches",
  "/v2/webhooks",
]

/** Routes of which the specification shows no more than their paths: what is refused there may have another code. */
const isNamedOnly = (path: string): boolean => /\/(batches|webhooks|versions)$/.test(path)

const bounds: Case = {
  id: "routing/pages/bounds",
  title: "Every list takes pages 1 to 10000 of 1 to 100 rows, 20 where nothing is asked, and refuses all else",
  clauses: [
    "AGENT-LIST-11",
    "AGENT-LIST-12",
    "CAMPAIGN-LIST-3",
    "CONSTANT-1",
    "CONSTANT-2",
    "ERROR-STATUS-1",
    "KEY-LIST-2",
    "KEY-LIST-4",
    "PAGE-1",
    "PAGE-2",
    "PAGE-3",
    "PAGE-7",
    "PAGE-8",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = (await makeAgent(trial, client)).string("agent_id")
    for (const path of [...lists, `/v2/agents/${agentId}/versions`, `/v2/agents/${agentId}/executions`]) {
      const plain = await client.get(path)
      const isList = Array.isArray(plain.at("data")) && typeof plain.at("pagination.has_more") === "boolean"
      check.holds("list", "PAGE-1", isList, "data and pagination", plain)
      check.equal("default-size", ["CONSTANT-1", "PAGE-8", "PAGE-3"], plain.at("pagination.page_size"), 20, plain)
      check.equal("default-page", ["CONSTANT-2", "PAGE-7", "PAGE-2"], plain.at("pagination.page"), 1, plain)
      for (const page of [0, -1, 10_001]) {
        const refused = await client.get(path, { page })
        if (isNamedOnly(path)) check.rejected(`named-page${page}`, ["CONSTANT-2", "PAGE-7"], refused)
        else check.refused(`page${page}`, ["CONSTANT-2", "PAGE-7", "ERROR-STATUS-1"], refused, 1001)
      }
      for (const page_size of [0, -1, 101]) {
        const refused = await client.get(path, { page_size })
        if (isNamedOnly(path)) check.rejected(`named-size${page_size}`, ["CONSTANT-1", "PAGE-8"], refused)
        else check.refused(`size${page_size}`, ["CONSTANT-1", "PAGE-8", "ERROR-STATUS-1"], refused, 1001)
      }
      const last = await client.get(path, { page: 10_000 })
      check.status("page10000", ["CONSTANT-2", "PAGE-7"], last, 200)
      check.equal("page10000-told", "PAGE-2", last.at("pagination.page"), 10_000, last)
      for (const page_size of [1, 100]) {
        const taken = await client.get(path, { page_size })
        check.equal(
          `size${page_size}-told`,
          ["CONSTANT-1", "PAGE-8"],
          taken.at("pagination.page_size"),
          page_size,
          taken,
        )
      }
    }
    const second = await client.get("/v2/batches", { page: 2, page_size: 7 })
    check.equal("second", "PAGE-2", [second.at("pagination.page"), second.at("pagination.page_size")], [2, 7], second)
    const keys = await client.get("/v2/api-keys", { page: 2, page_size: 1 })
    check.equal("keys", "KEY-LIST-2", [keys.at("pagination.page"), keys.at("pagination.page_size")], [2, 1], keys)
    const isKeyList = Array.isArray((await client.get("/v2/api-keys")).at("data"))
    check.holds("keys-in-data", "KEY-LIST-4", isKeyList, "a list of keys in data", keys)
    const agents = await client.get("/v2/agents", { page: 3, page_size: 2 })
    check.equal("agents", "AGENT-LIST-11", [agents.at("pagination.page"), agents.at("pagination.page_size")], [3, 2])
    const none = await client.get("/v2/agents", { search: trial.fresh() })
    check.equal("empty", "AGENT-LIST-12", none.at("data"), [], none)
    const campaigns = await client.get("/v2/campaigns", { page: 2, status: "created" })
    check.equal("campaigns", "CAMPAIGN-LIST-3", campaigns.at("pagination.page"), 2, campaigns)
  },
}

const figures = (answer: Answer): unknown => [
  answer.at("pagination.total"),
  answer.at("pagination.total_pages"),
  answer.at("pagination.has_more"),
  answer.items().length,
]

const counted: Case = {
  id: "routing/pages/counted",
  title: "Pages of campaigns tell exactly what there is, with a filter and without",
  clauses: [
    "CAMPAIGN-LIST-2",
    "CAMPAIGN-LIST-3",
    "CAMPAIGN-LIST-4",
    "CAMPAIGN-LIST-5",
    "PAGE-2",
    "PAGE-3",
    "PAGE-4",
    "PAGE-5",
    "PAGE-6",
  ],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = (await makeAgent(trial, client)).string("agent_id")
    const ids: Array<string> = []
    const start_time = await distantStart(trial)
    for (let n = 0; n < 5; n++) {
      const body = { contacts: magicContacts(trial, 1, "completed"), start_time }
      ids.unshift((await makeCampaign(trial, client, agentId, body)).string("campaign_id"))
      await trial.clock.advance(1_000)
    }
    const [newest = "", , third = ""] = ids
    trial.made(await move(client, newest, "cancel"), 200)
    trial.made(await move(client, third, "cancel"), 200)
    const list = (query: Readonly<Record<string, string | number>>) => client.get("/v2/campaigns", query)
    const all = ["PAGE-4", "PAGE-5", "PAGE-6", "CAMPAIGN-LIST-5"]
    for (const [name, query, expected] of [
      ["first", { page: 1, page_size: 2 }, [5, 3, true, 2]],
      ["second", { page: 2, page_size: 2 }, [5, 3, true, 2]],
      ["last", { page: 3, page_size: 2 }, [5, 3, false, 1]],
      ["full", { page_size: 5 }, [5, 1, false, 5]],
      ["filtered", { status: "cancelled", page_size: 1 }, [2, 2, true, 1]],
      ["filtered-last", { status: "cancelled", page_size: 1, page: 2 }, [2, 2, false, 1]],
    ] as const) {
      const answer = await list(query)
      check.equal(name, all, figures(answer), expected, answer)
      check.equal(`${name}-size`, "PAGE-3", answer.at("pagination.page_size"), query.page_size, answer)
    }
    const seen: Array<string> = []
    for (let page = 1; page <= 3; page++) {
      const answer = await list({ page, page_size: 2 })
      check.equal("page", ["PAGE-2", "CAMPAIGN-LIST-3"], answer.at("pagination.page"), page, answer)
      seen.push(...answer.items().map((_row, n) => answer.string(`data.${n}.campaign_id`)))
    }
    check.equal("each-once-newest-first", ["CAMPAIGN-LIST-3", "CAMPAIGN-LIST-4"], seen, ids)
    const cancelled = await list({ status: "cancelled" })
    const found = cancelled.items().map((_row, n) => cancelled.string(`data.${n}.campaign_id`))
    check.equal("of-a-status", "CAMPAIGN-LIST-2", found, [newest, third], cancelled)
    const second = await list({ status: "cancelled", page: 2, page_size: 1 })
    check.equal("page-of-a-status", "CAMPAIGN-LIST-3", second.at("data.0.campaign_id"), third, second)
    for (const status of ["created", "active", "paused", "completed", "expired", "archived"]) {
      const some = await list({ status })
      check.status("every-status", "CAMPAIGN-LIST-2", some, 200)
      const statuses = new Set(some.items().map((_row, n) => some.string(`data.${n}.status`)))
      check.holds(
        "that-status",
        "CAMPAIGN-LIST-2",
        [...statuses].every((one) => one === status),
        status,
        some,
      )
    }
  },
}

const ofCalls: Case = {
  id: "routing/pages/calls",
  title: "Pages of calls are disjoint, count what there is and come newest first",
  clauses: ["CALL-GET-9", "CALL-LIST-3", "CALL-LIST-4", "CALL-OF-AGENT-9", "CALL-OF-AGENT-10", "PAGE-4", "PAGE-6"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const made = await makeAgent(trial, client, { status: "ACTIVE" })
    const agent_id = made.string("agent_id")
    const now = await trial.now()
    const ids: Array<string> = []
    for (let n = 0; n < 5; n++) {
      const scheduled_at = new Date(now + (n + 1) * dayMs).toISOString()
      const body = { agent_id, to_number: trial.numbers.magic("completed", 1), scheduled_at }
      ids.unshift(trial.made(await bookCall(trial, client, body), 202).string("execution_id"))
    }
    for (const [path, clauses] of [
      ["/v2/calls", ["CALL-GET-9", "CALL-LIST-3"]],
      [`/v2/agents/${agent_id}/executions`, ["CALL-OF-AGENT-9", "CALL-OF-AGENT-10"]],
    ] as const) {
      const seen: Array<string> = []
      for (let page = 1; page <= 3; page++) {
        const answer = await client.get(path, { page, page_size: 2 })
        check.equal(`total${path.slice(-6)}`, "PAGE-4", answer.at("pagination.total"), 5, answer)
        check.equal(`more${path.slice(-6)}`, "PAGE-6", answer.at("pagination.has_more"), page < 3, answer)
        seen.push(...answer.items().map((_row, n) => answer.string(`data.${n}.execution_id`)))
      }
      check.equal(`each-once${path.slice(-6)}`, clauses, seen.toSorted(), ids.toSorted())
      const [newest] = seen
      const isListed = ids.every((id) => seen.includes(id))
      check.holds(`listed${path.slice(-6)}`, "CALL-LIST-4", isListed && newest !== undefined, "every booking")
    }
  },
}

const statuses: Case = {
  id: "errors/statuses",
  title: "What is made answers 201, what is accepted 202, and what is deleted for good 204",
  clauses: [
    "ENVELOPE-4",
    "ERROR-STATUS-2",
    "ERROR-STATUS-3",
    "ERROR-STATUS-4",
    "ERROR-STATUS-5",
    "RATE-HEADERS-1",
    "RATE-HEADERS-4",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({ keys: [{ keys_write: true }] })
    const answered = (name: string, clause: string, answer: Answer, status: number): Answer => {
      check.status(name, clause, answer, status)
      check.equal(
        `${name}-no-error`,
        "ENVELOPE-4",
        answer.text.includes('"error":') && answer.at("error"),
        false,
        answer,
      )
      const names = ["limit", "remaining", "reset"].filter((each) => answer.header(`x-ratelimit-${each}`) === null)
      check.equal(`${name}-headers`, "RATE-HEADERS-1", names, [], answer)
      return answer
    }
    const agent = answered(
      "agent",
      "ERROR-STATUS-3",
      await client.post("/v2/agents", { display_name: agentName(trial) }),
      201,
    ).string("agent_id")
    const clone = answered("clone", "ERROR-STATUS-3", await client.post(`/v2/agents/${agent}/clone`, {}), 201)
    trial.defer(() => client.delete(`/v2/agents/${clone.string("agent_id")}`))
    const other = (await makeAgent(trial, client)).string("agent_id")
    answered("agent-delete", "ERROR-STATUS-2", await client.delete(`/v2/agents/${other}`), 200)
    trial.made(await client.patch(`/v2/agents/${agent}`, { status: "ACTIVE" }), 200)
    const key = answered("key", "ERROR-STATUS-3", await client.post("/v2/api-keys", { name: "Conformance" }), 201)
    trial.secret(mintedKeyIn(key))
    const start_time = await distantStart(trial)
    const contacts = magicContacts(trial, 1, "completed")
    const made = answered(
      "campaign",
      "ERROR-STATUS-3",
      await askCampaign(trial, client, { name: "Conformance", agent_id: agent, contacts, start_time }),
      201,
    )
    const path = `/v2/campaigns/${made.string("campaign_id")}`
    const scheduled_at = new Date((await trial.now()) + dayMs).toISOString()
    const body = { agent_id: agent, contacts: magicContacts(trial, 1, "completed"), scheduled_at }
    const batch = answered("batch", "ERROR-STATUS-3", await client.post("/v2/batches", body), 201).string("batch_id")
    answered("batch-pause", "ERROR-STATUS-2", await client.post(`/v2/batches/${batch}/pause`), 200)
    answered("batch-resume", "ERROR-STATUS-4", await client.post(`/v2/batches/${batch}/resume`), 202)
    await client.post(`/v2/batches/${batch}/stop`)
    const call = { agent_id: agent, to_number: trial.numbers.magic("completed", 1), scheduled_at }
    answered("booking", "ERROR-STATUS-4", await bookCall(trial, client, call), 202)
    const hook = await client.post("/v2/webhooks", { callback_url: "https://hooks.example.com/in", agent_id: agent })
    const subscription = hook.string("subscription_id")
    answered("subscription-delete", "ERROR-STATUS-5", await client.delete(`/v2/webhooks/${subscription}`), 204)
    trial.made(await client.post(`${path}/cancel`), 200)
    answered("campaign-delete", "ERROR-STATUS-5", await client.delete(path), 204)
    const before = (await client.get("/v2/user/me")).integerHeader("x-ratelimit-remaining")
    for (let n = 0; n < 5; n++) await client.get("/v2/user/me")
    const after = (await client.get("/v2/user/me")).integerHeader("x-ratelimit-remaining")
    // A window may have rolled meanwhile, where time is real.
    check.holds("counted", "RATE-HEADERS-4", after < before || after > before + 100, "fewer left after five requests")
  },
}

/** Pages, and the statuses of what succeeds. */
export const pageCases: ReadonlyArray<Case> = [bounds, counted, ofCalls, statuses]
