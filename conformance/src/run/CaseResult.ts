import type { Exchange } from "../http/Exchange.ts"
import type { Capability, ReachLevel } from "./Capabilities.ts"
import type { CheckResult } from "./Checks.ts"
import type { Verdict } from "./Verdict.ts"

/** What became of one case. */
export interface CaseResult {
  readonly id: string
  readonly title: string
  readonly level: ReachLevel
  readonly requires: ReadonlyArray<Capability>
  readonly clauses: ReadonlyArray<string>
  readonly verdict: Verdict
  /** Why the case was not executed, or could not be finished. */
  readonly reason?: string
  /** Present where the case held when it was tried once more: look for a race. It has failed all the same. */
  readonly flaky?: true
  readonly durationMs: number
  readonly seed: number
  readonly checks: ReadonlyArray<CheckResult>
  /** The last exchanges of a case that did not hold, oldest first. */
  readonly trace: ReadonlyArray<Exchange>
}
