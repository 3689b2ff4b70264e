import { each, glance, refuse, row } from "../../engine/steps/Reading.ts"
import { NotFound } from "../../Errors.ts"
import { isJsonObject } from "../../Json.ts"
import type { AgentBody } from "../rules/AgentSettings.ts"

/** Why something is refused that names an agent. */
export const noSuchAgent = new NotFound({ message: "Agent not found." })

/** An agent of an organization, for whoever changes it. */
export function* agentOf(organizationId: string, agentId: string) {
  return (yield* row("agent", agentId, { of: organizationId })) ?? (yield* refuse(noSuchAgent))
}

/** An agent of an organization or null, for whoever only asks whether there is one. */
export const knownAgent = (organizationId: string, agentId: string) =>
  glance("grows", "No agent is ever removed.", row("agent", agentId, { of: organizationId }))

/** The agents that a body names to follow up, which must be the organization's (decisions.md, "Readings"). */
export function* followedUp(organizationId: string, body: AgentBody) {
  const config = body["follow_up_config"]
  const named = isJsonObject(config) ? config["follow_up_agent_id"] : undefined
  const found = yield* each(typeof named === "string" && named !== "" ? [knownAgent(organizationId, named)] : [])
  return found.includes(null) ? yield* refuse(noSuchAgent) : found
}
