import type { Case } from "../../run/Case.ts"
import { makeAgent } from "../../trial/Agents.ts"

const drafts: Case = {
  id: "agents/create/empty-draft",
  title: "A draft that has only a name is answered as it is read",
  clauses: ["AGENT-CREATE-3"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const made = await makeAgent(trial, client)
    const path = `/v2/agents/${made.string("agent_id")}`
    const read = await client.get(path)
    for (const field of ["labels", "prompts", "variables"])
      check.equal(field, "AGENT-CREATE-3", made.at(field), read.at(field), made)
  },
}

export const draftCases: ReadonlyArray<Case> = [drafts]
