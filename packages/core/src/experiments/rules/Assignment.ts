import { hash32 } from "../../engine/rules/Hash.ts"
import type { ExperimentStatus } from "./ExperimentStatus.ts"

const buckets = 10_000
const bucketsPerPercent = buckets / 100
/** `29.1 * 100` is a hair above 2910: less than any percentage that a person writes, more than what multiplication adds. */
const roundingSlack = 1e-6

/** The part of an experiment that routes calls (specification, "A/B experiment"). */
export interface RoutedExperiment {
  readonly version_id: string
  readonly main_agent_id: string
  readonly variant_agent_id: string
  /** 0 to 100. */
  readonly variant_traffic_pct: number
  readonly status: ExperimentStatus
}

/** Who is called: the contact where there is one, so that retries stay with their side, else the number. */
export interface RoutedSubject {
  readonly contact_id: string | null
  readonly to_number: string
}

/** A direct dial has no contact: its number stays with its side. */
export const directSubject = (toNumber: string): RoutedSubject => ({ contact_id: null, to_number: toNumber })

/** The agent that runs the call, and the experiment as the call carries it. */
export interface Route {
  readonly agent_id: string
  readonly ab_version_id: string
  readonly ab_is_variant: boolean
}

/** Whether the share of the challenger takes the subject in. Raising the percentage only adds subjects. */
export const inVariant = (versionId: string, pct: number, subject: RoutedSubject): boolean =>
  hash32(versionId, subject.contact_id ?? subject.to_number) % buckets < pct * bucketsPerPercent - roundingSlack

/** Routes a call of the control agent, or null when the experiment is not running. A challenger that is not ACTIVE gets no call. */
export const route = (
  experiment: RoutedExperiment,
  challengerIsActive: boolean,
  subject: RoutedSubject,
): Route | null => {
  if (experiment.status !== "active") return null
  const ab_is_variant = challengerIsActive && inVariant(experiment.version_id, experiment.variant_traffic_pct, subject)
  return {
    agent_id: ab_is_variant ? experiment.variant_agent_id : experiment.main_agent_id,
    ab_version_id: experiment.version_id,
    ab_is_variant,
  }
}
