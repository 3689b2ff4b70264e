/** What a run says of each clause, and which level it reaches by them: a level counts statements, never cases. */
import type { AnyClause, Clause, Observable } from "../clauses/Clause.ts"
import { levelOf, type ReachLevel } from "./Capabilities.ts"
import type { Case } from "./Case.ts"
import type { CaseResult } from "./CaseResult.ts"
import type { Verdict } from "./Verdict.ts"

/** Held by every check about it; broken by one; read otherwise than the profile that the run does not name; or not judged. */
export type ClauseState = "held" | "broken" | "read-otherwise" | "not-judged"

/** What a run says about one level, in clauses that every server must keep. */
export interface LevelResult {
  readonly level: ReachLevel
  readonly held: number
  readonly broken: number
  readonly notJudged: number
  readonly of: number
}

const stateOf = (verdict: Verdict): ClauseState | undefined => {
  switch (verdict) {
    case "pass":
      return "held"
    case "fail":
    case "xpass":
    case "xfail":
    case "flaky":
      return "broken"
    default:
      return undefined
  }
}

/** The worse of two states: one breach outweighs everything that held. */
const worse = (one: ClauseState, other: ClauseState): ClauseState => {
  const order: ReadonlyArray<ClauseState> = ["not-judged", "held", "read-otherwise", "broken"]
  return order.indexOf(one) > order.indexOf(other) ? one : other
}

/** The state of every clause that a run looked at. */
export const statesOf = (
  cases: ReadonlyArray<CaseResult>,
  find: (id: string) => AnyClause | undefined,
): ReadonlyMap<string, ClauseState> => {
  const states = new Map<string, ClauseState>()
  for (const check of cases.flatMap(({ checks }) => checks)) {
    for (const id of check.clauses) {
      const noted = check.verdict === "note" && find(id)?.level === "profile" ? "read-otherwise" : undefined
      const state = noted ?? stateOf(check.verdict)
      if (state !== undefined) states.set(id, worse(states.get(id) ?? "not-judged", state))
    }
  }
  return states
}

const levelsOfSight: Readonly<Record<Observable, ReachLevel>> = { http: 0, fixtures: 1, clock: 2, telephony: 3, no: 3 }

/**
 * The level that each clause belongs to: the least at which a case is about it. Where no case is, the ambient rules may be,
 * as soon as the clause can be seen at all.
 */
export const levelsByClause = (
  catalogue: ReadonlyArray<Clause>,
  cases: ReadonlyArray<Case>,
): ReadonlyMap<string, ReachLevel> => {
  const levels = new Map<string, ReachLevel>()
  for (const { clauses, requires } of cases) {
    const level = levelOf(requires)
    for (const clause of clauses) {
      const least = levels.get(clause) ?? level
      levels.set(clause, level < least ? level : least)
    }
  }
  return new Map(catalogue.map(({ id, observable }) => [id, levels.get(id) ?? levelsOfSight[observable]]))
}

/** True for a statement that every server must keep and that can be seen from outside. */
export const isJudgeable = ({ level, observable }: Clause): boolean => level === "required" && observable !== "no"

/** How many required clauses of each level were held. */
export const levelsOf = (
  catalogue: ReadonlyArray<Clause>,
  cases: ReadonlyArray<Case>,
  states: ReadonlyMap<string, ClauseState>,
): ReadonlyArray<LevelResult> => {
  const levels = levelsByClause(catalogue, cases)
  const judgeable = catalogue.filter(isJudgeable)
  return ([0, 1, 2, 3] as const).map((level) => {
    const here = judgeable.filter(({ id }) => (levels.get(id) ?? 3) === level)
    const count = (state: ClauseState) => here.filter(({ id }) => (states.get(id) ?? "not-judged") === state).length
    return { level, held: count("held"), broken: count("broken"), notJudged: count("not-judged"), of: here.length }
  })
}

/** The highest level reached: every clause at and below it was judged and held. */
export const reachedOf = (levels: ReadonlyArray<LevelResult>): ReachLevel | null => {
  let reached: ReachLevel | null = null
  for (const { level, held, of } of levels) {
    if (held < of) break
    if (of > 0) reached = level
  }
  return reached
}
