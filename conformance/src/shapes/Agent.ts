import * as Kind from "./Kind.ts"
import { field, type Shape } from "./Shape.ts"

/** The agent object (Resources > Agent). */
export const agent: Shape = {
  name: "agent",
  fields: [
    field("agent_id", Kind.text, "AGENT-RESPONSE-1"),
    field("org_id", Kind.nullable(Kind.text), "AGENT-RESPONSE-2"),
    field("timestamps.created_at", Kind.timestamp, "AGENT-RESPONSE-3"),
    field("timestamps.updated_at", Kind.timestamp, "AGENT-RESPONSE-3"),
    field("version", Kind.integer, "AGENT-RESPONSE-4"),
    field("display_name", Kind.text, "AGENT-FIELD-1"),
    field("summary", Kind.nullable(Kind.text), "AGENT-FIELD-4"),
    field("greeting_message", Kind.nullable(Kind.text), "AGENT-FIELD-5"),
    field("status", Kind.literal("DRAFT", "ACTIVE", "INACTIVE", "ARCHIVED"), "AGENT-STATUS-1"),
    field("category", Kind.nullable(Kind.text), "AGENT-FIELD-8"),
    field("labels", Kind.nullable(Kind.arrayOf(Kind.text)), "AGENT-FIELD-10"),
    field("knowledge_base", Kind.nullable(Kind.text), "AGENT-FIELD-19"),
    field("calling_guard", Kind.nullable(Kind.object), "AGENT-GUARD-7"),
    field("dropped_languages", Kind.optional(Kind.arrayOf(Kind.text)), "AGENT-RESPONSE-5"),
  ],
}
