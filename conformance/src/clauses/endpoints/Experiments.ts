import { gap, required, specified } from "../Clause.ts"

export const experiments = specified("Endpoints > Agent experiments", [
  required("EXPERIMENT-GET-1", "http", "**GET /v2/agents/{agent_id}/versions/{version_id}** Bucket default."),
  required(
    "EXPERIMENT-GET-2",
    "fixtures",
    "**GET /v2/agents/{agent_id}/versions/{version_id}** Bucket default. Scope none.",
  ),
  required("EXPERIMENT-GET-3", "http", "`agent_id` is the control agent."),
  required("EXPERIMENT-GET-4", "http", "Returns the experiment object."),
  required("EXPERIMENT-GET-5", "fixtures", "An id under a different control agent or organization answers 404."),
  required("EXPERIMENT-ERROR-1", "http", "Other error cases: 400 (1000) for unknown status token"),
  required("EXPERIMENT-ERROR-2", "http", "empty patch body"),
  required("EXPERIMENT-ERROR-3", "http", "explicit null"),
  required("EXPERIMENT-ERROR-4", "http", "or a variant agent missing from the organization."),
  required(
    "EXPERIMENT-ROUTES-1",
    "fixtures",
    "Other routes under `/v2/agents/{agent_id}/versions` exist (reads need only a valid key)",
  ),
  gap("EXPERIMENT-ROUTES-G1", "http", "their shapes: not shown."),
])
