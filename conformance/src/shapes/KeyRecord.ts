import * as Kind from "./Kind.ts"
import { field, type Shape } from "./Shape.ts"

/** A key as `GET /v2/api-keys` lists it. */
export const keyRecord: Shape = {
  name: "key-record",
  fields: [
    field("key_id", Kind.text, "KEY-RECORD-1"),
    field("key_preview", Kind.text, "KEY-RECORD-3"),
    field("developer_id", Kind.text, "KEY-RECORD-5"),
    field("developer_name", Kind.text, "KEY-RECORD-6"),
    field("developer_email", Kind.text, "KEY-RECORD-7"),
    field("plan", Kind.text, "KEY-RECORD-8"),
    field("rate_limit_tier", Kind.text, "KEY-RECORD-9"),
    field("token_type", Kind.text, "KEY-RECORD-10"),
    field("status", Kind.literal("active", "inactive"), "KEY-RECORD-11"),
    field("description", Kind.text, "KEY-RECORD-12"),
    field("created_at", Kind.timestamp, "KEY-RECORD-13"),
    field("is_current", Kind.boolean, "KEY-RECORD-14"),
  ],
}
