import { canonical, isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"

const digest = async (text: string): Promise<string> => {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}

const trail: Case = {
  id: "audit/trail",
  title: "Every write and every denial stands in one chain that anybody can verify, and that shows a cut tail",
  clauses: [
    "AUDIT-P1",
    "AUDIT-P2",
    "AUDIT-P3",
    "AUDIT-P4",
    "AUDIT-P5",
    "AUDIT-P7",
    "AUDIT-P8",
    "AUDIT-P9",
    "AUDIT-P10",
    "AUDIT-P11",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client, clients } = await trial.organization({ keys: [{ keys_write: true }, { scopes: ["agents:read"] }] })
    const limited = clients[1]
    if (limited === undefined) return
    const agentId = await activeAgent(trial, client)
    check.refused("denied", "AUDIT-P10", await limited.get("/v2/calls"), 1102)
    check.refused("conflict", "AUDIT-P10", await client.patch(`/v2/agents/${agentId}`, { summary: "x" }), 1201)
    await client.post("/v2/agents", { display_name: "" })
    // Nothing is wrong with its schema: only who configures the agent finds it.
    await client.post("/v2/agents", { display_name: "Refused", calling_guard: { enabled: true, days: [9] } })
    const list = await client.get("/v2/audit-logs", { page_size: 100 })
    check.status("listed", "AUDIT-P1", list, 200)
    const records = list.items().filter(isObject).toReversed()
    const outcomes = records.map((record) => record["outcome"])
    check.equal(
      "outcomes",
      ["AUDIT-P8", "AUDIT-P10", "AUDIT-P11"],
      outcomes,
      ["allowed", "allowed", "denied", "failed"],
      list,
    )
    const statuses = records.map((record) => record["http_status"])
    check.equal("statuses", "AUDIT-P2", statuses, [201, 200, 403, 409], list)
    let previous = "0".repeat(64)
    for (const [index, record] of records.entries()) {
      const { hash, ...content } = record
      const clauses = index === 0 ? ["AUDIT-P4"] : ["AUDIT-P3"]
      check.equal(index === 0 ? "genesis" : "linked", clauses, record["prev_hash"], previous, list)
      check.equal("hash", "AUDIT-P3", hash, await digest(canonical(content)), list)
      check.equal("sequence", "AUDIT-P2", record["sequence"], index + 1, list)
      previous = String(hash)
    }
    check.holds(
      "no-numbers",
      "AUDIT-P9",
      !/\d{7,}/.test(JSON.stringify(records.map((record) => record["details"]))),
      "no long runs of digits in details",
      list,
    )
    const one = await client.get(`/v2/audit-logs/${String(records[0]?.["event_id"])}`)
    check.equal("one", "AUDIT-P1", one.json, records[0], one)
    const verified = await client.get("/v2/audit-logs/verify", {
      expected_head: previous,
      expected_count: records.length,
    })
    check.equal(
      "valid",
      ["AUDIT-P5", "AUDIT-P7"],
      [verified.at("valid"), verified.at("checked"), verified.at("head_hash")],
      [true, records.length, previous],
      verified,
    )
    const cut = await client.get("/v2/audit-logs/verify", { expected_count: records.length + 1 })
    check.equal("cut-tail", "AUDIT-P7", cut.at("valid"), false, cut)
    const other = await client.get("/v2/audit-logs/verify", { expected_head: "f".repeat(64) })
    check.equal("other-head", "AUDIT-P7", other.at("valid"), false, other)
  },
}

const dials: Case = {
  id: "audit/dials",
  title: "A call is recorded with the status of its answer",
  clauses: ["AUDIT-P2", "AUDIT-P8"],
  requires: ["fixtures", "telephony", "magic", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const { numbers } = trial
    const answered: Array<number> = []
    const codes: Array<unknown> = []
    for (const outcome of ["completed", "invalidDestination", "providerUnreachable", "providerBusy"] as const) {
      const answer = await client.post("/v2/calls", { agent_id: agentId, to_number: numbers.magic(outcome, 1) })
      answered.push(answer.status)
      codes.push(answer.at("error") ?? null)
    }
    await trial.clock.advance(600_000)
    const list = await client.get("/v2/audit-logs", { action: "call.create", page_size: 100 })
    const recorded = list.items().filter(isObject).toReversed()
    const statuses = recorded.map((record) => record["http_status"])
    check.equal("statuses", ["AUDIT-P2", "AUDIT-P8"], statuses, answered, list)
    const recordedCodes = recorded.map((record) => record["error_code"])
    check.equal("codes", "AUDIT-P2", recordedCodes, codes, list)
  },
}

const scope: Case = {
  id: "audit/scope",
  title: "The audit trail needs its scope, and tells nothing of other organizations",
  clauses: ["SCOPE-ENFORCED-9", "TENANCY-2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client, clients } = await trial.organization({
      keys: [{}, { scopes: ["audit:read"] }, { scopes: ["calls:read"] }],
    })
    const [, auditor, other] = clients
    if (auditor === undefined || other === undefined) return
    trial.made(await client.post("/v2/agents", { display_name: "Audited" }), 201)
    const list = await auditor.get("/v2/audit-logs")
    check.status("auditor", "SCOPE-ENFORCED-9", list, 200)
    const eventId = list.string("data.0.event_id")
    // Where a record has its id is not shown.
    const one = eventId === "" ? [] : [`/v2/audit-logs/${eventId}`]
    for (const path of ["/v2/audit-logs", "/v2/audit-logs/verify", ...one]) {
      check.refused("without-scope", "SCOPE-ENFORCED-9", await other.get(path), 1102)
    }
    const stranger = await trial.organization()
    if (eventId === "") return
    check.refused("foreign", "TENANCY-2", await stranger.client.get(`/v2/audit-logs/${eventId}`), 1200)
  },
}

const unheld: Case = {
  id: "audit/unheld",
  title: "A key that asks for scopes that it may not pass on leaves one denial in the trail",
  clauses: ["AUDIT-P2", "AUDIT-P10", "SCOPE-ENFORCED-2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client, clients, keyIds } = await trial.organization({
      keys: [{}, { scopes: ["keys:write", "calls:read"] }],
    })
    const minter = clients[1]
    if (minter === undefined) return
    const before = (await client.get("/v2/audit-logs", { page_size: 100 })).items().length
    const answer = await minter.post("/v2/api-keys", { name: "x", scopes: ["calls:read", "agents:write"] })
    check.refused("refused", "AUDIT-P10", answer, 1102)
    const list = await client.get("/v2/audit-logs", { page_size: 100 })
    check.equal("recorded", "SCOPE-ENFORCED-2", list.items().length, before + 1, list)
    check.equal("denied", "AUDIT-P10", list.at("data.0.outcome"), "denied", list)
    check.equal("by-whom", "AUDIT-P2", list.at("data.0.actor.key_id"), keyIds[1], list)
  },
}

/** Cases of the audit trail. */
export const auditCases: ReadonlyArray<Case> = [trail, dials, scope, unheld]
