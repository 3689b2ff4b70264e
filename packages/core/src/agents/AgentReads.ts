import { glance, refuse, row } from "../engine/Reading.ts"
import { NotFound } from "../Errors.ts"

/** Why something is refused that names an agent. */
export const noSuchAgent = new NotFound({ message: "Agent not found." })

/** An agent of an organization, for whoever changes it. */
export function* agentOf(organizationId: string, agentId: string) {
  return (yield* row("agent", agentId, { of: organizationId })) ?? (yield* refuse(noSuchAgent))
}

/** An agent of an organization or null, for whoever only asks whether there is one. */
export const knownAgent = (organizationId: string, agentId: string) =>
  glance("grows", "No agent is ever removed.", row("agent", agentId, { of: organizationId }))
