import { chosen, profile } from "../Clause.ts"

export const agentDecisions = chosen("Agents", [
  profile("AGENT-UPDATE-P1", "http", "PATCH is a JSON merge patch (RFC 7396): objects merge, `null` clears"),
  profile("AGENT-UPDATE-P2", "http", "arrays and `multilingual` are replaced whole"),
  profile(
    "AGENT-UPDATE-P3",
    "http",
    "PUT replaces the whole configuration (absent optional fields return to defaults; `display_name` required).",
  ),
  profile("AGENT-UPDATE-P4", "http", "Both answer 200 with the agent, `version` + 1."),
  profile("AGENT-UPDATE-P5", "http", "An empty PATCH body is 1000/400."),
  profile(
    "AGENT-STATUS-P1",
    "http",
    'Editing an ACTIVE agent: 1201/409, except a body that is exactly `{"status": "INACTIVE"}`.',
  ),
  profile(
    "AGENT-STATUS-P2",
    "http",
    "Moves: DRAFT → ACTIVE or INACTIVE, ACTIVE ↔ INACTIVE, DRAFT or INACTIVE → ARCHIVED",
  ),
  profile("AGENT-STATUS-P3", "http", "ARCHIVED is final (1201/409)."),
  profile(
    "AGENT-STATUS-P4",
    "http",
    "`POST /v2/agents/{agent_id}/deploy` and `/undeploy` are aliases for ACTIVE and INACTIVE (scope `agents:write`).",
  ),
  profile(
    "AGENT-STATUS-P5",
    "http",
    "A `status` on create is a move made by the same write (DRAFT → ACTIVE, INACTIVE or ARCHIVED)",
  ),
  profile("AGENT-STATUS-P6", "http", "`version` is 2 in every case."),
  profile("AGENT-DELETE-P1", "http", 'DELETE answers 200 `{agent_id, status: "ARCHIVED", archived: true}`'),
  profile("AGENT-DELETE-P2", "http", "deleting an ACTIVE agent is 1201/409"),
  profile("AGENT-DELETE-P3", "http", "deleting an archived one is 200 again."),
  profile(
    "AGENT-CLONE-P1",
    "http",
    'Clone answers 201 a DRAFT, `display_name` + " (copy)" cut to 100 characters unless the body gives `display_name`',
  ),
  profile("AGENT-CLONE-P2", "http", "knowledge base and configuration come along"),
  profile("AGENT-CLONE-P3", "http", "experiments and subscriptions do not."),
  profile(
    "AGENT-CONTROLS-P1",
    "http",
    "The remaining four controls of `conversation_config`: `completion_probe`, `probe_start_delay_seconds`, `presence_probe_enabled`, `presence_probe_after_seconds`.",
  ),
  profile(
    "AGENT-CONFIG-P1",
    "http",
    "Inside `configuration` every named field is optional and type-checked (booleans, numbers ≥ 0, strings)",
  ),
  profile("AGENT-CONFIG-P2", "http", "unknown fields are kept as given."),
  profile("AGENT-CONFIG-P3", "http", "Enumerations are not closed."),
  profile("AGENT-LIST-P1", "http", "`search` is a case-insensitive substring"),
  profile("AGENT-LIST-P2", "http", "agents list newest first by default with the specified sorting."),
])
