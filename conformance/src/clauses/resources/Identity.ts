import { gap, informative, required, specified } from "../Clause.ts"

export const identity = specified("Resources and their fields > Identity object (`GET /v2/user/me`)", [
  informative("(`GET /v2/user/me`)"),
  required("ME-1", "http", "Fields: `organization_id` (string)"),
  required("ME-2", "http", "`developer` {`id`, `name`, `key_id`, `key_preview`}"),
  required("ME-3", "http", "`plan` (string)"),
  required("ME-4", "http", "`rate_limit_tier` (string)"),
  required("ME-5", "http", "`rate_limits` (object carrying the live figures per bucket)"),
  required("ME-6", "http", "`concurrency` (object carrying `max` (integer effective ceiling)"),
  required("ME-7", "http", "and `enforced` (boolean))."),
  gap("ME-G1", "http", "Other fields inside `rate_limits` and `concurrency`: not shown."),
])
