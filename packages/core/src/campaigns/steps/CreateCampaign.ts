import { batchOfCampaign, contactsKept, type HandedIn, shownWakeups } from "../../batches/steps/NewBatch.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { all, each } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { keyHeld } from "../../idempotency/steps/KeyHeld.ts"
import { nameCallerIds } from "../../numbers/steps/CallerIds.ts"
import { tallyAfter } from "../../tallies/steps/TallyAfter.ts"
import type { Campaign, CampaignSettings } from "../rules/Campaign.ts"
import { addedWords, createdWords, logged } from "./CampaignLog.ts"
import { callerIdsIn } from "./CampaignReferences.ts"
import type { CampaignBody } from "../rules/CampaignSettings.ts"
import { expiryAfter } from "../rules/CampaignWork.ts"
import type { OfCampaign } from "./MoveCampaign.ts"

interface CampaignCreation extends OfCampaign {
  readonly settings: CampaignSettings
  readonly body: CampaignBody
  /** The contacts of its first batch; null where there are none. */
  readonly handedIn: HandedIn | null
}

/** A caller makes a campaign, with its first batch where it has contacts. A number may have been given up while they were stored. */
export const createCampaign = step({
  name: "campaign.create",
  whole: "A campaign may name as many numbers as its organization has.",
  reads: ({ body, caller, handedIn, settings }: CampaignCreation) =>
    all(
      callerIdsIn(caller.organization_id, settings, body),
      each(handedIn === null ? [] : [contactsKept(handedIn)]),
      keyHeld(caller.keyed),
    ),
  decide({ caller, campaign_id, handedIn, settings }, [numbers], { now }) {
    const { organization_id } = caller
    const campaign: Campaign = {
      ...settings,
      campaign_id,
      organization_id,
      revision: 1,
      status: "created",
      idle_with: null,
      created_at: now,
      updated_at: now,
    }
    const batches = handedIn === null ? [] : [batchOfCampaign(handedIn, campaign, now)]
    const changes = [
      put("campaign", null, campaign),
      ...logged({ ...campaign, last: 0 }, createdWords({ caller }), now),
      ...batches.flatMap((batch) => [
        put("batch", null, batch),
        ...logged({ ...campaign, last: 1 }, addedWords({ caller }, batch), now),
      ]),
      ...nameCallerIds(numbers),
    ]
    return write(changes, {
      audit: [{ resource: { type: "campaign", id: campaign_id } }],
      wakeups: [
        ...expiryAfter(campaign, batches.length > 0, now),
        ...batches.flatMap((batch) => shownWakeups(batch, now)),
      ],
      reply: { campaign, tally: tallyAfter({}, campaign_id, changes, now) },
    })
  },
})
