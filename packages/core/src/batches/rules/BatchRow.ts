import { batchesOf } from "../../engine/rules/Guards.ts"
import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import { batchTallies } from "../../tallies/rules/TallyChanges.ts"
import { type Batch, laneOf } from "./Batch.ts"
import { isFinishedBatch } from "./BatchStatus.ts"

/**
 * Whether the dispatcher has to look: a batch begins or ends to wait, or finishes; then its campaign may have finished, too. How its dialling moves it
 * on, the dispatcher knows.
 */
const isToBeLookedAt = (before: Batch, after: Batch): boolean =>
  before.paused_by !== after.paused_by ||
  before.scheduled_at !== after.scheduled_at ||
  (isFinishedBatch(after.status) &&
    !isFinishedBatch(before.status) &&
    (after.campaign_id !== null || after.cancelled_by !== null))

export const batchRow: RowDescription<Batch> = {
  id: (batch) => batch.batch_id,
  dependency: "call_storage",
  lane: (batch) => ({ organization_id: batch.organization_id, lane_id: laneOf(batch) }),
  joins: (before, { campaign_id }) => (before === null && campaign_id !== null ? [batchesOf(campaign_id)] : []),
  follows: (before, after, at) => ({
    changes: batchTallies(before, after),
    wakeups:
      before !== null && after !== null && isToBeLookedAt(before, after)
        ? [{ set: { kind: "dispatch", subject: after.organization_id, at } }]
        : [],
  }),
}
