/**
 * Lists of checks that are known to fail, or known to be unsteady. What they name is executed all the same: a check that
 * is expected to fail and holds makes the run fail, so that a list cannot go stale.
 */
import type { CaseResult } from "./CaseResult.ts"
import type { CheckResult } from "./Checks.ts"
import { globOf, matches } from "./Selection.ts"
import { type Verdict, worst } from "./Verdict.ts"

/** One line of a list: a case, or `case:check`, both possibly globs. */
export interface Expectation {
  readonly line: string
  readonly casePattern: string
  readonly checkPattern: string | undefined
}

/** Reads a list: one entry a line, `#` begins a comment. */
export const parseExpectations = (text: string): ReadonlyArray<Expectation> =>
  text
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .filter((line) => line !== "")
    .map((line) => {
      const colon = line.indexOf(":")
      return colon < 0
        ? { line, casePattern: line, checkPattern: undefined }
        : { line, casePattern: line.slice(0, colon), checkPattern: line.slice(colon + 1) }
    })

const covers = (expectation: Expectation, caseId: string, checkId: string): boolean =>
  matches(expectation.casePattern, caseId) &&
  (expectation.checkPattern === undefined || globOf(expectation.checkPattern).test(checkId))

const failed = (verdict: Verdict): boolean => verdict === "fail"

const judged = (verdict: Verdict): boolean => failed(verdict) || verdict === "pass"

/**
 * One result as the lists grade it while the run goes on. Whether an entry is stale shows only at the end, so that only
 * entries which cover a failure of this case count.
 */
export const applyOnTheWay = (
  result: CaseResult,
  knownFailing: ReadonlyArray<Expectation>,
  knownFlaky: ReadonlyArray<Expectation>,
): CaseResult => {
  const failures = result.checks.filter(({ verdict }) => failed(verdict))
  const live = knownFailing.filter((entry) => failures.some(({ id }) => covers(entry, result.id, id)))
  return applyExpectations([result], live, knownFlaky).cases[0] ?? result
}

/** Results with the lists applied, and the entries that named nothing that was executed. */
export interface Applied {
  readonly cases: ReadonlyArray<CaseResult>
  readonly unused: ReadonlyArray<string>
}

/** Applies both lists: `xfail` and `flaky` for what they cover, `xpass` where an entry covers no failure at all. */
export const applyExpectations = (
  cases: ReadonlyArray<CaseResult>,
  knownFailing: ReadonlyArray<Expectation>,
  knownFlaky: ReadonlyArray<Expectation>,
): Applied => {
  const covered = (expectation: Expectation): ReadonlyArray<CheckResult> =>
    cases.flatMap(({ id, checks }) =>
      checks.filter((check) => judged(check.verdict) && covers(expectation, id, check.id)),
    )
  const used = new Map([...knownFailing, ...knownFlaky].map((entry) => [entry, covered(entry)]))
  const stale = new Set(knownFailing.filter((entry) => !used.get(entry)?.some(({ verdict }) => failed(verdict))))

  const verdictOf = (caseId: string, { id, verdict }: CheckResult): Verdict => {
    if (!judged(verdict)) return verdict
    if (knownFlaky.some((entry) => covers(entry, caseId, id))) return "flaky"
    const entries = knownFailing.filter((entry) => covers(entry, caseId, id))
    if (entries.length === 0) return verdict
    if (failed(verdict)) return "xfail"
    return entries.some((entry) => stale.has(entry)) ? "xpass" : verdict
  }

  return {
    cases: cases.map((result) => {
      const checks = result.checks.map((check) => {
        const verdict = verdictOf(result.id, check)
        if (verdict === check.verdict) return check
        const message = verdict === "xpass" ? "listed as failing, but it holds" : `listed; it was ${check.verdict}`
        return { ...check, verdict, message: check.message ?? message }
      })
      const changed = checks.some((check, index) => check !== result.checks[index])
      return changed
        ? {
            ...result,
            checks,
            verdict: worst(
              checks.map(({ verdict }) => verdict),
              result.verdict,
            ),
          }
        : result
    }),
    unused: [...used].flatMap(([entry, checks]) => (checks.length === 0 ? [entry.line] : [])),
  }
}
