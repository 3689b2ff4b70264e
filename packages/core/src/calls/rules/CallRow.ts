import { laneOf } from "../../batches/rules/Batch.ts"
import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import { wakeupMoved } from "../../engine/rules/Wakeup.ts"
import { callTallies } from "../../tallies/rules/TallyChanges.ts"
import { callUsage } from "../../usage/rules/Usage.ts"
import { type Call, type CallMedia, holdsLine } from "./Call.ts"

/** A line that is taken or given back changes the load of its lane. When to look at the call, and at its processing, its row says. */
export const callRow: RowDescription<Call> = {
  id: (call) => call.execution_id,
  dependency: "call_storage",
  lane: ({ batch_id, campaign_id, organization_id }) =>
    batch_id === null ? null : { organization_id, lane_id: laneOf({ batch_id, campaign_id }) },
  takes: holdsLine,
  follows: (before, after) => {
    const id = after?.execution_id ?? before?.execution_id ?? ""
    return {
      changes: [...callTallies(before, after), ...callUsage(before, after)],
      wakeups: [
        ...wakeupMoved("call", id, before?.due_at ?? null, after?.due_at ?? null),
        ...wakeupMoved("processing", id, before?.processing.due_at ?? null, after?.processing.due_at ?? null),
      ],
    }
  },
}

export const callMediaRow: RowDescription<CallMedia> = {
  id: (media) => media.execution_id,
  dependency: "call_storage",
}
