import type { Expectation } from "../../engine/rules/Commit.ts"
import type { Agent } from "./Agent.ts"

/** What a dial expects of the agent that makes it, or for which it is made: it was read as ACTIVE, and stands as it was read. */
export const agentAsRead = ({ agent_id, revision }: Pick<Agent, "agent_id" | "revision">): Expectation => ({
  kind: "agent",
  id: agent_id,
  revision,
})
