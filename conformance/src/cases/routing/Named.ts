import type { Answer } from "../../http/Answer.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { collectionName } from "../../trial/Documents.ts"
import { limitOf } from "../rate/Pace.ts"

const named: Case = {
  id: "routing/named",
  title: "The routes that the specification only names are there, each in its bucket",
  clauses: ["OTHER-1", "OTHER-2", "OTHER-3", "OTHER-4", "VERSION-2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const reads = limitOf(await client.get("/v2/calls"))
    const usage = await client.get("/v2/usage")
    check.status("usage", "OTHER-1", usage, 200)
    check.equal("usage-bucket", "OTHER-1", limitOf(usage), reads, usage)
    for (const route of ["phone-numbers", "providers", "inbound-agents"]) {
      check.status(route, "OTHER-2", await client.get(`/v2/${route}`), 200)
    }
    const audit = await client.get("/v2/audit-logs")
    if (audit.code !== 1102) {
      check.status("audit", "OTHER-3", audit, 200)
      check.status("audit-verify", "OTHER-4", await client.get("/v2/audit-logs/verify"), 200)
      check.refused("audit-one", "OTHER-3", await client.get("/v2/audit-logs/aud_of_nobody"), 1200)
    }
    check.rejected("envelope-of-all", "VERSION-2", await client.get("/v2/no-such-thing"))
  },
}

/** The resources whose every route needs no more than a valid key. */
const openReads = ["webhooks", "webhooks/deliveries", "knowledge-bases", "phone-numbers", "providers", "inbound-agents"]

const openToAll: Case = {
  id: "routing/open",
  title: "A key that may do nothing reads and writes what needs only a valid key",
  clauses: ["SCOPE-OPEN-2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client, clients } = await trial.organization({ keys: [{}, { scopes: [] }] })
    const [, scopeless] = clients
    if (scopeless === undefined) return
    const agentId = await activeAgent(trial, client)
    const open = (id: string, answer: Answer) =>
      check.that(id, "SCOPE-OPEN-2", answer.status !== 403, {
        expected: "not refused for its scopes",
        got: `HTTP ${answer.status}`,
        at: answer,
      })
    for (const path of openReads) open(`read-${path}`, await scopeless.get(`/v2/${path}`))
    open("subscribe", await scopeless.post("/v2/webhooks", { callback_url: "https://example.com/hook" }))
    open("test", await scopeless.post("/v2/webhooks/test", {}))
    open("number", await scopeless.post("/v2/phone-numbers", { phone_number: trial.numbers.plain() }))
    open("provider", await scopeless.post("/v2/providers", { provider_name: trial.fresh(), provider_value: "x" }))
    open("bind", await scopeless.post("/v2/inbound-agents", { agent_id: agentId }))
    open("documents", await scopeless.delete(`/v2/knowledge-bases/${collectionName(trial)}`))
    open("experiment", await scopeless.post(`/v2/agents/${agentId}/versions`, {}))
  },
}

const auditScope: Case = {
  id: "audit/denied",
  title: "A denial for want of a scope stands in the audit trail, which audit:read opens",
  clauses: ["SCOPE-10", "SCOPE-ENFORCED-2", "OTHER-3", "OTHER-4"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { clients } = await trial.organization({ keys: [{ scopes: ["audit:read"] }, { scopes: ["audit:read"] }] })
    const [auditor, other] = clients
    if (auditor === undefined || other === undefined) return
    for (const path of ["/v2/audit-logs", "/v2/audit-logs/verify"]) {
      check.status(`reads-${path.length}`, ["SCOPE-10", "OTHER-3", "OTHER-4"], await auditor.get(path), 200)
    }
    const before = (await auditor.get("/v2/audit-logs")).items().length
    check.refused("denied", "SCOPE-ENFORCED-2", await other.get("/v2/agents"), 1102)
    const after = await auditor.get("/v2/audit-logs")
    check.equal("recorded", "SCOPE-ENFORCED-2", after.items().length, before + 1, after)
  },
}

/** Cases of what the specification names without detail. */
export const namedCases: ReadonlyArray<Case> = [named, openToAll, auditScope]
