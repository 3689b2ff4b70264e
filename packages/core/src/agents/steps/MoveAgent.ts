import { unchanged } from "../../engine/rules/Outcome.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { moving } from "./AgentEdit.ts"
import { agentOf } from "./AgentReads.ts"

interface OfAgent extends ByCaller {
  readonly agent_id: string
}

/** A caller sets an agent ACTIVE. */
export const deployAgent = step({
  name: "agent.deploy",
  reads: ({ agent_id, caller }: OfAgent) => agentOf(caller.organization_id, agent_id),
  decide: (_, agent, { now }) => moving(agent, { kind: "deploy" }, now),
})

/** A caller sets an agent INACTIVE. */
export const undeployAgent = step({
  name: "agent.undeploy",
  reads: ({ agent_id, caller }: OfAgent) => agentOf(caller.organization_id, agent_id),
  decide: (_, agent, { now }) => moving(agent, { kind: "undeploy" }, now),
})

/** A caller archives an agent; one that is archived already stays as it is. */
export const archiveAgent = step({
  name: "agent.archive",
  reads: ({ agent_id, caller }: OfAgent) => agentOf(caller.organization_id, agent_id),
  decide: (_, agent, { now }) =>
    agent.status === "ARCHIVED" ? unchanged(agent) : moving(agent, { kind: "archive" }, now),
})
