import { knownAgent, noSuchAgent } from "../../agents/steps/AgentReads.ts"
import { glance, refuse, row } from "../../engine/steps/Reading.ts"
import { InvalidField, NotFound } from "../../Errors.ts"
import type { SuppressionScope } from "../rules/Callee.ts"

/** Why a scope is none: it is of an agent or of a campaign, not of both; null where it is one. */
export const scopeFault = ({ agent_id, campaign_id }: SuppressionScope): InvalidField | null =>
  agent_id !== null && campaign_id !== null
    ? new InvalidField({ field: "campaign_id", reason: "must not be given beside agent_id" })
    : null

/** Whether the agent or campaign of a scope is there. Answers with the agent that calls of the scope ask for; null: any. */
export function* knownScope(organizationId: string, scope: SuppressionScope) {
  const { agent_id, campaign_id } = scope
  const fault = scopeFault(scope)
  if (fault !== null) return yield* refuse(fault)
  if (agent_id !== null && (yield* knownAgent(organizationId, agent_id)) === null) return yield* refuse(noSuchAgent)
  if (campaign_id === null) return agent_id
  const campaign = yield* glance(
    "grows",
    "No campaign is ever removed.",
    row("campaign", campaign_id, { of: organizationId }),
  )
  return campaign === null ? yield* refuse(new NotFound({ message: "Campaign not found." })) : campaign.agent_id
}
