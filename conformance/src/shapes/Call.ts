import * as Kind from "./Kind.ts"
import { field, type Shape } from "./Shape.ts"

/** The execution statuses in flight (States > Execution status). */
export const inFlightStatuses = ["queued", "scheduled", "rescheduled", "initiated", "ringing", "in-progress"] as const

/** The execution statuses that end a call as a failure. */
export const failureStatuses = ["failed", "busy", "no-answer", "error", "call-disconnected"] as const

/** The execution statuses that will never change. */
export const terminalStatuses = [...failureStatuses, "completed", "canceled", "stopped", "balance-low"] as const

const costBreakdown = Kind.record({
  llm: Kind.number,
  network: Kind.number,
  platform: Kind.number,
  synthesizer: Kind.number,
  telephony: Kind.number,
  transcriber: Kind.number,
})

/** The call object (Resources > Call). */
export const call: Shape = {
  name: "call",
  fields: [
    field("execution_id", Kind.nullable(Kind.text), "CALL-FIELD-1"),
    field("status", Kind.nullable(Kind.literal(...inFlightStatuses, ...terminalStatuses)), "CALL-FIELD-2"),
    field("is_terminal", Kind.boolean, "CALL-FIELD-3"),
    field("direction", Kind.nullable(Kind.literal("inbound", "outbound")), "CALL-FIELD-4"),
    field("agent_id", Kind.nullable(Kind.text), "CALL-FIELD-5"),
    field("batch_id", Kind.nullable(Kind.text), "CALL-FIELD-6"),
    field("campaign_id", Kind.nullable(Kind.text), "CALL-FIELD-7"),
    field("contact_id", Kind.nullable(Kind.text), "CALL-FIELD-8"),
    field("parent_execution_id", Kind.nullable(Kind.text), "CALL-FIELD-9"),
    field("retry_count", Kind.integer, "CALL-FIELD-10"),
    field("to_number", Kind.nullable(Kind.e164), "CALL-FIELD-12"),
    field("from_number", Kind.nullable(Kind.e164), "CALL-FIELD-12"),
    field("provider", Kind.nullable(Kind.literal("custom")), "CALL-FIELD-13"),
    field("duration_seconds", Kind.nullable(Kind.number), "CALL-FIELD-14"),
    field("answered_by_voicemail", Kind.nullable(Kind.boolean), "CALL-FIELD-15"),
    field("hangup_by", Kind.nullable(Kind.text), "CALL-FIELD-16"),
    field("hangup_reason", Kind.nullable(Kind.text), "CALL-FIELD-17"),
    field("recording_url", Kind.nullable(Kind.text), "CALL-FIELD-18"),
    field("cost.total", Kind.number, "CALL-FIELD-19"),
    field("cost.currency", Kind.text, "CALL-FIELD-19"),
    field("cost.breakdown", costBreakdown, "CALL-FIELD-19"),
    field("summary", Kind.nullable(Kind.text), "CALL-FIELD-20"),
    field("sentiment", Kind.nullable(Kind.literal("positive", "neutral", "negative")), "CALL-FIELD-21"),
    field("extracted_data", Kind.nullable(Kind.object), "CALL-FIELD-22"),
    field("custom_analytics", Kind.nullable(Kind.array), "CALL-FIELD-23"),
    field("variables", Kind.object, "CALL-FIELD-24"),
    field("error", Kind.optional(Kind.record({ message: Kind.text })), "CALL-FIELD-25"),
    field("scheduled_at", Kind.nullable(Kind.timestamp), "CALL-FIELD-26"),
    field("created_at", Kind.nullable(Kind.timestamp), "CALL-FIELD-27"),
    field("updated_at", Kind.nullable(Kind.timestamp), "CALL-FIELD-27"),
    field("completed_at", Kind.nullable(Kind.timestamp), "CALL-FIELD-27"),
    field(
      "transcript",
      Kind.optional(Kind.either(Kind.arrayOf(Kind.record({ role: Kind.text, content: Kind.text })), Kind.text)),
      "CALL-FIELD-28",
    ),
  ],
}
