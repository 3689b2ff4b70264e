import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import { type WakeupChange, wakeupMoved } from "../../engine/rules/Wakeup.ts"
import type { Campaign } from "./Campaign.ts"

/**
 * When a breaker is looked at next: as it is written, when what it has paused goes on, and as that time goes. Calls that end set the same wake-up, and one
 * may have done so a moment ago: it is never cleared.
 */
const breakerMoved = (before: Campaign | null, after: Campaign, at: number): ReadonlyArray<WakeupChange> => {
  const { breaker, campaign_id } = after
  const was = before?.breaker
  const isAnew = breaker !== undefined && breaker.updated_at !== was?.updated_at
  const wasDue = was?.trip?.resume_at ?? null
  const due = breaker?.trip?.resume_at ?? (isAnew || wasDue !== null ? at : null)
  return wakeupMoved("breaker", campaign_id, wasDue, due)
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
