/** What a run found wrong, grouped by the clause that is broken: one cause, however many checks and cases it fails. */
import type { CheckResult } from "../run/Checks.ts"
import { ambientCaseId, type Report } from "../run/Report.ts"
import { failsRun } from "../run/Verdict.ts"

/** Checks that fail about one clause, or the answers that break one ambient rule. */
export interface Cause {
  /** The broken clause; empty where no clause is to blame. */
  readonly clause: string
  /** The clause in its own words, or what is wrong where there is none. */
  readonly title: string
  /** How much of the run it concerns, in words. */
  readonly extent: string
  /** The first check that shows it, and the case that it is of. */
  readonly caseId: string
  readonly check: CheckResult
  /** How many checks fail for it. */
  readonly count: number
}

interface Failed {
  readonly caseId: string
  readonly check: CheckResult
}

const failedOf = (report: Report): ReadonlyArray<Failed> =>
  report.cases.flatMap(({ id, checks }) =>
    checks.filter(({ verdict }) => failsRun(verdict)).map((check) => ({ caseId: id, check })),
  )

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const causeOf = (report: Report, clause: string, failed: ReadonlyArray<Failed>): Cause | undefined => {
  const [first] = failed
  if (first === undefined) return undefined
  const { caseId, check } = first
  const ofAnswers = caseId === ambientCaseId ? check.message : undefined
  const cases = new Set(failed.map((each) => each.caseId))
  return {
    clause,
    title: report.clauses[clause]?.quote ?? check.message ?? check.id,
    extent: ofAnswers ?? `${plural(failed.length, "check")} in ${plural(cases.size, "case")}`,
    caseId,
    check,
    count: failed.length,
  }
}

/** The causes of a run that fails: rules that answers break first, then the clauses with the most checks. */
export const causesOf = (report: Report): ReadonlyArray<Cause> => {
  const groups = new Map<string, Array<Failed>>()
  for (const each of failedOf(report)) {
    const clause = each.check.clauses[0] ?? ""
    const key = each.caseId === ambientCaseId ? `${ambientCaseId} ${each.check.id}` : clause
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [each])
    else group.push(each)
  }
  return [...groups.values()]
    .flatMap((group) => causeOf(report, group[0]?.check.clauses[0] ?? "", group) ?? [])
    .sort((one, other) => rank(other) - rank(one))
}

const rank = ({ caseId, count }: Cause): number => (caseId === ambientCaseId ? 1_000_000 : count)

/** One line for each capability that the target does not offer: how many cases need it. */
export const missingCapabilities = (report: Report): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { verdict, requires } of report.cases) {
    if (verdict !== "n/a") continue
    for (const capability of requires) {
      if (!report.capabilities.includes(capability)) counts.set(capability, (counts.get(capability) ?? 0) + 1)
    }
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name}: ${plural(count, "case")} not applicable`)
}
