import { all, each, refuse } from "../engine/Reading.ts"
import { step } from "../engine/Step.ts"
import { isJsonObject } from "../Json.ts"
import type { ByCaller } from "../keys/Caller.ts"
import { edited, writing } from "./AgentEdit.ts"
import { agentOf, knownAgent, noSuchAgent } from "./AgentReads.ts"
import { type AgentBody, defaultSettings } from "./AgentSettings.ts"

interface AgentEdit extends ByCaller {
  readonly agent_id: string
  readonly body: AgentBody
  /** Destinations that webhooks may reach although they would be refused. */
  readonly allowed: ReadonlyArray<string>
}

/** The agents that a body names to follow up, which must be the organization's (decisions.md, "Readings"). */
const followingUp = (organizationId: string, body: AgentBody) => {
  const config = body["follow_up_config"]
  const named = isJsonObject(config) ? config["follow_up_agent_id"] : undefined
  return each(typeof named === "string" && named !== "" ? [knownAgent(organizationId, named)] : [])
}

function* agentToEdit({ agent_id, body, caller: { organization_id } }: AgentEdit) {
  const [agent, named] = yield* all(agentOf(organization_id, agent_id), followingUp(organization_id, body))
  return named.includes(null) ? yield* refuse(noSuchAgent) : agent
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
