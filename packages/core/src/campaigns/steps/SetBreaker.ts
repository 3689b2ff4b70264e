import { put, refused, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { breakerAnew } from "../rules/Breaker.ts"
import type { BreakerSetting } from "../rules/BreakerSetting.ts"
import { decideCampaign } from "../rules/CampaignStatus.ts"
import { editedWords, lastEntryOf, logged } from "./CampaignLog.ts"
import { campaignOf } from "./CampaignReads.ts"
import type { OfCampaign } from "./MoveCampaign.ts"
import { refusalOf } from "./Steering.ts"

const reads = ({ caller, campaign_id }: OfCampaign) =>
  all(campaignOf(caller.organization_id, campaign_id), lastEntryOf(campaign_id))

/** A caller says when a campaign pauses itself. */
export const setBreaker = step({
  name: "breaker.update",
  reads: (input: OfCampaign & { readonly setting: BreakerSetting }) => reads(input),
  decide({ caller, campaign_id, setting }, [campaign, last], { now }) {
    const { end_time, status } = campaign
    const decision = decideCampaign(status, { kind: "edit", changesAgent: false, endTimeMs: end_time, nowMs: now })
    if (!decision.ok) return refused(refusalOf(decision, "edit"))
    const after = { ...campaign, breaker: breakerAnew(campaign.breaker, setting, now) }
    const words = editedWords({ caller }, ["breaker"], status, status)
    return write([put("campaign", campaign, after), ...logged({ ...campaign, last }, words, now)], {
      audit: [{ resource: { type: "campaign", id: campaign_id } }],
      reply: { campaign: after },
    })
  },
})

/** A caller takes the breaker of a campaign away; what it has paused stays so until somebody resumes it. Replies whether there was one. */
export const removeBreaker = step({
  name: "breaker.delete",
  reads: (input: OfCampaign) => reads(input),
  decide({ caller, campaign_id }, [campaign, last], { now }) {
    if (campaign.breaker === undefined) return unchanged(false)
    const { breaker: _breaker, ...after } = campaign
    const words = editedWords({ caller }, ["breaker"], campaign.status, campaign.status)
    return write([put("campaign", campaign, after), ...logged({ ...campaign, last }, words, now)], {
      audit: [{ resource: { type: "campaign", id: campaign_id } }],
      reply: true,
    })
  },
})
