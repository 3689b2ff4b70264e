import { type Guard, knowledgeUsersOf } from "../../engine/rules/Guards.ts"
import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { Agent } from "./Agent.ts"
import { knowledgeBasesOf } from "./AgentKnowledge.ts"

/** An agent that is given a knowledge base joins those by which is decided whether one may be removed. */
const beginsToUse = (before: Agent | null, after: Agent): ReadonlyArray<Guard> => {
  const had = new Set(before === null ? [] : knowledgeBasesOf(before))
  const isNothingNew = knowledgeBasesOf(after).every((collection) => had.has(collection))
  return isNothingNew ? [] : [knowledgeUsersOf(after.organization_id)]
}

/** Whether contacts may have been waiting for the agent. */
const isActivated = (before: Agent | null, after: Agent | null): after is Agent =>
  before !== null && before.status !== "ACTIVE" && after?.status === "ACTIVE"

/** Agents have their own ceilings, so every lane of the organization may be able to dial more, or less. */
export const agentRow: RowDescription<Agent> = {
  id: (agent) => agent.agent_id,
  dependency: "agent_service",
  lane: ({ organization_id }) => ({ organization_id, lane_id: null }),
  joins: (before, after) => beginsToUse(before, after),
  follows: (before, after, at) => ({
    changes: [],
    wakeups: isActivated(before, after) ? [{ set: { kind: "dispatch", subject: after.organization_id, at } }] : [],
  }),
}
