import type { RowDescription } from "../engine/RowDescription.ts"
import type { Agent } from "./Agent.ts"

/** Agents have their own ceilings, so every lane of the organization may be able to dial more, or less. */
export const agentRow: RowDescription<Agent> = {
  id: (agent) => agent.agent_id,
  dependency: "agent_service",
  lane: ({ organization_id }) => ({ organization_id, lane_id: null }),
}
