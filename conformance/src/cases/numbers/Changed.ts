import type { Case } from "../../run/Case.ts"
import { namesOf } from "../../http/Json.ts"
import { makeAgent } from "../../trial/Agents.ts"

const labelled: Case = {
  id: "numbers/changed",
  title: "A number takes a new label, and says that nobody answers it any more once its binding is gone",
  clauses: ["NUMBER-P2", "NUMBER-P5"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = (await makeAgent(trial, client)).string("agent_id")
    const made = trial.made(
      await client.post("/v2/phone-numbers", { phone_number: trial.numbers.plain(), label: "Front desk" }),
      201,
    )
    const phone_number_id = made.string("phone_number_id")
    const path = `/v2/phone-numbers/${phone_number_id}`
    trial.defer(() => client.delete(path))
    const changed = await client.patch(path, { label: "Back office" })
    check.equal("relabelled", "NUMBER-P2", changed.at("label"), "Back office", changed)
    check.equal("stays-so", "NUMBER-P2", (await client.get(path)).at("label"), "Back office")
    const bound = trial.made(await client.post("/v2/inbound-agents", { agent_id, phone_number_id }), 201)
    const answered = await client.get(path)
    check.equal("bound", "NUMBER-P5", answered.at("inbound_agent_id"), bound.at("inbound_agent_id"), answered)
    trial.made(await client.delete(`/v2/inbound-agents/${bound.string("inbound_agent_id")}`), 200)
    const left = await client.get(path)
    check.equal("unbound", "NUMBER-P5", left.at("inbound_agent_id"), null, left)
  },
}

const secret: Case = {
  id: "numbers/provider-fields",
  title: "A provider has the fields that are named, and none for its value",
  clauses: ["PROVIDER-P1"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const provider_name = `voice-${trial.fresh()}`
    const made = trial.made(
      await client.post("/v2/providers", { provider_name, provider_value: `sk-${trial.fresh()}` }),
      201,
    )
    trial.defer(() => client.delete(`/v2/providers/${provider_name}`))
    const list = await client.get("/v2/providers", { page_size: 100 })
    for (const [name, answer, row] of [
      ["made", made, made.json],
      ["listed", list, list.at("data.0")],
    ] as const) {
      check.holds(`${name}-without-value`, "PROVIDER-P1", !namesOf(row).includes("provider_value"), "no value", answer)
      check.holds(
        `${name}-preview`,
        "PROVIDER-P1",
        namesOf(row).includes("provider_value_preview"),
        "a preview",
        answer,
      )
    }
  },
}

export const changedNumberCases: ReadonlyArray<Case> = [labelled, secret]
