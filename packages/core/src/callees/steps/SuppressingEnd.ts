import type { Call } from "../../calls/rules/Call.ts"
import { put, type RowChange } from "../../engine/rules/Outcome.ts"
import { all, each, glance, type Reading, row } from "../../engine/steps/Reading.ts"
import type { Organization } from "../../organizations/rules/Organization.ts"
import { type Callee, calleeId } from "../rules/Callee.ts"
import { unknownCallee } from "../rules/Suppression.ts"
import type { SuppressOn } from "../rules/SuppressionRule.ts"
import { personOf, suppressedAtEnd } from "../rules/SuppressOn.ts"

/** Whom a call is with, where its organization has rules that may suppress them. */
export interface Suppressible {
  readonly rules: ReadonlyArray<SuppressOn>
  readonly to_number: string
  /** What is known of the number; null for nothing. */
  readonly callee: Callee | null
  /** The agent for which the call was made. */
  readonly askedFor: string
}

/** Reads whom a call is with; null where no rule may suppress them. */
export function* suppressibleBy(call: Call, organization: Organization | null): Reading<Suppressible | null> {
  const rules = organization?.suppress_on ?? []
  const to_number = personOf(call)
  if (rules.length === 0 || to_number === null) return null
  const { ab_version_id, agent_id, organization_id } = call
  const [callee, [experiment = null]] = yield* glance(
    "grows",
    "Who is suppressed is written, and an experiment keeps its agents.",
    all(
      row("callee", calleeId(organization_id, to_number)),
      each(ab_version_id === null ? [] : [row("experiment", ab_version_id, { of: organization_id })]),
    ),
  )
  return { rules, to_number, callee, askedFor: experiment?.main_agent_id ?? agent_id }
}

/** What a word of the carrier makes of whom its call is with; nothing where no rule comes to hold by it. */
export const suppressing = (
  suppressible: Suppressible | null,
  before: Call,
  after: Call,
  now: number,
): ReadonlyArray<RowChange> => {
  if (suppressible === null) return []
  const { askedFor, callee: found, rules, to_number } = suppressible
  const known = found ?? unknownCallee(before.organization_id, to_number)
  const callee = suppressedAtEnd(known, rules, { before, after, askedFor }, now)
  return callee === known ? [] : [put("callee", found, callee)]
}
