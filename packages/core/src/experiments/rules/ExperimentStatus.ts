/** The status of an A/B experiment and its winner (specification, "A/B experiment (agent version)"). */

export const experimentStatuses = ["draft", "active", "paused", "concluded"] as const

export type ExperimentStatus = (typeof experimentStatuses)[number]

export const experimentWinners = ["control", "variant"] as const

export type ExperimentWinner = (typeof experimentWinners)[number]

/** From each status, every other status it may move to. */
export const experimentTransitions: Readonly<Record<ExperimentStatus, ReadonlyArray<ExperimentStatus>>> = {
  draft: ["active", "concluded"],
  active: ["paused", "concluded"],
  paused: ["active", "concluded"],
  concluded: [],
}

/**
 * What is asked of an experiment. An `edit` is a PATCH, and also a create, which edits a new draft: `status` and `winner`
 * are null where the body does not name them. `controlIsTaken`: another experiment of the same control agent is active.
 */
export type ExperimentCommand =
  | {
      readonly kind: "edit"
      readonly status: ExperimentStatus | null
      readonly winner: ExperimentWinner | null
      readonly controlIsTaken: boolean
    }
  | { readonly kind: "delete" }

/**
 * Why an experiment refuses. The body alone is wrong: `winner_without_concluding` (1000), `winner_required` (1002). The
 * state forbids it (1201): `concluded` is final, `not_a_move`, `control_taken`, and `running` cannot be deleted.
 */
export type ExperimentRefusal =
  | "winner_without_concluding"
  | "winner_required"
  | "concluded"
  | "not_a_move"
  | "control_taken"
  | "running"

/** `to` equals the status before where nothing moves; `winner` is set by the edit that concludes and is null otherwise. */
export type ExperimentDecision =
  | { readonly ok: true; readonly to: ExperimentStatus | "deleted"; readonly winner: ExperimentWinner | null }
  | { readonly ok: false; readonly reason: ExperimentRefusal; readonly status: ExperimentStatus }

/** Decides a command. What the body alone shows to be wrong comes before what the state forbids. */
export const decideExperiment = (status: ExperimentStatus, command: ExperimentCommand): ExperimentDecision => {
  if (command.kind === "delete") {
    return status === "draft" || status === "concluded"
      ? { ok: true, to: "deleted", winner: null }
      : refuse("running", status)
  }
  const concludes = command.status === "concluded"
  if (command.winner !== null && !concludes) return refuse("winner_without_concluding", status)
  if (command.winner === null && concludes) return refuse("winner_required", status)
  if (status === "concluded") return refuse("concluded", status)
  const to = command.status ?? status
  if (to !== status && !experimentTransitions[status].includes(to)) return refuse("not_a_move", status)
  if (to === "active" && status !== "active" && command.controlIsTaken) return refuse("control_taken", status)
  return { ok: true, to, winner: command.winner }
}

const refuse = (reason: ExperimentRefusal, status: ExperimentStatus): ExperimentDecision => ({
  ok: false,
  reason,
  status,
})
