import type { Clause } from "../clauses/Clause.ts"
import type { Grade } from "./Checks.ts"

/**
 * How a check that does not hold is graded: by the mildest of the clauses that it cites, because a check that rests on
 * one of our own choices cannot be failed by an implementation that chose otherwise. `profile` grades choices as
 * obligations. A check that cites nothing judges the way to the case, and fails.
 */
export const gradeBy =
  (findClause: (id: string) => Clause | undefined, profile: boolean): Grade =>
  (clauses) => {
    const levels = clauses.map((id) => {
      const clause = findClause(id)
      if (clause === undefined) throw new Error(`no clause is called ${id}`)
      return clause.level
    })
    if (levels.includes("gap")) return "note"
    return levels.includes("profile") && !profile ? "warn" : "fail"
  }
