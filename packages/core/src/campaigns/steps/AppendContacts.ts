import { roomFault } from "../../batches/steps/BatchRoom.ts"
import { batchOfCampaign, contactsKept, type HandedIn, shownWakeups } from "../../batches/steps/NewBatch.ts"
import { put, refused, write } from "../../engine/rules/Outcome.ts"
import { all } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { keyHeld } from "../../idempotency/steps/KeyHeld.ts"
import { tallyAfter } from "../../tallies/steps/TallyAfter.ts"
import { addedWords, logged } from "./CampaignLog.ts"
import { fillingCampaign } from "./CampaignReads.ts"
import { expiry } from "../rules/CampaignWork.ts"
import type { OfCampaign } from "./MoveCampaign.ts"

/** A caller hands in more contacts of a campaign: one more batch of it, which may have been edited while they were stored. */
export const appendContacts = step({
  name: "campaign.append",
  reads: ({ caller, campaign_id, handedIn }: OfCampaign & { readonly handedIn: HandedIn }) =>
    all(fillingCampaign(caller.organization_id, campaign_id), contactsKept(handedIn), keyHeld(caller.keyed)),
  decide({ caller, campaign_id, handedIn }, [filled], { now }) {
    const { campaign, last } = filled
    const batch = batchOfCampaign(handedIn, campaign, now)
    const full = roomFault(batch, filled)
    if (full !== null) return refused(full)
    const changes = [put("batch", null, batch), ...logged({ ...campaign, last }, addedWords({ caller }, batch), now)]
    return write(changes, {
      audit: [{ resource: { type: "campaign", id: campaign_id } }],
      // A campaign that had no contacts when its end passed expires now that it has some.
      wakeups: [...shownWakeups(batch, now), ...expiry(campaign, now)],
      reply: { batch, campaign, tally: tallyAfter({}, batch.batch_id, changes, now) },
    })
  },
})
