import type { Agent } from "../../agents/rules/Agent.ts"
import type { Json, JsonObject } from "../../Json.ts"

/** The URL that an agent's own configuration names, or null (specification, "Routing"). */
export const agentUrlOf = (agent: Pick<Agent, "integrations"> | null): string | null => {
  const webhook = agent?.integrations?.["webhook"]
  const url = isObject(webhook) ? webhook["url"] : null
  return typeof url === "string" && url !== "" ? url : null
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
