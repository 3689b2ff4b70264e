/**
 * Frozen sets of requirements. A server that passed one goes on passing it: what the suite learns to check later is told
 * as a note there, and fails only a run that names no set, or a newer one.
 */
import type { CaseResult } from "../run/CaseResult.ts"
import { extensionOf } from "../run/Capabilities.ts"
import type { CheckResult } from "../run/Checks.ts"
import { failsRun, worst } from "../run/Verdict.ts"
import type { RequirementSet } from "./RequirementSet.ts"
import { set202611 } from "./Set202611.ts"

const sets = { "2026-11": set202611 } as const satisfies Readonly<Record<string, RequirementSet>>

/** The name of a set. */
export type Requirements = keyof typeof sets

/** The names of all sets, the oldest first. */
export const requirementSets: ReadonlyArray<Requirements> = ["2026-11"]

/** A step that could not be taken compares nothing: it is as old as its case. */
const isStep = (check: CheckResult): boolean => check.expected === undefined

const newer = (check: CheckResult, name: Requirements): CheckResult => ({
  ...check,
  verdict: "note",
  message: `newer than the requirements ${name}, which this run is held to`,
})

/** The results as a set of requirements grades them. Sets are of the contract: who asks for extensions is told all of them. */
export const gradedBy = (
  name: Requirements,
  cases: ReadonlyArray<CaseResult>,
  set: RequirementSet = sets[name],
): ReadonlyArray<CaseResult> =>
  cases.map((result) => {
    if (extensionOf(result.requires) !== undefined) return result
    const known = set[result.id]
    const ids = new Set(known?.split(" "))
    const isNewer = (check: CheckResult) =>
      failsRun(check.verdict) && (known === undefined || (!ids.has(check.id) && !isStep(check)))
    if (!result.checks.some(isNewer)) return result
    const checks = result.checks.map((check) => (isNewer(check) ? newer(check, name) : check))
    // What is wrong with the case itself (a fault of the harness, a capability that does not work) stays.
    const own = result.reason === undefined ? [] : [result.verdict]
    return { ...result, checks, verdict: worst([...checks.map(({ verdict }) => verdict), ...own], result.verdict) }
  })
