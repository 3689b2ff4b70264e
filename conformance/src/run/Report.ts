import type { RecordedBreach } from "../ambient/Ledger.ts"
import type { Capability, ReachLevel } from "./Capabilities.ts"
import type { CaseResult } from "./CaseResult.ts"
import { failsRun, holds, type Verdict, verdicts } from "./Verdict.ts"

/** The schema of a report; the number grows when a field changes its meaning or disappears. */
export const reportSchema = "carillon-conformance-report/1"

/** The requirement set that this suite holds implementations against. */
export const revision = "v2-2026.1"

/** How often each verdict was given. */
export type Tally = Readonly<Record<Verdict, number>>

/** How a run ended as a whole. */
export type RunOutcome = "holds" | "fails" | "nothing-ran" | "harness-fault"

/** What a run says about one level: how many of its cases hold, of all there are. */
export interface LevelResult {
  readonly level: ReachLevel
  readonly held: number
  readonly of: number
}

/** A quote for a reader of a report, so that it explains itself. */
export interface CitedClause {
  readonly section: string
  readonly quote: string
  readonly level: string
}

/** Everything that a run found. It is plain JSON data. */
export interface Report {
  readonly schema: typeof reportSchema
  readonly revision: typeof revision
  readonly startedAt: string
  readonly finishedAt: string
  readonly target: { readonly baseUrl: string; readonly controlUrl: string | null }
  readonly seed: number
  /** What its names and numbers were drawn from; with the seed it replays the run. */
  readonly nonce: string
  readonly grading: "required" | "profile"
  readonly capabilities: ReadonlyArray<Capability>
  readonly outcome: RunOutcome
  readonly totals: { readonly cases: Tally; readonly checks: Tally }
  readonly levels: ReadonlyArray<LevelResult>
  /** The highest level at and below which every case holds; null when not even level 0 does. */
  readonly reached: ReachLevel | null
  readonly cases: ReadonlyArray<CaseResult>
  /** Answers that broke an ambient rule, by rule. */
  readonly breaches: Readonly<Record<string, ReadonlyArray<RecordedBreach>>>
  /** The clauses that checks which did not hold cite. */
  readonly clauses: Readonly<Record<string, CitedClause>>
  /** Entries of the known lists that named nothing that was executed. */
  readonly unusedExpectations: ReadonlyArray<string>
}

/** Counts verdicts. */
export const tallyOf = (given: Iterable<Verdict>): Tally => {
  const counts = new Map<Verdict, number>(verdicts.map((verdict) => [verdict, 0]))
  for (const verdict of given) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  const of = (verdict: Verdict) => counts.get(verdict) ?? 0
  return {
    pass: of("pass"),
    note: of("note"),
    xfail: of("xfail"),
    flaky: of("flaky"),
    warn: of("warn"),
    fail: of("fail"),
    xpass: of("xpass"),
    untestable: of("untestable"),
    error: of("error"),
    "n/a": of("n/a"),
  }
}

/** How many cases of each level hold. */
export const levelsOf = (cases: ReadonlyArray<CaseResult>): ReadonlyArray<LevelResult> =>
  ([0, 1, 2, 3] as const).map((level) => {
    const here = cases.filter((result) => result.level === level)
    return { level, held: here.filter(({ verdict }) => holds(verdict)).length, of: here.length }
  })

/** The highest level reached: every case at and below it holds, and it has cases. */
export const reachedOf = (levels: ReadonlyArray<LevelResult>): ReachLevel | null => {
  let reached: ReachLevel | null = null
  for (const { level, held, of } of levels) {
    if (held < of) break
    if (of > 0) reached = level
  }
  return reached
}

/** How a run ended, by its cases. A fault of the harness outweighs everything: then the rest cannot be trusted. */
export const outcomeOf = (cases: ReadonlyArray<CaseResult>): RunOutcome => {
  if (cases.some(({ verdict }) => verdict === "error")) return "harness-fault"
  if (cases.some(({ verdict }) => failsRun(verdict))) return "fails"
  return cases.some(({ verdict, id }) => verdict !== "n/a" && id !== ambientCaseId) ? "holds" : "nothing-ran"
}

/** The case that stands for the rules which every answer of every other case is held against. */
export const ambientCaseId = "ambient"
