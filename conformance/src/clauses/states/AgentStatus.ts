import { gap, required, specified } from "../Clause.ts"

export const agentStatus = specified("States and transitions > Agent status", [
  required("AGENT-STATUS-1", "http", "Values: `DRAFT`, `ACTIVE`, `INACTIVE`, `ARCHIVED`."),
  required("AGENT-STATUS-2", "http", "| (none) | `POST /v2/agents` | success | DRAFT |"),
  required("AGENT-STATUS-3", "http", "response version is 2"),
  required(
    "AGENT-STATUS-4",
    "telephony",
    "| (none) | `POST /v2/agents` | configuring write fails | archived | the half-made agent is archived",
  ),
  required("AGENT-STATUS-5", "telephony", "the write's error is returned"),
  required("AGENT-STATUS-6", "http", "Rules: an agent must be ACTIVE to place calls"),
  required("AGENT-STATUS-7", "http", "it must be set back to INACTIVE before it can be edited or archived."),
  gap("AGENT-STATUS-G1", "http", "The operation that deploys an agent and the remaining moves: not shown."),
])
