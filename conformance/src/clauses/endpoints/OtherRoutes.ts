import { gap, required, specified } from "../Clause.ts"

export const otherRoutes = specified("Endpoints > Other routes named without detail", [
  required("OTHER-1", "http", "`GET /v2/usage` (bucket `executions.list`)"),
  required("OTHER-2", "http", "`/v2/phone-numbers`, `/v2/providers`, `/v2/inbound-agents`"),
  required("OTHER-3", "fixtures", "`GET /v2/audit-logs`, `GET /v2/audit-logs/{event_id}`"),
  required("OTHER-4", "fixtures", "`GET /v2/audit-logs/verify` (scope `audit:read`; verifies the audit hash chain)."),
  gap("OTHER-G2", "http", "Paths, parameters and bodies of these: not shown."),
])
