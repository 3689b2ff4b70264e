import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Change, CommitDraft } from "../engine/Commit.ts"
import type { Call, CallMedia } from "./Call.ts"
import { settle } from "./CallEvents.ts"

/** What accompanies a change of a call in the same commit. */
export interface CallCommitParts {
  readonly media?: CallMedia | null
  readonly debit?: number
  readonly audit?: ReadonlyArray<AuditEntry>
}

type WakeupChange = NonNullable<CommitDraft["wakeups"]>[number]

const moved = (kind: "call" | "processing", subject: string, before: number | null, after: number | null) =>
  after === before ? [] : [after === null ? { clear: { kind, subject } } : { set: { kind, subject, at: after } }]

/**
 * The commit that replaces `before` (null: a new call) with `changed`. Its processing, its wake-ups and its events follow from the
 * difference, so no caller can forget one of them.
 */
export const callCommit = (before: Call | null, changed: Call, parts: CallCommitParts = {}): CommitDraft => {
  const { call, events } = settle(before, changed)
  const changes: Array<Change> = [{ put: "call", row: call }]
  if (parts.media !== undefined && parts.media !== null) changes.push({ put: "call_media", row: parts.media })
  if (parts.debit !== undefined && parts.debit > 0) {
    changes.push({ put: "debit", organization_id: call.organization_id, amount: parts.debit })
  }
  const wakeups: ReadonlyArray<WakeupChange> = [
    ...moved("call", call.execution_id, before?.due_at ?? null, call.due_at),
    ...moved("processing", call.execution_id, before?.processing.due_at ?? null, call.processing.due_at),
  ]
  return { organization_id: call.organization_id, changes, wakeups, events, audit: parts.audit ?? [] }
}
