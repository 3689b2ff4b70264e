import { chosen, informative, profile } from "../Clause.ts"

export const experimentDecisions = chosen("Experiments (`/v2/agents/{agent_id}/versions`)", [
  informative("(`/v2/agents/{agent_id}/versions`)"),
  profile("EXPERIMENT-ROUTES-P1", "http", "`GET` list (`status`, page)"),
  profile(
    "EXPERIMENT-ROUTES-P2",
    "http",
    "`POST` 201 (`variant_agent_id`, `version_name` required; `variant_traffic_pct` default 0; `status` default `draft`)",
  ),
  profile(
    "EXPERIMENT-ROUTES-P3",
    "http",
    "`GET`, `PATCH`, `DELETE` 200 `{version_id, deleted: true}` (draft or concluded only).",
  ),
  profile("EXPERIMENT-STATUS-P1", "http", "draft → active | concluded"),
  profile("EXPERIMENT-STATUS-P2", "http", "active ↔ paused"),
  profile("EXPERIMENT-STATUS-P3", "http", "active, paused → concluded (needs `winner`)"),
  profile("EXPERIMENT-STATUS-P4", "http", "concluded is final (1201/409)."),
  profile("EXPERIMENT-STATUS-P5", "http", "`winner` without concluding is 1000/400."),
  profile("EXPERIMENT-STATUS-P6", "http", "One active experiment per control agent (1201/409)."),
  profile(
    "EXPERIMENT-ASSIGN-P1",
    "telephony",
    "Assignment = hash(version_id, contact_id or to_number) mod 10000 < pct × 100: sticky over retries.",
  ),
])
