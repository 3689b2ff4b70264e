import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { Experiment } from "./Experiment.ts"

/** An agent is the control of one active experiment at most. */
export const experimentRow: RowDescription<Experiment> = {
  id: (experiment) => experiment.version_id,
  dependency: "agent_service",
  unique: ({ main_agent_id, status }) => (status === "active" ? main_agent_id : null),
}
