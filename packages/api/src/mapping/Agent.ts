import type { Agent as DomainAgent, Json, JsonObject } from "@carillon/core"
import { conversationConfig, type ListedAgent, Timestamp } from "@carillon/core/domain"
import type { Agent } from "../Agents.ts"

/** An agent as it is answered. What its owner configured is stored as plain JSON and answered as it was stored. */
export interface WireAgent extends Omit<
  Agent,
  | "prompts"
  | "variables"
  | "analytics"
  | "integrations"
  | "conversation_config"
  | "configuration"
  | "settings"
  | "follow_up_config"
  | "multilingual"
> {
  readonly prompts: JsonObject
  readonly variables: JsonObject
  readonly analytics: JsonObject
  readonly integrations: JsonObject | null
  readonly conversation_config: JsonObject
  readonly configuration: JsonObject
  readonly settings: JsonObject
  readonly follow_up_config: JsonObject
  readonly multilingual: Json
}

/**
 * An agent as it is answered, with the `placeholders` that its greeting and prompts are written with. An update that could not save a language names
 * it in `droppedLanguages`.
 */
export const toWireAgent = (
  agent: DomainAgent,
  placeholders: ReadonlyArray<string>,
  options?: { readonly droppedLanguages?: ReadonlyArray<string> },
): WireAgent => ({
  agent_id: agent.agent_id,
  org_id: agent.organization_id,
  display_name: agent.display_name,
  summary: agent.summary,
  greeting_message: agent.greeting_message,
  status: agent.status,
  category: agent.category,
  labels: agent.labels,
  prompts: agent.prompts,
  variables: { ...agent.variables, placeholders },
  analytics: agent.analytics,
  integrations: agent.integrations,
  knowledge_base: agent.knowledge_base,
  calling_guard: agent.calling_guard,
  conversation_config: conversationConfig(agent.configuration),
  configuration: agent.configuration,
  settings: agent.settings,
  follow_up_config: agent.follow_up_config,
  multilingual: agent.multilingual,
  timestamps: { created_at: Timestamp.formatUtc(agent.created_at), updated_at: Timestamp.formatUtc(agent.updated_at) },
  version: agent.version,
  ...(options?.droppedLanguages === undefined || options.droppedLanguages.length === 0
    ? {}
    : { dropped_languages: options.droppedLanguages }),
})

/** An agent as a row of a list: the same keys, with empty prompts and no knowledge base (specification, "Agent"). */
export const toWireListedAgent = ({ placeholders, ...agent }: ListedAgent): WireAgent =>
  toWireAgent({ ...agent, prompts: {}, knowledge_base: null }, placeholders)
