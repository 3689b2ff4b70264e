import { expiry } from "../../campaigns/rules/CampaignWork.ts"
import { addedWords, logged } from "../../campaigns/steps/CampaignLog.ts"
import { fillingCampaign } from "../../campaigns/steps/CampaignReads.ts"
import { knownAgents } from "../../campaigns/steps/CampaignReferences.ts"
import { put, refused, write } from "../../engine/rules/Outcome.ts"
import { all } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { keyHeld } from "../../idempotency/steps/KeyHeld.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { callerIds, nameCallerIds } from "../../numbers/steps/CallerIds.ts"
import { tallyAfter } from "../../tallies/steps/TallyAfter.ts"
import { roomFault } from "./BatchRoom.ts"
import { batchFor, contactsKept, type HandedIn, type NewBatch, shownWakeups } from "./NewBatch.ts"

/** The campaign that a batch is made in, with how full it is; null for one by itself. */
function* campaignFor(organizationId: string, campaignId: string | null) {
  return campaignId === null ? null : yield* fillingCampaign(organizationId, campaignId)
}

/**
 * What a body names must be the organization's: its agents, its campaign, which takes contacts still, its numbers. It is looked at before contacts
 * are stored. Returns the campaign, with how full it is.
 */
export function* batchReferences(organizationId: string, body: NewBatch) {
  const followUpAgent = body.follow_up_policy?.follow_up_agent_id ?? null
  const [, filled] = yield* all(
    knownAgents(organizationId, [body.agent_id]),
    campaignFor(organizationId, body.campaign_id ?? null),
  )
  yield* all(
    knownAgents(organizationId, followUpAgent === null ? [] : [followUpAgent]),
    callerIds(organizationId, body.phone_numbers ?? []),
  )
  return filled
}

/**
 * A caller hands in contacts as a batch, in a campaign or for itself. They are stored before: meanwhile the campaign may have ended or been edited,
 * or a number have been given up.
 */
export const createBatch = step({
  name: "batch.create",
  whole: "A batch may name as many numbers as its organization has.",
  reads: ({
    body,
    caller: { keyed, organization_id },
    handedIn,
  }: ByCaller & { readonly body: NewBatch; readonly handedIn: HandedIn }) =>
    all(
      campaignFor(organization_id, body.campaign_id ?? null),
      callerIds(organization_id, body.phone_numbers ?? []),
      all(contactsKept(handedIn), keyHeld(keyed)),
    ),
  decide({ body, caller, handedIn }, [filled, numbers], { now }) {
    const campaign = filled?.campaign ?? null
    const batch = batchFor(handedIn, caller.organization_id, body, campaign, now)
    const full = filled === null ? null : roomFault(batch, filled)
    if (full !== null) return refused(full)
    const told =
      filled === null ? [] : logged({ ...filled.campaign, last: filled.last }, addedWords({ caller }, batch), now)
    const changes = [put("batch", null, batch), ...told, ...nameCallerIds(numbers)]
    return write(changes, {
      audit: [{ resource: { type: "batch", id: batch.batch_id } }],
      // A campaign that had no contacts when its end passed expires now that it has some.
      wakeups: [...shownWakeups(batch, now), ...(campaign === null ? [] : expiry(campaign, now))],
      reply: { batch, campaign, tally: tallyAfter({}, batch.batch_id, changes, now) },
    })
  },
})
