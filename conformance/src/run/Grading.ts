import type { AnyClause } from "../clauses/Clause.ts"

/** A published set of readings that a run can hold a server to, where the specification leaves the choice. */
export const profiles = ["carillon"] as const

/** The name of a profile. */
export type Profile = (typeof profiles)[number]

/** How a breach is graded, by the level of the clauses that a check is about. */
export interface Grading {
  readonly levelOf: (clause: string) => AnyClause["level"]
  readonly grade: (level: AnyClause["level"]) => "fail" | "note"
}

/**
 * A breach of the specification's own words fails. A reading that a profile publishes fails only where the run names that
 * profile: another implementation may have chosen otherwise. What the specification leaves open never fails. Who offers an
 * extension is held to what its page promises: only a run that asks for extensions looks.
 */
export const gradingBy = (
  findClause: (id: string) => AnyClause | undefined,
  profile: Profile | undefined,
): Grading => ({
  levelOf: (id) => {
    const clause = findClause(id)
    if (clause === undefined) throw new Error(`no clause is called ${id}`)
    return clause.level
  },
  grade: (level) =>
    level === "required" || level === "extension" || (level === "profile" && profile !== undefined) ? "fail" : "note",
})
