import type { RecordedBreach } from "../ambient/Ledger.ts"
import type { Requirements } from "../requirements/Requirements.ts"
import type { Capability, ReachLevel } from "./Capabilities.ts"
import type { CaseResult } from "./CaseResult.ts"
import type { ClauseState, LevelResult } from "./ClauseCount.ts"
import type { ExtensionResult } from "./Extensions.ts"
import type { Profile } from "./Grading.ts"
import { failsRun, type Verdict, verdicts } from "./Verdict.ts"

/** The schema of a report; the number grows when a field changes its meaning or disappears. */
export const reportSchema = "carillon-conformance-report/1"

/** The requirement set that this suite holds implementations against. */
export const revision = "v2-2026.1"

/** How often each verdict was given. */
export type Tally = Readonly<Record<Verdict, number>>

/** How a run ended as a whole. */
export type RunOutcome = "holds" | "fails" | "nothing-ran" | "harness-fault"

/** A quote for a reader of a report, so that it explains itself. */
export interface CitedClause {
  readonly section: string
  readonly quote: string
  readonly level: string
  /** Where an extension's page says it. */
  readonly address?: string
}

/** Everything that a run found. It is plain JSON data. */
export interface Report {
  readonly schema: typeof reportSchema
  readonly revision: typeof revision
  readonly startedAt: string
  readonly finishedAt: string
  readonly target: {
    readonly baseUrl: string
    readonly controlUrl: string | null
    /** The file of the hooks, where there was one. */
    readonly hooks?: string
  }
  readonly seed: number
  /** What its names and numbers were drawn from; with the seed it replays the run. */
  readonly nonce: string
  /** The published readings that were graded like the specification itself; null where none was named. */
  readonly profile: Profile | null
  /** The frozen set of requirements that it was held to; null where it was held to all that the suite knows. */
  readonly requirements: Requirements | null
  readonly capabilities: ReadonlyArray<Capability>
  readonly outcome: RunOutcome
  readonly totals: { readonly cases: Tally; readonly checks: Tally }
  readonly levels: ReadonlyArray<LevelResult>
  /** What the run says of each extension; absent where it did not ask for them. They count in no level. */
  readonly extensions?: ReadonlyArray<ExtensionResult>
  /** The highest level at and below which every required clause was judged and held; null when not even level 0 is. */
  readonly reached: ReachLevel | null
  /** What became of each clause that was judged. */
  readonly clauseStates: Readonly<Record<string, ClauseState>>
  readonly cases: ReadonlyArray<CaseResult>
  /** Answers that broke an ambient rule, by rule. */
  readonly breaches: Readonly<Record<string, ReadonlyArray<RecordedBreach>>>
  /** The clauses that checks which did not hold cite. */
  readonly clauses: Readonly<Record<string, CitedClause>>
  /** What the run made in the organization of its key and could not take away, with the answers to the attempt. */
  readonly leftBehind: ReadonlyArray<string>
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
    fail: of("fail"),
    xpass: of("xpass"),
    untestable: of("untestable"),
    error: of("error"),
    "n/a": of("n/a"),
  }
}

/** How a run ended, by its cases. A fault of the harness outweighs everything: then the rest cannot be trusted. */
export const outcomeOf = (cases: ReadonlyArray<CaseResult>): RunOutcome => {
  if (cases.some(({ verdict }) => verdict === "error")) return "harness-fault"
  if (cases.some(({ verdict }) => failsRun(verdict))) return "fails"
  return cases.some(({ verdict, id }) => verdict !== "n/a" && id !== ambientCaseId) ? "holds" : "nothing-ran"
}

/** The case that stands for the rules which every answer of every other case is held against. */
export const ambientCaseId = "ambient"
