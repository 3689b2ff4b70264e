import { knownAgent, noSuchAgent } from "../../agents/steps/AgentReads.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { each, glance, refuse, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { InvalidField, NotFound } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { limits } from "../../Limits.ts"
import { organizationRowOf } from "../../organizations/steps/OrganizationReads.ts"
import type { SuppressOn } from "../rules/SuppressionRule.ts"

const faultOf = (rules: ReadonlyArray<SuppressOn>): InvalidField | null => {
  if (rules.length > limits.suppressOnRules) {
    return new InvalidField({ field: "suppress_on", reason: `must have at most ${limits.suppressOnRules} rules` })
  }
  for (const [nth, { agent_id, campaign_id, extracted, hangup_reasons, outcomes }] of rules.entries()) {
    if (agent_id !== null && campaign_id !== null) {
      return new InvalidField({
        field: `suppress_on[${nth}].campaign_id`,
        reason: "must not be given beside agent_id",
      })
    }
    // A rule that asks for nothing would suppress everybody who is called.
    if (outcomes.length + hangup_reasons.length + extracted.length === 0) {
      return new InvalidField({
        field: `suppress_on[${nth}]`,
        reason: "must have outcomes, hangup_reasons or extracted",
      })
    }
  }
  return null
}

const knownCampaign = (organizationId: string, campaignId: string) =>
  glance("grows", "No campaign is ever removed.", row("campaign", campaignId, { of: organizationId }))

/** A caller says at which ends of calls their numbers are suppressed. */
export const setSuppressOn = step({
  name: "suppression.update",
  *reads({ caller, rules }: ByCaller & { readonly rules: ReadonlyArray<SuppressOn> }) {
    const fault = faultOf(rules)
    if (fault !== null) return yield* refuse(fault)
    const { organization_id } = caller
    const agentIds = new Set(rules.flatMap(({ agent_id }) => (agent_id === null ? [] : [agent_id])))
    const agents = yield* each([...agentIds].map((id) => knownAgent(organization_id, id)))
    if (agents.includes(null)) return yield* refuse(noSuchAgent)
    const campaignIds = new Set(rules.flatMap(({ campaign_id }) => (campaign_id === null ? [] : [campaign_id])))
    const campaigns = yield* each([...campaignIds].map((id) => knownCampaign(organization_id, id)))
    if (campaigns.includes(null)) return yield* refuse(new NotFound({ message: "Campaign not found." }))
    return yield* organizationRowOf(organization_id)
  },
  decide({ rules }, organization) {
    const change = put("organization", organization, { ...organization, suppress_on: rules })
    const resource = { type: "suppression", id: null }
    return write([change], { audit: [{ resource, details: { rules: rules.length } }], reply: rules })
  },
})
