import { laneOf } from "../../batches/rules/Batch.ts"
import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import { type WakeupChange, wakeupMoved } from "../../engine/rules/Wakeup.ts"
import { callTallies } from "../../tallies/rules/TallyChanges.ts"
import { callUsage } from "../../usage/rules/Usage.ts"
import { type Call, type CallMedia, holdsLine } from "./Call.ts"
import { watchedCall } from "./WatchedCall.ts"

/** The breaker of its campaign looks at a call that has ended, or of which something is known now by which it decides. */
const breakerLook = (before: Call | null, after: Call | null, at: number): ReadonlyArray<WakeupChange> => {
  const seen = after === null ? null : watchedCall(after)
  if (after === null || after.campaign_id === null || seen === null) return []
  const was = before === null ? null : watchedCall(before)
  const isSame = was?.voicemail === seen.voicemail && was.duration_seconds === seen.duration_seconds
  return isSame ? [] : [{ set: { kind: "breaker", subject: after.campaign_id, at } }]
}

/** A line that is taken or given back changes the load of its lane. When to look at the call, and at its processing, its row says. */
export const callRow: RowDescription<Call> = {
  id: (call) => call.execution_id,
  revised: (call, revision) => ({ ...call, revision }),
  dependency: "call_storage",
  lane: ({ batch_id, campaign_id, organization_id }) =>
    batch_id === null ? null : { organization_id, lane_id: laneOf({ batch_id, campaign_id }) },
  takes: holdsLine,
  follows: (before, after, at) => {
    const id = after?.execution_id ?? before?.execution_id ?? ""
    return {
      changes: [...callTallies(before, after), ...callUsage(before, after)],
      wakeups: [
        ...wakeupMoved("call", id, before?.due_at ?? null, after?.due_at ?? null),
        ...wakeupMoved("processing", id, before?.processing.due_at ?? null, after?.processing.due_at ?? null),
        ...breakerLook(before, after, at),
      ],
    }
  },
}

export const callMediaRow: RowDescription<CallMedia> = {
  id: (media) => media.execution_id,
  dependency: "call_storage",
}
