import type { Call } from "../../calls/rules/Call.ts"
import type { Json } from "../../Json.ts"
import { isE164 } from "../../phone/E164.ts"
import type { Callee, Suppression, SuppressionScope } from "./Callee.ts"
import { suppressed } from "./Suppression.ts"
import type { ExtractedValue, SuppressOn } from "./SuppressionRule.ts"

const dayMs = 86_400_000

const plain = (value: Json): Json => (typeof value === "string" ? value.trim().toLowerCase() : value)

const hasValue = ({ extracted_data }: Call, { equals, field }: ExtractedValue): boolean => {
  if (extracted_data === null || !Object.hasOwn(extracted_data, field)) return false
  const value = plain(extracted_data[field] ?? null)
  return equals.some((each) => plain(each) === value)
}

/** Whether a rule holds for a call whose leg is over for good. */
const holds = (rule: SuppressOn, call: Call, agentIds: ReadonlyArray<string>): boolean =>
  call.final_report_at !== null &&
  (rule.agent_id === null || agentIds.includes(rule.agent_id)) &&
  (rule.campaign_id === null || rule.campaign_id === call.campaign_id) &&
  (rule.outcomes.length === 0 || rule.outcomes.some((status) => status === call.status)) &&
  (rule.hangup_reasons.length === 0 || rule.hangup_reasons.some((reason) => reason === call.hangup_reason)) &&
  (rule.extracted.length === 0 || rule.extracted.some((value) => hasValue(call, value)))

/** The number of the person in a call, whoever called; null where none is known. */
export const personOf = ({ direction, from_number, to_number }: Call): string | null => {
  const number = direction === "inbound" ? from_number : to_number
  return number !== null && isE164(number) ? number : null
}

const scopeOf = (rule: SuppressOn, call: Call, agentId: string): SuppressionScope | null => {
  switch (rule.suppress_for) {
    case "organization":
      return { agent_id: null, campaign_id: null }
    case "agent":
      return { agent_id: agentId, campaign_id: null }
    case "campaign":
      return call.campaign_id === null ? null : { agent_id: null, campaign_id: call.campaign_id }
  }
}

/** A suppression, for all calls where the number has no room for one of an agent or a campaign. */
const withIt = (callee: Callee, suppression: Suppression, now: number): Callee => {
  const narrow = suppressed(callee, suppression, now)
  if (narrow.became !== "full") return narrow.callee
  return suppressed(callee, { ...suppression, agent_id: null, campaign_id: null }, now).callee
}

/**
 * The callee after a word of the carrier that makes rules hold which did not hold before; the same where there are none. `askedFor` is the agent
 * for which the call was made: no experiment narrows what somebody has asked for.
 */
export const suppressedAtEnd = (
  callee: Callee,
  rules: ReadonlyArray<SuppressOn>,
  { after, askedFor, before }: { readonly before: Call; readonly after: Call; readonly askedFor: string },
  now: number,
): Callee => {
  const agentIds = [after.agent_id, askedFor]
  let known = callee
  for (const rule of rules) {
    if (!holds(rule, after, agentIds) || holds(rule, before, agentIds)) continue
    const scope = scopeOf(rule, after, askedFor)
    if (scope === null) continue
    const said = { reason: rule.reason, source: after.execution_id, note: null }
    const expires_at = rule.days === null ? null : now + rule.days * dayMs
    known = withIt(known, { ...scope, ...said, expires_at, created_at: now }, now)
  }
  return known
}
