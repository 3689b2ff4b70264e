import type { AuditEntry } from "../audit/AuditEntry.ts"
import { afterCall, type AttemptContext, type ContactContext, numberFree } from "../contacts/ContactProgress.ts"
import { type Change, type CommitDraft, type DomainEvent, joined } from "../engine/Commit.ts"
import { put as putRow, type RowChange } from "../engine/Outcome.ts"
import { change, put } from "../engine/Put.ts"
import type { WakeupChange } from "../engine/Wakeups.ts"
import { limits } from "../Limits.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { Call, CallMedia } from "./Call.ts"
import { settle } from "./CallEvents.ts"
import { recorded } from "./DialAudit.ts"

/** What accompanies a change of a call in the same commit. */
export interface CallCommitParts {
  readonly media?: CallMedia | null
  readonly debit?: number
  readonly audit?: ReadonlyArray<AuditEntry>
  /** With which status the request for this call is answered, where it still waits. */
  readonly answered?: number
  /** The contact of the call, whose attempt ends when the call does. */
  readonly contact?: ContactContext | null
}

/** What a step writes and says of a change of a call. */
export interface CallChange {
  /** As it is written. */
  readonly call: Call
  readonly changes: ReadonlyArray<RowChange>
  readonly said: { readonly events: ReadonlyArray<DomainEvent>; readonly kept: ReadonlyArray<AuditEntry> }
}

/** Replaces `before` (null: a new call) with `changed` in a step, with its processing, its events, and what is recorded of its dial. */
export const callChange = (before: Call | null, changed: Call): CallChange => {
  const { call: settled, events } = settle(before, changed)
  const { audit, call } = recorded(before, settled, undefined)
  const written = putRow("call", before, call)
  return { call: written.row, changes: [written], said: { events, kept: audit } }
}

/** The same for a call that ends, with the contact of which it may have been the attempt. */
export const endChange = (before: Call, changed: Call, context: AttemptContext | null): CallChange => {
  const ended = callChange(before, changed)
  const { call, changes } = ended
  const contact = context === null ? null : afterCall(context, before, call, call.updated_at)
  if (context === null || contact === null) return ended
  return { ...ended, changes: [...changes, putRow("contact", context.contact, contact)] }
}

/**
 * The commit that replaces `before` (null: a new call) with `changed`. Its processing, its wake-ups, its events and its tallies follow
 * from the difference, so no caller can forget one of them, nor the contact whose attempt this was.
 */
export const callCommit = (before: Call | null, changed: Call, parts: CallCommitParts = {}): CommitDraft => {
  const { call: settled, events } = settle(before, changed)
  const { audit, call } = recorded(before, settled, parts.answered)
  const written = change("call", before, call, call.updated_at)
  const changes: Array<Change> = [...written.changes]
  if (parts.media !== undefined && parts.media !== null) changes.push(put("call_media", null, parts.media))
  if (parts.debit !== undefined && parts.debit > 0) {
    changes.push({ put: "debit", organization_id: call.organization_id, amount: parts.debit })
  }
  const draft: CommitDraft = {
    organization_id: call.organization_id,
    changes,
    wakeups: written.wakeups,
    events,
    audit: [...audit, ...(parts.audit ?? [])],
  }
  const context = parts.contact ?? null
  if (context === null) return draft
  const contact = before === null ? null : afterCall(context, before, call, call.updated_at)
  const isOver = before !== null && before.final_report_at === null && call.final_report_at !== null
  return joined(
    draft,
    contact === null ? {} : change("contact", context.contact, contact, call.updated_at),
    isOver ? { wakeups: [dispatchLook(call.organization_id, call.updated_at)] } : {},
    ...(isOver ? numberFreed(context.heirs, call.updated_at) : []),
  )
}

/** Its line is about to be free, and somebody will want it. */
const dispatchLook = (subject: string, at: number): WakeupChange => ({ set: { kind: "dispatch", subject, at } })

/**
 * Who of all who wait for a number has the turn, the call to it being over: those that have waited the longest. They are more than one, because
 * the batch of one may be paused or stopped; where none of them is dialled, the dispatcher looks.
 */
export const nextAtNumber = (heirs: ReadonlyArray<Contact>): ReadonlyArray<Contact> =>
  heirs.toSorted((one, other) => (one.waits_since ?? 0) - (other.waits_since ?? 0)).slice(0, limits.numberHeirs)

/**
 * The parts of a commit that let the next contacts with a number be dialled, the call to it being over. Who is set aside for a call writes its
 * row (`waitForCall`), and this commit writes it, too: neither can overlook the other.
 */
export const numberFreed = (heirs: ReadonlyArray<Contact>, now: number): ReadonlyArray<Partial<CommitDraft>> =>
  nextAtNumber(heirs).map((heir) => change("contact", heir, numberFree(heir, now), now))
