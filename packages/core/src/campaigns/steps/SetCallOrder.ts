import { put, refused, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { CallOrderSetting } from "../rules/CallOrderSetting.ts"
import { decideCampaign } from "../rules/CampaignStatus.ts"
import { editedWords, lastEntryOf, logged } from "./CampaignLog.ts"
import { campaignOf } from "./CampaignReads.ts"
import type { OfCampaign } from "./MoveCampaign.ts"
import { refusalOf } from "./Steering.ts"

const reads = ({ caller, campaign_id }: OfCampaign) =>
  all(campaignOf(caller.organization_id, campaign_id), lastEntryOf(campaign_id))

/** A caller says in which order a campaign calls its contacts. */
export const setCallOrder = step({
  name: "call_order.update",
  reads: (input: OfCampaign & { readonly setting: CallOrderSetting }) => reads(input),
  decide({ caller, campaign_id, setting }, [campaign, last], { now }) {
    const { end_time, status } = campaign
    const decision = decideCampaign(status, { kind: "edit", changesAgent: false, endTimeMs: end_time, nowMs: now })
    if (!decision.ok) return refused(refusalOf(decision, "edit"))
    const call_order = { ...setting, updated_at: now }
    const words = editedWords({ caller }, ["order"], status, status)
    const changes = [
      put("campaign", campaign, { ...campaign, call_order }),
      ...logged({ ...campaign, last }, words, now),
    ]
    return write(changes, { audit: [{ resource: { type: "campaign", id: campaign_id } }], reply: call_order })
  },
})

/** A caller takes the order of a campaign away. Replies whether there was one. */
export const removeCallOrder = step({
  name: "call_order.delete",
  reads: (input: OfCampaign) => reads(input),
  decide({ caller, campaign_id }, [campaign, last], { now }) {
    if (campaign.call_order === undefined) return unchanged(false)
    const { call_order: _order, ...after } = campaign
    const words = editedWords({ caller }, ["order"], campaign.status, campaign.status)
    return write([put("campaign", campaign, after), ...logged({ ...campaign, last }, words, now)], {
      audit: [{ resource: { type: "campaign", id: campaign_id } }],
      reply: true,
    })
  },
})
