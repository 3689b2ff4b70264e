import { informative, required, specified } from "../Clause.ts"

export const scopeObject = specified("Resources and their fields > Scope object (`GET /v2/scopes`)", [
  informative("(`GET /v2/scopes`)"),
  required("SCOPES-1", "http", "`scopes[]`: `scope` (string)"),
  required("SCOPES-2", "http", "`description` (string)"),
  required("SCOPES-3", "http", "`granted` (boolean)"),
  required("SCOPES-4", "http", "`routes` (array of strings like `METHOD /path`)."),
  required("SCOPES-5", "http", "`key`: `key_id`, `organization_id`"),
  required("SCOPES-6", "fixtures", "`scopes_source` (string; `grandfathered` for keys with no scopes field)"),
  required("SCOPES-7", "fixtures", "`grandfathered` (boolean)"),
  required("SCOPES-8", "http", "`granted` (array of scope strings)"),
  required("SCOPES-9", "http", "`note` (string)."),
])
