import * as Kind from "./Kind.ts"
import { field, type Shape } from "./Shape.ts"

/** The 201 of `POST /v2/calls`. */
export const placedCall: Shape = {
  name: "placed-call",
  fields: [
    field("execution_id", Kind.text, "CALL-CREATE-NOW-1"),
    field("status", Kind.literal("queued"), "CALL-CREATE-NOW-2"),
    field("call_sid", Kind.nullable(Kind.text), "CALL-CREATE-NOW-3"),
    field("agent_id", Kind.text, "CALL-CREATE-NOW-4"),
    field("to_number", Kind.e164, "CALL-CREATE-NOW-4"),
    field("from_number", Kind.nullable(Kind.e164), "CALL-CREATE-NOW-4"),
    field("created_at", Kind.nullable(Kind.timestamp), "CALL-CREATE-NOW-5"),
  ],
}

/** The 202 of `POST /v2/calls` for a call that is booked. */
export const scheduledCall: Shape = {
  name: "scheduled-call",
  fields: [
    field("execution_id", Kind.text, "CALL-CREATE-LATER-1"),
    field("status", Kind.literal("scheduled"), "CALL-CREATE-LATER-1"),
    field("scheduled_at", Kind.timestamp, "CALL-CREATE-LATER-2"),
  ],
}

/** The 202 of `POST /v2/calls` for a call whose acknowledgement did not come in time. */
export const unconfirmedCall: Shape = {
  name: "unconfirmed-call",
  fields: [
    field("execution_id", Kind.text, "CALL-CREATE-UNCONFIRMED-2"),
    field("status", Kind.literal("queued"), "CALL-CREATE-UNCONFIRMED-1"),
    field("dispatch", Kind.literal("pending_confirmation"), "CALL-CREATE-UNCONFIRMED-1"),
  ],
}

/** The 200 of `POST /v2/calls/{execution_id}/stop`. */
export const canceledCall: Shape = {
  name: "canceled-call",
  fields: [
    field("execution_id", Kind.text, "CALL-STOP-5"),
    field("status", Kind.literal("canceled"), "CALL-STOP-5"),
    field("canceled_before_dial", Kind.literal(true), "CALL-STOP-5"),
    field("scheduled_at", Kind.nullable(Kind.timestamp), "CALL-STOP-6"),
  ],
}

/** The 202 of `POST /v2/calls/{execution_id}/stop`. */
export const stoppedCall: Shape = {
  name: "stopped-call",
  fields: [
    field("execution_id", Kind.text, "CALL-STOP-8"),
    field("status", Kind.literal("stopped"), "CALL-STOP-8"),
    field("requested_at", Kind.nullable(Kind.timestamp), "CALL-STOP-8"),
    field("reason", Kind.text, "CALL-STOP-9"),
  ],
}

/** The 200 of `GET /v2/calls/{execution_id}/recording`. */
export const recording: Shape = {
  name: "recording",
  fields: [
    field("execution_id", Kind.text, "CALL-RECORDING-4"),
    field("recording_url", Kind.text, "CALL-RECORDING-4"),
    field("content_type", Kind.text, "CALL-RECORDING-4"),
    field("expires_at", Kind.literal(null), "CALL-RECORDING-5"),
  ],
}
