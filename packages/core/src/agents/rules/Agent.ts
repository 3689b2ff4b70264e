import type { Json, JsonObject } from "../../Json.ts"
import type { AgentStatus } from "./AgentStatus.ts"

/** Hours in which `POST /v2/calls` may dial for an agent. `days`: 0 is Monday; empty means every day. */
export interface CallingGuard {
  readonly enabled: boolean
  readonly timezone: string
  readonly start: string
  readonly end: string
  readonly days: ReadonlyArray<number>
}

/** The part of an agent that its owner writes: the create fields of the specification with their defaults filled in. */
export interface AgentSettings {
  readonly display_name: string
  readonly summary: string | null
  readonly greeting_message: string | null
  readonly category: string | null
  readonly labels: ReadonlyArray<string> | null
  readonly prompts: JsonObject
  readonly variables: JsonObject
  readonly analytics: JsonObject
  readonly integrations: JsonObject | null
  readonly knowledge_base: string | null
  readonly calling_guard: CallingGuard | null
  /** The policy buckets; `conversation_config` is a view of them and is not stored. */
  readonly configuration: JsonObject
  readonly settings: JsonObject
  readonly follow_up_config: JsonObject
  readonly multilingual: Json
}

/** A configurable voice agent. */
export interface Agent extends AgentSettings {
  readonly agent_id: string
  readonly organization_id: string
  readonly revision: number
  readonly status: AgentStatus
  /** Raised by one on every successful update; a create answers 2. */
  readonly version: number
  readonly created_at: number
  readonly updated_at: number
}
