import type { Case } from "../../run/Case.ts"
import { activeAgent, makeAgent } from "../../trial/Agents.ts"
import { magicContacts, makeCampaign, move } from "../../trial/Campaigns.ts"

const numbers: Case = {
  id: "numbers/phone-numbers",
  title: "Phone numbers are registered once, described, and given up",
  clauses: ["NUMBER-P1", "NUMBER-P2", "NUMBER-P3", "NUMBER-P5", "RESOURCE-P1", "RESOURCE-P2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const phone_number = trial.numbers.plain()
    const made = await client.post("/v2/phone-numbers", { phone_number, label: "Front desk" })
    check.status("registered", ["NUMBER-P1", "RESOURCE-P1"], made, 201)
    const path = `/v2/phone-numbers/${made.string("phone_number_id")}`
    trial.defer(() => client.delete(path))
    check.equal("number", "NUMBER-P2", made.at("phone_number"), phone_number, made)
    check.equal("label", "NUMBER-P2", made.at("label"), "Front desk", made)
    check.equal("provider", "NUMBER-P2", made.at("provider"), "custom", made)
    check.equal("idle", "NUMBER-P2", made.at("calls_in_progress"), 0, made)
    check.equal("unbound", "NUMBER-P5", made.at("inbound_agent_id"), null, made)
    check.refused("twice", "NUMBER-P3", await client.post("/v2/phone-numbers", { phone_number }), 1201)
    check.refused("not-a-number", "NUMBER-P1", await client.post("/v2/phone-numbers", { phone_number: "555" }), 1001)
    check.equal("read", "NUMBER-P1", (await client.get(path)).json, made.json)
    const changed = await client.patch(path, { label: null })
    check.equal("changed", "NUMBER-P1", [changed.status, changed.at("label")], [200, null], changed)
    const list = await client.get("/v2/phone-numbers", { page_size: 100 })
    const ids = list.items().map((_row, index) => list.string(`data.${index}.phone_number_id`))
    check.holds("listed", "NUMBER-P1", ids.includes(made.string("phone_number_id")), "the new number in the list", list)
    const gone = await client.delete(path)
    check.equal("given-up", ["NUMBER-P1", "RESOURCE-P2"], [gone.status, gone.at("deleted")], [200, true], gone)
    check.refused("gone", "NUMBER-P1", await client.get(path), 1200)
  },
}

const providers: Case = {
  id: "numbers/providers",
  title: "Providers have a name of their own and never show their value",
  clauses: ["PROVIDER-P1", "PROVIDER-P2", "RESOURCE-P1", "RESOURCE-P2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const provider_name = `voice-${trial.numbers.plain().slice(-4)}`
    const provider_value = "sk-conformance-0123456789abcdef"
    const made = await client.post("/v2/providers", { provider_name, provider_value })
    trial.defer(() => client.delete(`/v2/providers/${provider_name}`))
    check.status("added", ["PROVIDER-P1", "RESOURCE-P1"], made, 201)
    check.equal("name", "PROVIDER-P1", made.at("provider_name"), provider_name, made)
    const list = await client.get("/v2/providers")
    check.holds(
      "write-only",
      "PROVIDER-P1",
      ![made, list].some(({ text }) => text.includes(provider_value)),
      "no value",
    )
    const again = await client.post("/v2/providers", { provider_name, provider_value: "other" })
    check.refused("twice", "PROVIDER-P2", again, 1201)
    const gone = await client.delete(`/v2/providers/${provider_name}`)
    check.equal("removed", ["PROVIDER-P1", "RESOURCE-P2"], [gone.status, gone.at("deleted")], [200, true], gone)
    check.refused("gone", "PROVIDER-P1", await client.delete(`/v2/providers/${provider_name}`), 1200)
  },
}

const inbound: Case = {
  id: "numbers/inbound-agents",
  title: "A number is answered by one agent, named by the number's id or its text",
  clauses: ["INBOUND-P1", "INBOUND-P2", "INBOUND-P3", "INBOUND-P4", "NUMBER-P5", "RESOURCE-P1", "RESOURCE-P2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = (await makeAgent(trial, client)).string("agent_id")
    const phone_number = trial.numbers.plain()
    const number = trial.made(await client.post("/v2/phone-numbers", { phone_number }), 201)
    const phone_number_id = number.string("phone_number_id")
    trial.defer(() => client.delete(`/v2/phone-numbers/${phone_number_id}`))
    const bind = (body: object) => client.post("/v2/inbound-agents", { agent_id, ...body })
    check.refused("unknown-id", "INBOUND-P4", await bind({ phone_number_id: "pn_unknown" }), 1200)
    check.refused("unregistered", "INBOUND-P4", await bind({ phone_number: "+15555559999" }), 1001)
    const byText = await bind({ phone_number })
    check.status("by-text", ["INBOUND-P1", "INBOUND-P3", "RESOURCE-P1"], byText, 201)
    check.equal("bound", "INBOUND-P1", byText.at("phone_number_id"), phone_number_id, byText)
    const shown = await client.get(`/v2/phone-numbers/${phone_number_id}`)
    check.equal("shown", "NUMBER-P5", shown.at("inbound_agent_id"), byText.at("inbound_agent_id"), shown)
    check.refused("second", "INBOUND-P2", await bind({ phone_number_id }), 1201)
    const gone = await client.delete(`/v2/inbound-agents/${byText.string("inbound_agent_id")}`)
    check.equal("unbound", ["INBOUND-P1", "RESOURCE-P2"], [gone.status, gone.at("deleted")], [200, true], gone)
    const byId = await bind({ phone_number_id })
    check.status("by-id", "INBOUND-P3", byId, 201)
  },
}

const arriving: Case = {
  id: "numbers/arriving",
  title: "A call that arrives goes to the agent that is bound to its number",
  clauses: ["INBOUND-P1", "NUMBER-P2"],
  requires: ["inbound", "telephony", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client, organizationId, phoneNumbers } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const [to_number = ""] = phoneNumbers
    trial.made(await client.post("/v2/inbound-agents", { agent_id, phone_number: to_number }), 201)
    const arrived = await trial.control.ask("POST", "/inbound", {
      organization_id: organizationId,
      from_number: "+12125550100",
      to_number,
    })
    const call = await client.get(`/v2/calls/${String(arrived["execution_id"])}`)
    check.equal("answering", "INBOUND-P1", call.at("agent_id"), agent_id, call)
    const list = await client.get("/v2/phone-numbers")
    const row = list.items().findIndex((_row, index) => list.at(`data.${index}.phone_number`) === to_number)
    check.equal("in-progress", "NUMBER-P2", list.at(`data.${row}.calls_in_progress`), 1, list)
  },
}

const calledFrom: Case = {
  id: "numbers/called-from",
  title: "A number that a running campaign calls from is not given up before the campaign has ended",
  clauses: ["NUMBER-P4"],
  requires: ["telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const phone_number = trial.numbers.plain()
    const number = trial.made(await client.post("/v2/phone-numbers", { phone_number }), 201)
    const path = `/v2/phone-numbers/${number.string("phone_number_id")}`
    trial.defer(() => client.delete(path))
    const campaign = await makeCampaign(trial, client, agentId, {
      contacts: magicContacts(trial, 2, "noAnswer", 30),
      phone_numbers: [phone_number],
    })
    check.refused("running", "NUMBER-P4", await client.delete(path), 1201)
    await move(client, campaign.string("campaign_id"), "cancel")
    const gone = await client.delete(path)
    check.equal("cancelled", "NUMBER-P4", [gone.status, gone.at("deleted")], [200, true], gone)
  },
}

/** Numbers, the agents that answer them, and providers. */
export const numberCases: ReadonlyArray<Case> = [numbers, providers, inbound, arriving, calledFrom]
