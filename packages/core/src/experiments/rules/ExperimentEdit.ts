import { Result } from "effect"
import { Malformed, MissingField, StateConflict } from "../../Errors.ts"
import type { Experiment } from "./Experiment.ts"
import {
  decideExperiment,
  type ExperimentRefusal,
  type ExperimentStatus,
  type ExperimentWinner,
} from "./ExperimentStatus.ts"

/** What its owner writes of an experiment; what is left out stays as it is. Dates are epoch milliseconds. */
export interface ExperimentBody {
  readonly variant_agent_id?: string | undefined
  readonly version_name?: string | undefined
  readonly description?: string | null | undefined
  readonly variable_tested?: string | null | undefined
  readonly variant_traffic_pct?: number | undefined
  readonly status?: ExperimentStatus | undefined
  readonly winner?: ExperimentWinner | undefined
  readonly start_date?: number | null | undefined
  readonly end_date?: number | null | undefined
}

/** Why an experiment is not changed. */
type Refused = Malformed | MissingField | StateConflict

const refusals: { readonly [reason in ExperimentRefusal]: (status: ExperimentStatus) => Refused } = {
  winner_without_concluding: () =>
    new Malformed({ message: "A winner can only be given to an experiment that is being concluded." }),
  winner_required: () => new MissingField({ field: "winner" }),
  concluded: () => new StateConflict({ message: "This experiment is concluded and cannot be changed." }),
  not_a_move: (status) =>
    new StateConflict({ message: `This experiment cannot move to that status (status=${status}).` }),
  control_taken: () => new StateConflict({ message: "Another experiment of this agent is active." }),
  running: (status) => new StateConflict({ message: `This experiment cannot be deleted (status=${status}).` }),
}

/** Whether an edit asks which experiment of its control agent is active. */
export const asksForActive = ({ status }: ExperimentBody): boolean => status === "active"

/** An experiment after its owner has written something of it; `active` is the one of its control agent that is on. */
export const edited = (
  before: Experiment,
  body: ExperimentBody,
  active: Experiment | null,
  now: number,
): Result.Result<Experiment, Refused> => {
  const decision = decideExperiment(before.status, {
    kind: "edit",
    status: body.status ?? null,
    winner: body.winner ?? null,
    controlIsTaken: active !== null && active.version_id !== before.version_id,
  })
  if (!decision.ok) return Result.fail(refusals[decision.reason](decision.status))
  // An edit never deletes.
  const status = decision.to === "deleted" ? before.status : decision.to
  return Result.succeed({
    ...before,
    variant_agent_id: body.variant_agent_id ?? before.variant_agent_id,
    version_name: body.version_name ?? before.version_name,
    description: body.description === undefined ? before.description : body.description,
    variable_tested: body.variable_tested === undefined ? before.variable_tested : body.variable_tested,
    variant_traffic_pct: body.variant_traffic_pct ?? before.variant_traffic_pct,
    status,
    winner: decision.winner ?? before.winner,
    start_date: body.start_date === undefined ? before.start_date : body.start_date,
    end_date: body.end_date === undefined ? before.end_date : body.end_date,
    updated_at: now,
  })
}

/** Why an experiment is not deleted, or null. */
export const deletionRefused = ({ status }: Experiment): Refused | null => {
  const decision = decideExperiment(status, { kind: "delete" })
  return decision.ok ? null : refusals[decision.reason](decision.status)
}
