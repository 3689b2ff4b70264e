import { Context } from "effect"

/** How a commit ends. `full`: a level has no room for its line. */
export type CommitEnd = "applied" | "conflict" | "full" | "unavailable" | "timeout" | "invalid"

/** Why something is run again. */
export type AgainReason = "conflict" | "answer_lost"

/** Is told what becomes of commits, to count it. */
export interface CommitMeter {
  readonly ended: (end: CommitEnd) => void
  readonly again: (reason: AgainReason) => void
}

/** Who counts what becomes of commits; null, which is the default: nobody. */
export const CurrentCommitMeter = Context.Reference<CommitMeter | null>("@carillon/core/engine/CommitMeter", {
  defaultValue: () => null,
})
