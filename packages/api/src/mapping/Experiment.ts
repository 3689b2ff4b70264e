import { Timestamp } from "@carillon/core/domain"
import type { Experiment as DomainExperiment } from "@carillon/core/ports"
import type { Experiment } from "../Experiments.ts"

const optionalUtc = (ms: number | null): string | null => (ms === null ? null : Timestamp.formatUtc(ms))

/** An experiment as it is answered. */
export const toWireExperiment = (experiment: DomainExperiment): Experiment => ({
  version_id: experiment.version_id,
  main_agent_id: experiment.main_agent_id,
  variant_agent_id: experiment.variant_agent_id,
  version_name: experiment.version_name,
  description: experiment.description,
  variable_tested: experiment.variable_tested,
  variant_traffic_pct: experiment.variant_traffic_pct,
  status: experiment.status,
  winner: experiment.winner,
  start_date: optionalUtc(experiment.start_date),
  end_date: optionalUtc(experiment.end_date),
  created_by: experiment.created_by,
  created_at: Timestamp.formatUtc(experiment.created_at),
  updated_at: Timestamp.formatUtc(experiment.updated_at),
})
