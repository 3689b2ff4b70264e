import { laneOf } from "../batches/Batch.ts"
import type { RowDescription } from "../engine/RowDescription.ts"
import { type Call, type CallMedia, holdsLine } from "./Call.ts"

/** A line that is taken or given back changes the load of its lane. */
export const callRow: RowDescription<Call> = {
  id: (call) => call.execution_id,
  dependency: "call_storage",
  lane: ({ batch_id, campaign_id, organization_id }) =>
    batch_id === null ? null : { organization_id, lane_id: laneOf({ batch_id, campaign_id }) },
  takes: holdsLine,
}

export const callMediaRow: RowDescription<CallMedia> = {
  id: (media) => media.execution_id,
  dependency: "call_storage",
}
