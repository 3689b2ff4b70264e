import type { Answer } from "../../http/Answer.ts"
import { canonical } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { makeAgent } from "../../trial/Agents.ts"
import { makeCampaign } from "../../trial/Campaigns.ts"
import type { Trial } from "../../trial/Trial.ts"

/** Changes that were sent together: each is made or refused with 409, and what was made is there. */
const together = async (
  trial: Trial,
  clause: string,
  fields: Readonly<Record<string, unknown>>,
  patch: (body: object) => Promise<Answer>,
  read: () => Promise<Answer>,
): Promise<number> => {
  const { check } = trial
  const names = Object.keys(fields)
  const before = await read()
  const answers = await Promise.all(names.map((name) => patch({ [name]: fields[name] })))
  const after = await read()
  for (const [nth, answer] of answers.entries()) {
    const name = names[nth] ?? ""
    check.oneOf(`${name}-answered`, clause, answer.status, [200, 409], answer)
    if (answer.status === 409) check.refused(`${name}-refused`, clause, answer, 1201)
    const expected = answer.status === 200 ? fields[name] : before.at(name)
    check.equal(`${name}-as-answered`, clause, canonical(after.at(name)), canonical(expected), after)
  }
  return answers.filter(({ status }) => status === 200).length
}

const agents: Case = {
  id: "agents/together",
  title: "Of changes to one agent at one moment none is lost, and each that was made is a version",
  clauses: ["AGENT-RESPONSE-4", "AGENT-UPDATE-P1"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const made = await makeAgent(trial, client, { summary: "Before", category: "before" })
    const own = `/v2/agents/${made.string("agent_id")}`
    const before = await client.get(own)
    const fields = {
      summary: "After",
      category: "after",
      greeting_message: "Good morning.",
      labels: ["one"],
      settings: { agent_memory: true },
      display_name: `${made.string("display_name")} 2`,
    }
    const count = await together(
      trial,
      "AGENT-UPDATE-P1",
      fields,
      (body) => client.patch(own, body),
      () => client.get(own),
    )
    const after = await client.get(own)
    const versions = [before.number("version"), after.number("version")] as const
    check.equal("counted", "AGENT-RESPONSE-4", versions[1] - versions[0], count, after)
  },
}

const campaigns: Case = {
  id: "campaigns/together",
  title: "Of changes to one campaign at one moment none is lost",
  clauses: ["CAMPAIGN-PATCH-1"],
  requires: ["http"],
  run: async (trial) => {
    const { client } = await trial.tenant()
    const agentId = (await makeAgent(trial, client)).string("agent_id")
    const made = await makeCampaign(trial, client, agentId)
    const own = `/v2/campaigns/${made.string("campaign_id")}`
    const fields = {
      name: "Together",
      timezone: "Asia/Kolkata",
      max_concurrent_calls: 7,
      default_call_variables: { greeting: "Good morning" },
      default_call_context: { source: "list" },
      metadata: { owner: "north" },
    }
    await together(
      trial,
      "CAMPAIGN-PATCH-1",
      fields,
      (body) => client.patch(own, body),
      () => client.get(own),
    )
  },
}

/** Cases of many changes at one moment. */
export const togetherCases: ReadonlyArray<Case> = [agents, campaigns]
