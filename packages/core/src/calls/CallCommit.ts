import type { AuditEntry } from "../audit/AuditEntry.ts"
import { afterCall, type ContactContext, numberFree } from "../contacts/ContactProgress.ts"
import { type Change, type CommitDraft, joined } from "../engine/Commit.ts"
import { callTallies, contactTallies } from "../tallies/TallyChanges.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { Call, CallMedia } from "./Call.ts"
import { eventsOf } from "./CallEvents.ts"

/** What accompanies a change of a call in the same commit. */
export interface CallCommitParts {
  readonly media?: CallMedia | null
  readonly debit?: number
  readonly audit?: ReadonlyArray<AuditEntry>
  /** The contact of the call, whose attempt ends when the call does. */
  readonly contact?: ContactContext | null
}

/**
 * The commit that replaces `before` (null: a new call) with `after`. The wake-up follows from `due_at` and the events from the
 * difference, so no caller can forget either; neither can the tallies be forgotten, nor the contact whose attempt this was.
 */
export const callCommit = (before: Call | null, after: Call, parts: CallCommitParts = {}): CommitDraft => {
  const changes: Array<Change> = [{ put: "call", row: after }, ...callTallies(before, after)]
  if (parts.media !== undefined && parts.media !== null) changes.push({ put: "call_media", row: parts.media })
  if (parts.debit !== undefined && parts.debit > 0) {
    changes.push({ put: "debit", organization_id: after.organization_id, amount: parts.debit })
  }
  const dueBefore = before?.due_at ?? null
  const draft: CommitDraft = {
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
  const context = parts.contact ?? null
  const contact = context === null || before === null ? null : afterCall(context, before, after, after.updated_at)
  const isOver = before !== null && before.final_report_at === null && after.final_report_at !== null
  if (context === null) return draft
  return joined(
    draft,
    contact === null ? {} : contactChange(context.contact, contact, after.updated_at),
    isOver ? numberFreed(context.heir, after.updated_at) : {},
  )
}

/** The part of a commit that lets the next contact with a number be dialled, the call to it being over. */
export const numberFreed = (heir: Contact | null, now: number): Partial<CommitDraft> =>
  heir === null ? {} : contactChange(heir, numberFree(heir, now), now)

/** The part of a commit that changes a contact: its row, its tallies, and a look of the dispatcher. */
export const contactChange = (before: Contact | null, after: Contact, now: number): Partial<CommitDraft> => ({
  changes: [{ put: "contact", row: after }, ...contactTallies(before, after)],
  wakeups: [{ set: { kind: "dispatch", subject: after.organization_id, at: now } }],
})
