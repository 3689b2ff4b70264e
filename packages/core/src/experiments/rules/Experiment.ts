import type { ExperimentStatus, ExperimentWinner } from "./ExperimentStatus.ts"

/** An A/B experiment: a share of a control agent's calls goes to a challenger (specification, "A/B experiment (agent version)"). */
export interface Experiment {
  readonly version_id: string
  readonly revision: number
  readonly organization_id: string
  readonly main_agent_id: string
  readonly variant_agent_id: string
  readonly version_name: string
  readonly description: string | null
  readonly variable_tested: string | null
  /** 0 to 100. */
  readonly variant_traffic_pct: number
  readonly status: ExperimentStatus
  readonly winner: ExperimentWinner | null
  /** Informational: they gate nothing. */
  readonly start_date: number | null
  readonly end_date: number | null
  /** The developer whose key made it. */
  readonly created_by: string
  readonly created_at: number
  readonly updated_at: number
}
