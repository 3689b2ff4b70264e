import type { Case } from "../../run/Case.ts"

const own: Case = {
  id: "organization/binding/own",
  title: "Naming the key's own organization changes nothing; naming any other is refused",
  clauses: ["ORG-1", "ORG-2", "ORG-5", "ERROR-8", "ORG-G1"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client, organizationId } = await trial.tenant()
    for (const path of ["/v2/user/me", "/v2/scopes", "/v2/api-keys", "/v2/agents", "/v2/calls"]) {
      const mine = await client.get(path, { organization_id: organizationId })
      check.status(`own-on${path}`, "ORG-1", mine, 200)
      const other = await client.get(path, { organization_id: "org_of-somebody-else" })
      check.refused(`other-on${path}`, ["ORG-2", "ORG-5", "ERROR-8"], other, 1102)
    }
    const rows: ReadonlyArray<readonly [name: string, value: string]> = [
      ["longer", `${organizationId}x`],
      ["shorter", organizationId.slice(0, -1)],
      ["upper-case", organizationId.toUpperCase()],
      ["blank-after", `${organizationId} `],
      ["list", `${organizationId},org_x`],
    ]
    for (const [name, organization_id] of rows) {
      if (organization_id === organizationId) continue
      check.refused(name, "ORG-2", await client.get("/v2/user/me", { organization_id }), 1102)
    }
    const refused = await client.get("/v2/user/me", { organization_id: "org_x" })
    const wording = "This API key is not authorized for that organization."
    check.equal("wording", "ORG-G1", refused.message, wording, refused)
  },
}

const order: Case = {
  id: "organization/binding/before-the-rest",
  title: "A foreign organization is refused before routes, bodies and resources are looked at",
  clauses: ["PIPELINE-P1", "PIPELINE-P3", "ORG-2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const query = { organization_id: "org_of-somebody-else" }
    check.refused("unknown-route", ["PIPELINE-P1", "PIPELINE-P3"], await client.get("/v2/no-such-thing", query), 1102)
    check.refused("unknown-resource", "ORG-2", await client.get("/v2/agents/agt_unknown", query), 1102)
    check.refused("bad-body", "PIPELINE-P1", await client.send("POST", "/v2/agents", { query, body: {} }), 1102)
    check.refused("bad-query", "PIPELINE-P1", await client.get("/v2/agents", { ...query, page: "x" }), 1102)
  },
}

const foreign: Case = {
  id: "organization/binding/foreign",
  title: "The id of another organization that exists is refused like any other value, and never honoured",
  clauses: ["ORG-2", "ORG-3", "ORG-4", "TENANCY-1", "AUTH-KEY-2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const a = await trial.organization()
    const b = await trial.organization()
    const me = await a.client.get("/v2/user/me")
    check.equal("organization-of-the-key", ["ORG-3", "AUTH-KEY-2"], me.at("organization_id"), a.organizationId, me)
    const crossed = await a.client.get("/v2/user/me", { organization_id: b.organizationId })
    check.refused("foreign", "ORG-2", crossed, 1102)
    const random = await a.client.get("/v2/user/me", { organization_id: "org_that-never-was" })
    check.equal("same-answer-as-unknown", "ORG-2", crossed.text, random.text, crossed)
    const body = { display_name: "Mine", organization_id: b.organizationId, org_id: b.organizationId }
    const made = trial.made(await a.client.post("/v2/agents", body), 201)
    const path = `/v2/agents/${made.string("agent_id")}`
    check.status("made-for-the-key", ["ORG-4", "TENANCY-1"], await a.client.get(path), 200)
    check.refused("not-made-for-the-body", ["ORG-4", "TENANCY-1"], await b.client.get(path), 1200)
  },
}

export const bindingCases: ReadonlyArray<Case> = [own, order, foreign]
