import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Change, CommitDraft } from "../engine/Commit.ts"
import { usageDelta } from "../usage/Usage.ts"
import type { Call, CallMedia } from "./Call.ts"
import { eventsOf } from "./CallEvents.ts"

/** What accompanies a change of a call in the same commit. */
export interface CallCommitParts {
  readonly media?: CallMedia | null
  readonly debit?: number
  readonly audit?: ReadonlyArray<AuditEntry>
}

/**
 * The commit that replaces `before` (null: a new call) with `after`. The wake-up follows from `due_at` and the events from the
 * difference, so no caller can forget either.
 */
export const callCommit = (before: Call | null, after: Call, parts: CallCommitParts = {}): CommitDraft => {
  const changes: Array<Change> = [{ put: "call", row: after }]
  if (parts.media !== undefined && parts.media !== null) changes.push({ put: "call_media", row: parts.media })
  if (parts.debit !== undefined && parts.debit > 0) {
    changes.push({ put: "debit", organization_id: after.organization_id, amount: parts.debit })
  }
  const delta = usageDelta(before, after)
  if (delta !== null) changes.push({ put: "usage", delta })
  const dueBefore = before?.due_at ?? null
  return {
    organization_id: after.organization_id,
    changes,
    wakeups:
      after.due_at === dueBefore
        ? []
        : after.due_at === null
          ? [{ clear: { kind: "call", subject: after.execution_id } }]
          : [{ set: { kind: "call", subject: after.execution_id, at: after.due_at } }],
    events: eventsOf(before, after),
    audit: parts.audit ?? [],
  }
}
