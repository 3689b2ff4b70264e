import { all } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { edited, writing } from "./AgentEdit.ts"
import { agentOf, followedUp } from "./AgentReads.ts"
import { type AgentBody, defaultSettings } from "../rules/AgentSettings.ts"

/** A body that is written to an agent. */
export interface AgentEdit extends ByCaller {
  readonly agent_id: string
  readonly body: AgentBody
  /** Destinations that webhooks may reach although they would be refused. */
  readonly allowed: ReadonlyArray<string>
}

function* agentToEdit({ agent_id, body, caller: { organization_id } }: AgentEdit) {
  const [agent] = yield* all(agentOf(organization_id, agent_id), followedUp(organization_id, body))
  return agent
}

/** Configures an agent that was allocated: the second half of its creation. */
export const configureAgent = step({
  name: "agent.create",
  reads: (input: AgentEdit) => agentToEdit(input),
  decide: ({ allowed, body }, agent, { now }) => writing(agent, edited(agent, agent, body, allowed, now)),
})

/** A caller changes some of an agent's settings. */
export const patchAgent = step({
  name: "agent.update",
  reads: (input: AgentEdit) => agentToEdit(input),
  decide: ({ allowed, body }, agent, { now }) => writing(agent, edited(agent, agent, body, allowed, now)),
})

/** A caller replaces all of an agent's settings. */
export const replaceAgent = step({
  name: "agent.replace",
  reads: (input: AgentEdit) => agentToEdit(input),
  decide: ({ allowed, body }, agent, { now }) => writing(agent, edited(agent, defaultSettings, body, allowed, now)),
})
