import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { Campaign } from "./Campaign.ts"

export const campaignRow: RowDescription<Campaign> = {
  id: (campaign) => campaign.campaign_id,
  dependency: "call_storage",
  lane: ({ campaign_id, organization_id }) => ({ organization_id, lane_id: campaign_id }),
  follows: (_, after, at) => ({
    changes: [],
    wakeups: after === null ? [] : [{ set: { kind: "dispatch", subject: after.organization_id, at } }],
  }),
}
