import type { Agent } from "../../agents/rules/Agent.ts"
import type { Batch } from "../../batches/rules/Batch.ts"
import type { Call } from "../../calls/rules/Call.ts"
import { agentFacts, newCall } from "../../calls/rules/PlaceCall.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import type { Contact, ContactEntry } from "../../contacts/rules/Contact.ts"
import { followUpAgentOf, followUpPolicyOf } from "../../contacts/rules/ContactProgress.ts"
import { limits } from "../../Limits.ts"

/** A contact about to be dialled, with what decides how. */
export interface ContactDial {
  readonly contact: Contact
  readonly entry: ContactEntry
  readonly batch: Batch
  readonly campaign: Campaign | null
}

/** Whether this dial is a follow-up; what a contact waits for says so. */
export const isFollowUp = (contact: Contact): boolean => contact.status === "follow_up_scheduled"

/** Since when the contact could have been dialled, its hours aside. */
export const dueSince = ({ batch, contact }: ContactDial): number =>
  Math.max(contact.eligible_at ?? 0, batch.scheduled_at ?? 0, batch.created_at)

/** The agent that makes the call: a follow-up may have one of its own. */
export const agentOfDial = ({ contact, batch, campaign }: ContactDial): string =>
  (isFollowUp(contact) ? followUpAgentOf(batch, campaign) : null) ?? batch.agent_id

/** The call of a contact, before it has a line. Later variables win: the campaign's, the batch's, the contact's own. */
export const callOf = (
  dial: ContactDial,
  executionId: string,
  agent: Agent,
  fromNumber: string | null,
  now: number,
): Call => {
  const { contact, entry, batch, campaign } = dial
  const followUp = isFollowUp(contact)
  return {
    ...newCall(
      batch.organization_id,
      executionId,
      {
        agent_id: agent.agent_id,
        to_number: entry.to_number,
        from_number: fromNumber,
        variables: { ...campaign?.default_call_variables, ...batch.default_call_variables, ...entry.variables },
        metadata: {},
        scheduled_at: null,
        record: true,
        timeout_seconds: limits.ringTimeoutSeconds.default,
      },
      {
        batch_id: batch.batch_id,
        campaign_id: batch.campaign_id,
        contact_id: contact.contact_id,
        parent_execution_id: contact.first_execution_id,
        retry_count: contact.attempts,
        is_follow_up: followUp,
        prompt: followUp ? followUpPolicyOf(batch, campaign).follow_up_prompt : null,
      },
      now,
    ),
    ...agentFacts(agent),
    ...(campaign?.breaker === undefined ? {} : { watched: true }),
  }
}
