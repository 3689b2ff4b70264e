import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import { type WakeupChange, wakeupMoved } from "../../engine/rules/Wakeup.ts"
import type { Campaign } from "./Campaign.ts"

/** When a breaker is looked at next: as it is written, and when what it has paused goes on. */
const breakerMoved = (before: Campaign | null, after: Campaign, at: number): ReadonlyArray<WakeupChange> => {
  const { breaker, campaign_id } = after
  const was = before?.breaker
  const isAnew = breaker !== undefined && breaker.updated_at !== was?.updated_at
  const due = breaker?.trip?.resume_at ?? (isAnew ? at : null)
  return wakeupMoved("breaker", campaign_id, was?.trip?.resume_at ?? null, due)
}

export const campaignRow: RowDescription<Campaign> = {
  id: (campaign) => campaign.campaign_id,
  dependency: "call_storage",
  lane: ({ campaign_id, organization_id }) => ({ organization_id, lane_id: campaign_id }),
  follows: (before, after, at) => ({
    changes: [],
    wakeups:
      after === null
        ? []
        : [{ set: { kind: "dispatch", subject: after.organization_id, at } }, ...breakerMoved(before, after, at)],
  }),
}
