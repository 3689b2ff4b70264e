import type { RowDescription } from "../engine/RowDescription.ts"
import { batchTallies } from "../tallies/TallyChanges.ts"
import { type Batch, laneOf } from "./Batch.ts"

export const batchRow: RowDescription<Batch> = {
  id: (batch) => batch.batch_id,
  dependency: "call_storage",
  lane: (batch) => ({ organization_id: batch.organization_id, lane_id: laneOf(batch) }),
  follows: (before, after) => ({ changes: batchTallies(before, after), wakeups: [] }),
}
