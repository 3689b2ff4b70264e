import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent, makeAgent } from "../../trial/Agents.ts"
import { dial, schedule } from "../../trial/Calls.ts"
import { csv, distantStart, magicContacts, makeCampaign } from "../../trial/Campaigns.ts"
import { dayMs, minuteMs } from "../../trial/Duration.ts"
import { form } from "../../trial/Forms.ts"
import { deliveredByMs, freshInbox, subscribe } from "../../trial/Webhooks.ts"
import { mintedKeyIn } from "../../trial/KeyId.ts"

const everyRoute: Case = {
  id: "idempotency/every-route",
  title: "A key is kept on each of the four routes, apart from the others, and a failure is never kept",
  clauses: [
    "IDEMPOTENCY-P1",
    "IDEMPOTENCY-P3",
    "IDEMPOTENCY-P4",
    "IDEMPOTENCY-P6",
    "IDEMPOTENCY-P7",
    "IDEMPOTENCY-P9",
    "IDEMPOTENCY-P10",
  ],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const scheduled_at = new Date((await trial.now()) + dayMs).toISOString()
    const start_time = await distantStart(trial)
    const contacts = magicContacts(trial, 1, "completed")
    const bodies: ReadonlyArray<readonly [path: string, body: Readonly<Record<string, unknown>>, status: number]> = [
      ["/v2/calls", { agent_id, to_number: trial.numbers.magic("completed", 1), scheduled_at }, 202],
      ["/v2/campaigns", { name: "Conformance", agent_id, contacts, start_time }, 201],
      ["/v2/batches", { agent_id, contacts, scheduled_at }, 201],
    ]
    const key = trial.fresh().padEnd(255, "k").slice(0, 255)
    const send = (path: string, body: unknown, own = key) =>
      client.send("POST", path, { body, headers: { "idempotency-key": own } })
    const replays = (name: string, first: Answer, again: Answer) => {
      check.equal(`${name}-same`, "IDEMPOTENCY-P3", [again.status, again.text], [first.status, first.text], again)
      check.equal(`${name}-marked`, "IDEMPOTENCY-P3", again.header("idempotent-replayed"), "true", again)
    }
    for (const [path, body, status] of bodies) {
      const name = path.slice(4)
      // The same key on another route is another key.
      const first = await send(path, body)
      check.status(`${name}-first`, ["IDEMPOTENCY-P1", "IDEMPOTENCY-P10"], first, status)
      replays(name, first, await send(path, body))
      const other = await send(path, { ...body, metadata: { other: true } })
      check.refused(`${name}-other`, "IDEMPOTENCY-P4", other, 1201)
      const failing = { ...body, agent_id: "agt_none" }
      const refused = await send(path, failing, `${name}-failing`)
      check.rejected(`${name}-failed`, "IDEMPOTENCY-P6", refused)
      const mended = await send(path, body, `${name}-failing`)
      check.status(`${name}-mended`, "IDEMPOTENCY-P6", mended, status)
      check.refused(`${name}-empty`, "IDEMPOTENCY-P7", await send(path, body, ""), 1000)
      check.refused(`${name}-too-long`, "IDEMPOTENCY-P7", await send(path, body, "k".repeat(256)), 1000)
    }
    const parts = [
      { name: "agent_id", value: agent_id },
      { name: "scheduled_at", value: scheduled_at },
      csv(`to_number\n${trial.numbers.magic("completed", 1)}\n`),
    ]
    const upload = (boundary: string) => {
      const { headers, raw } = form(parts)
      const text = new TextDecoder().decode(raw).replaceAll("carillon-conformance-form", boundary)
      const bytes = new TextEncoder().encode(text)
      return client.send("POST", "/v2/batches/upload", {
        raw: bytes,
        headers: {
          ...headers,
          "content-type": `multipart/form-data; boundary=${boundary}`,
          "content-length": String(bytes.length),
          "idempotency-key": key,
        },
      })
    }
    const first = await upload("one-boundary")
    check.status("upload-first", "IDEMPOTENCY-P10", first, 201)
    replays("upload", first, await upload("one-boundary"))
    const again = await upload("another-boundary")
    check.equal("another-boundary", "IDEMPOTENCY-P9", again.header("idempotent-replayed"), "true", again)
  },
}

const listedUsage: Case = {
  id: "usage/listed",
  title: "Usage by day, agent and campaign adds up to the calls that are listed",
  clauses: ["USAGE-P1", "USAGE-P2", "OTHER-1"],
  requires: ["fixtures", "telephony", "magic", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const [first, second] = [await activeAgent(trial, client), await activeAgent(trial, client)]
    for (const outcome of ["completed", "busy", "completed", "failed"] as const) {
      await dial(trial, client, first, trial.numbers.magic(outcome, 1))
    }
    const contacts = [...magicContacts(trial, 2, "completed"), ...magicContacts(trial, 1, "busy")]
    const retry_policy = { max_retries: 1, base_delay_minutes: 1 }
    await makeCampaign(trial, client, second, { contacts, retry_policy })
    await trial.clock.advance(30 * minuteMs)
    const list = await client.get("/v2/calls", { page_size: 100 })
    const calls = list.items().filter(isObject)
    const usage = await client.get("/v2/usage")
    check.status("there", "OTHER-1", usage, 200)
    const sum = (of: (call: Readonly<Record<string, unknown>>) => number) =>
      calls.reduce((all, call) => all + of(call), 0)
    const near = (name: string, got: unknown, expected: number) => {
      const holds = typeof got === "number" && Math.abs(got - expected) < 0.001
      check.that(name, "USAGE-P2", holds, { expected, got, at: usage })
    }
    near("calls", usage.at("total_calls"), calls.length)
    near(
      "seconds",
      usage.at("total_duration_seconds"),
      sum((call) => Number(call["duration_seconds"] ?? 0)),
    )
    near(
      "cost",
      usage.at("total_cost"),
      sum((call) => Number(Object(call["cost"]).total ?? 0)),
    )
    near(
      "connected",
      usage.at("connected_calls"),
      sum((call) => (Number(call["duration_seconds"] ?? 0) > 0 ? 1 : 0)),
    )
    for (const part of ["llm", "telephony", "platform"]) {
      const own = sum((call) => Number(Object(Object(call["cost"]).breakdown)[part] ?? 0))
      near(`cost-${part}`, usage.at(`cost_breakdown.${part}`), own)
    }
    const counts: Record<string, number> = {}
    for (const { status } of calls) counts[String(status)] = (counts[String(status)] ?? 0) + 1
    check.equal("statuses", "USAGE-P2", usage.at("status_counts"), counts, usage)
    const groups: ReadonlyArray<readonly [group: string, buckets: number]> = [
      ["agent", 2],
      ["day", 1],
      ["campaign", new Set(calls.map(({ campaign_id }) => campaign_id)).size],
    ]
    const seen = new Set<string>()
    for (const [group_by, expected] of groups) {
      const grouped = await client.get("/v2/usage", { group_by })
      const buckets = grouped.items("buckets").filter(isObject)
      check.equal(`buckets-${group_by}`, "USAGE-P2", buckets.length, expected, grouped)
      const total = buckets.reduce((all, bucket) => all + Number(bucket["total_calls"]), 0)
      check.equal(`adds-up-${group_by}`, "USAGE-P2", total, calls.length, grouped)
      seen.add(JSON.stringify(buckets))
    }
    check.equal("each-its-own", "USAGE-P2", seen.size, groups.length, usage)
    for (const agent_id of [first, second]) {
      const one = await client.get("/v2/usage", { agent_id })
      check.equal(
        "of-an-agent",
        "USAGE-P1",
        one.at("total_calls"),
        calls.filter((call) => call["agent_id"] === agent_id).length,
        one,
      )
    }
    const now = await trial.now()
    for (const [name, query] of [
      [
        "before",
        { to_date: new Date(now - 10 * dayMs).toISOString(), from_date: new Date(now - 20 * dayMs).toISOString() },
      ],
      ["after", { from_date: new Date(now + dayMs).toISOString(), to_date: new Date(now + 2 * dayMs).toISOString() }],
    ] as const) {
      const none = await client.get("/v2/usage", query)
      check.equal(`nothing-${name}`, "USAGE-P1", none.at("total_calls"), 0, none)
    }
  },
}

const actions: Case = {
  id: "audit/every-write",
  title: "Each write and each denial leaves a record of its own, which every filter finds",
  clauses: [
    "AUDIT-P1",
    "AUDIT-P2",
    "AUDIT-P8",
    "AUDIT-P9",
    "AUDIT-P10",
    "OTHER-3",
    "OTHER-4",
    "SCOPE-ENFORCED-2",
    "TIME-1",
  ],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const keys = [{ keys_write: true }, { scopes: ["agents:read"] }]
    const { client, clients, keyIds } = await trial.organization({ keys })
    const limited = clients[1]
    if (limited === undefined) return
    const count = async () => (await client.get("/v2/audit-logs", { page_size: 100 })).items().length
    const leaves = async (name: string, write: () => Promise<unknown>) => {
      const before = await count()
      await write()
      check.equal(name, ["AUDIT-P8"], (await count()) - before, 1)
      await trial.clock.advance(1_000)
    }
    let agentId = ""
    await leaves("agent-create", async () => (agentId = (await makeAgent(trial, client)).string("agent_id")))
    await leaves("agent-update", () => client.patch(`/v2/agents/${agentId}`, { summary: "x" }))
    await leaves("agent-activate", () => client.patch(`/v2/agents/${agentId}`, { status: "ACTIVE" }))
    await leaves("conflict", () => client.patch(`/v2/agents/${agentId}`, { summary: "y" }))
    await leaves("booking", () => schedule(trial, client, agentId, dayMs))
    await leaves("campaign-create", () => makeCampaign(trial, client, agentId))
    const inbox = { callback_url: "https://hooks.example.com/in", agent_id: agentId }
    let id = ""
    await leaves("subscribe", async () => (id = (await client.post("/v2/webhooks", inbox)).string("subscription_id")))
    await leaves("unsubscribe", () => client.delete(`/v2/webhooks/${id}`))
    let keyId = ""
    await leaves("mint", async () => {
      const made = await client.post("/v2/api-keys", { name: "x" })
      trial.secret(mintedKeyIn(made))
      keyId = made.string("key_id")
    })
    await leaves("revoke", () => client.delete(`/v2/api-keys/${keyId}`))
    for (const path of ["/v2/calls", "/v2/batches"]) {
      const before = await count()
      await leaves("denied-read", () => limited.get(path))
      check.holds("recorded", "SCOPE-ENFORCED-2", (await count()) > before, "a record of the denial")
      const list = await client.get("/v2/audit-logs", { page_size: 1 })
      check.equal("denied", "AUDIT-P10", list.at("data.0.outcome"), "denied", list)
      check.equal("by-whom", "AUDIT-P2", list.at("data.0.actor.key_id"), keyIds[1], list)
    }
    await filtered(client)

    async function filtered(by: Client): Promise<void> {
      const whole = await by.get("/v2/audit-logs", { page_size: 100 })
      const rows = whole.items().filter(isObject)
      const texts = [...whole.text.matchAll(/"(\d{4}-\d\d-\d\dT[^"]*)"/g)].map(([, text]) => text ?? "")
      const isUtc = texts.every((text) => /(Z|[+-]00:00)$/.test(text))
      check.holds("utc", "TIME-1", isUtc, "timestamps in UTC", whole)
      check.holds(
        "no-numbers",
        "AUDIT-P9",
        !JSON.stringify(rows.map(({ details }) => details)).includes("+"),
        "none",
        whole,
      )
      const sequences = rows.map(({ sequence }) => sequence)
      check.equal(
        "sequences",
        "AUDIT-P2",
        sequences,
        sequences.map((_each, n) => rows.length - n),
        whole,
      )
      const middle = rows[Math.floor(rows.length / 2)]
      const at = Date.parse(String(middle?.["created_at"]))
      // A trail whose records tell no time under this name cannot be asked further.
      if (Number.isNaN(at)) return
      const tests: ReadonlyArray<
        readonly [name: string, query: Record<string, string>, of: (row: (typeof rows)[number]) => boolean]
      > = [
        ["action", { action: String(middle?.["action"]) }, (row) => row["action"] === middle?.["action"]],
        ["outcome", { outcome: "denied" }, (row) => row["outcome"] === "denied"],
        ["actor", { actor: keyIds[1] ?? "" }, (row) => Object(row["actor"]).key_id === keyIds[1]],
        ["resource-type", { resource_type: "agent" }, (row) => Object(row["resource"]).type === "agent"],
        ["resource-id", { resource_id: agentId }, (row) => Object(row["resource"]).id === agentId],
        ["from", { from_date: new Date(at + 1).toISOString() }, (row) => Date.parse(String(row["created_at"])) > at],
        ["to", { to_date: new Date(at - 1).toISOString() }, (row) => Date.parse(String(row["created_at"])) < at],
      ]
      for (const [name, query, of] of tests) {
        const found = await by.get("/v2/audit-logs", { ...query, page_size: 100 })
        const expected = rows.filter(of).map(({ event_id }) => event_id)
        const got = found
          .items()
          .filter(isObject)
          .map(({ event_id }) => event_id)
        check.equal(name, "AUDIT-P1", got, expected, found)
      }
      const second = await by.get("/v2/audit-logs", { page: 2, page_size: 3 })
      check.equal("page", "AUDIT-P1", second.at("data.0.event_id"), rows[3]?.["event_id"], second)
      const one = await by.get(`/v2/audit-logs/${String(middle?.["event_id"])}`)
      check.equal("one", "AUDIT-P1", one.json, middle, one)
      if (typeof middle?.["event_id"] === "string") {
        check.status("there", "OTHER-3", one, 200)
        const { client: stranger } = await trial.organization()
        check.refused("not-theirs", "OTHER-3", await stranger.get(`/v2/audit-logs/${middle["event_id"]}`), 1200)
      }
      const verified = await by.get("/v2/audit-logs/verify")
      check.equal("verified", "OTHER-4", [verified.status, verified.at("valid") !== false], [200, true], verified)
      check.refused("needs-its-scope", "OTHER-4", (await limited?.get("/v2/audit-logs/verify")) ?? verified, 1102)
    }
  },
}

const ledger: Case = {
  id: "webhooks/deliveries/filters",
  title: "The ledger is filtered by event, type, call, subscription, status and time, and tells every attempt",
  clauses: ["LEDGER-P1", "LEDGER-P2", "LEDGER-P3", "LEDGER-P4", "LEDGER-P6", "DELIVERY-11", "SIGNATURE-5"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const [good, bad] = [freshInbox(trial), freshInbox(trial)]
    await bad.behave({ status: 500 })
    const event_types = ["all_processing_completed", "call_completed"]
    const first = await subscribe(trial, client, good, { agent_id: agentId, event_types, secret: "s3cret" })
    const second = await subscribe(trial, client, bad, { agent_id: agentId })
    const calls = [await dial(trial, client, agentId, trial.numbers.magic("busy"))]
    await trial.clock.advance(deliveredByMs)
    calls.push(await dial(trial, client, agentId, trial.numbers.magic("busy")))
    await trial.clock.advance(deliveredByMs)
    const whole = await client.get("/v2/webhooks/deliveries", { page_size: 100 })
    const rows = whole.items().filter(isObject)
    check.equal("rows", "DELIVERY-11", rows.length, 6, whole)
    const row = rows.find(({ subscription_id }) => subscription_id === second)
    const middle = Date.parse(String(rows[3]?.["created_at"]))
    check.must(check.holds("times", "LEDGER-P1", Number.isFinite(middle), "times that can be read", whole))
    const tests: ReadonlyArray<
      readonly [name: string, query: Record<string, string>, of: (each: (typeof rows)[number]) => boolean]
    > = [
      ["event-id", { event_id: String(row?.["event_id"]) }, (each) => each["event_id"] === row?.["event_id"]],
      ["event-type", { event_type: "call_completed" }, (each) => each["event_type"] === "call_completed"],
      ["execution-id", { execution_id: calls[0] ?? "" }, (each) => each["execution_id"] === calls[0]],
      ["subscription-id", { subscription_id: first }, (each) => each["subscription_id"] === first],
      ["status", { status: "failed" }, (each) => each["status"] === "failed"],
      [
        "from",
        { from_date: new Date(middle + 1).toISOString() },
        (each) => Date.parse(String(each["created_at"])) > middle,
      ],
      [
        "to",
        { to_date: new Date(middle - 1).toISOString() },
        (each) => Date.parse(String(each["created_at"])) < middle,
      ],
    ]
    for (const [name, query, of] of tests) {
      const found = await client.get("/v2/webhooks/deliveries", { ...query, page_size: 100 })
      const expected = rows.filter(of).map(({ delivery_id }) => delivery_id)
      const got = found
        .items()
        .filter(isObject)
        .map(({ delivery_id }) => delivery_id)
      check.equal(name, "LEDGER-P2", got, expected, found)
    }
    for (const each of rows) {
      const isGood = each["subscription_id"] === first
      check.equal("attempts", "LEDGER-P1", each["attempt_count"], isGood ? 1 : 4, whole)
      check.equal("signed", "SIGNATURE-5", each["signed"] ?? isGood, isGood, whole)
      const attempts = Array.isArray(each["attempts"]) ? each["attempts"].filter(isObject) : []
      const isTimed = attempts.length > 0 && attempts.every(({ started_at }) => typeof started_at === "string")
      check.holds("timed", "LEDGER-P6", isTimed, "the start of every attempt", whole)
    }
    const id = String(row?.["delivery_id"])
    const again = await client.post(`/v2/webhooks/deliveries/${id}/redeliver`)
    check.equal("same-event", "LEDGER-P3", again.at("event_id"), row?.["event_id"], again)
    check.holds("new-delivery", "LEDGER-P3", again.string("delivery_id") !== id, "a delivery of its own", again)
    await trial.clock.advance(1_000)
    const retrying = await client.get("/v2/webhooks/deliveries", { status: "retrying" })
    check.equal("next", "LEDGER-P1", typeof retrying.at("data.0.next_attempt_at"), "string", retrying)
    trial.made(await client.delete(`/v2/webhooks/${second}`), 204)
    await trial.clock.advance(deliveredByMs)
    const ended = await client.get("/v2/webhooks/deliveries", { event_id: String(row?.["event_id"]), page_size: 100 })
    const stopped = ended
      .items()
      .filter(isObject)
      .find(({ delivery_id }) => delivery_id === again.at("delivery_id"))
    check.equal(
      "stopped",
      "LEDGER-P4",
      [stopped?.["status"], typeof stopped?.["error_message"]],
      ["failed", "string"],
      ended,
    )
  },
}

/** What is kept of requests, calls, writes and deliveries. */
export const keptCases: ReadonlyArray<Case> = [everyRoute, listedUsage, actions, ledger]
