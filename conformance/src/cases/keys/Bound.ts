import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { makeAgent } from "../../trial/Agents.ts"
import { mintedKeyIn } from "../../trial/KeyId.ts"

const bound: Case = {
  id: "keys/bound",
  title: "A key sees what its own organization has, whoever asked before it, and cannot name another one",
  clauses: ["AUTH-KEY-2", "ORG-3", "ENVELOPE-3"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client: one, organizationId } = await trial.organization()
    const { client: other } = await trial.organization()
    const theirs = (await makeAgent(trial, one)).string("agent_id")
    trial.made(await one.get("/v2/agents"), 200)
    const own = (await makeAgent(trial, other)).string("agent_id")
    const list = await other.get("/v2/agents")
    const ids = list.items().map((_row, nth) => list.string(`data.${nth}.agent_id`))
    check.equal("own-alone", "AUTH-KEY-2", [ids.includes(own), ids.includes(theirs)], [true, false], list)
    for (const path of ["/v2/agents", "/v2/calls", "/v2/user/me", "/v2/usage"]) {
      const foreign = await other.get(path, { organization_id: organizationId })
      check.refused(`foreign-${path.slice(4)}`, "ORG-3", foreign, 1102)
      const flat = [foreign.at("error"), foreign.at("message")].map((each) => typeof each)
      check.equal(`flat-${path.slice(4)}`, "ENVELOPE-3", flat, ["number", "string"], foreign)
    }
  },
}

const paged: Case = {
  id: "keys/list/second-page",
  title: "The second page of keys has records like the first; a scope that nobody knows is refused, and named",
  clauses: ["KEY-LIST-4", "KEY-MINT-11"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({ keys: [{ keys_write: true }, { scopes: [] }, { scopes: [] }] })
    const first = await client.get("/v2/api-keys", { page: 1, page_size: 2 })
    const second = await client.get("/v2/api-keys", { page: 2, page_size: 2 })
    const fields = (row: unknown) => (isObject(row) ? Object.keys(row).toSorted() : row)
    check.equal("records", "KEY-LIST-4", fields(second.at("data.0")), fields(first.at("data.0")), second)
    const unknown = await client.post("/v2/api-keys", { name: "x", scopes: ["agents:read", "dragons:read"] })
    trial.secret(mintedKeyIn(unknown))
    check.refused("unknown-scope", "KEY-MINT-11", unknown, 1001)
  },
}

const warm: Case = {
  id: "authentication/key-store/warm-writes",
  title: "With the key store away a warm key writes as well as it reads",
  clauses: ["AUTH-STORE-2"],
  requires: ["fixtures", "faults:key_store"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    trial.made(await client.get("/v2/user/me"), 200)
    await trial.breaks("key_store", { mode: "unreachable" })
    const made = await client.post("/v2/agents", { display_name: trial.fresh() })
    check.status("written", "AUTH-STORE-2", made, 201)
    await trial.restores("key_store")
  },
}

export const boundKeyCases: ReadonlyArray<Case> = [bound, paged, warm]
