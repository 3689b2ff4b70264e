import type { AuditEntry } from "../../engine/rules/AuditEntry.ts"
import { settlesBatch } from "../../batches/rules/BatchErrand.ts"
import type { Contact } from "../../contacts/rules/Contact.ts"
import {
  afterCall,
  type AttemptContext,
  type ContactContext,
  numberFree,
} from "../../contacts/rules/ContactProgress.ts"
import type { DomainEvent } from "../../Changes.ts"
import { put, type RowChange } from "../../engine/rules/Outcome.ts"
import type { WakeupChange } from "../../engine/rules/Wakeup.ts"
import type { Errand } from "../../Errands.ts"
import { givesLineBack } from "../../limits/rules/LineErrands.ts"
import { limits } from "../../Limits.ts"
import { type Call, holdsLine } from "../rules/Call.ts"
import { settle } from "../rules/CallEvents.ts"
import { isTerminal } from "../rules/CallStatus.ts"
import { recorded } from "../rules/DialAudit.ts"

/** What a step writes and says of a change of a call. */
export interface CallChange {
  /** As it is written. */
  readonly call: Call
  readonly changes: ReadonlyArray<RowChange>
  readonly said: {
    readonly events: ReadonlyArray<DomainEvent>
    readonly kept: ReadonlyArray<AuditEntry>
    readonly wakeups?: ReadonlyArray<WakeupChange>
    readonly errands: ReadonlyArray<Errand>
  }
}

/** The line of a call goes back with a row that says so: one that is still live, or could not be written, keeps it. Null after: its record is taken back. */
export const lineBack = (before: Call | null, after: Call | null): ReadonlyArray<Errand> => {
  if (before === null || before.slot === null || !holdsLine(before)) return []
  return after !== null && holdsLine(after) ? [] : [givesLineBack(before.organization_id, before.slot)]
}

/** The batch of a call that has ended may be done. */
const batchMoved = (before: Call | null, { batch_id, organization_id, status }: Call): ReadonlyArray<Errand> => {
  const hadEnded = before !== null && isTerminal(before.status)
  return batch_id === null || hadEnded || !isTerminal(status) ? [] : [settlesBatch({ batch_id, organization_id })]
}

/**
 * Replaces `before` (null: a new call) with `changed` in a step, with its processing, its events, what is recorded of its dial, its line that goes back
 * and its batch that is moved on: all that follows from the difference, so no step can forget it. `answered` is the status with which the request for it is answered, where it still waits.
 */
export const callChange = (before: Call | null, changed: Call, answered?: number): CallChange => {
  const { call: settled, events } = settle(before, changed)
  const { audit, call } = recorded(before, settled, answered)
  const written = put("call", before, call)
  const errands = [...lineBack(before, call), ...batchMoved(before, call)]
  return { call: written.row, changes: [written], said: { events, kept: audit, errands } }
}

/** The contact of a call whose attempt ends with it; nothing where it does not. */
const attemptEnded = (context: AttemptContext | null, before: Call, call: Call): ReadonlyArray<RowChange> => {
  const contact = context === null ? null : afterCall(context, before, call, call.updated_at)
  return context === null || contact === null ? [] : [put("contact", context.contact, contact)]
}

/** The same for a call that ends, with the contact of which it may have been the attempt. */
export const endChange = (before: Call, changed: Call, context: AttemptContext | null): CallChange => {
  const { call, changes, said } = callChange(before, changed)
  return { call, changes: [...changes, ...attemptEnded(context, before, call)], said }
}

/** What is written and told beside a change of a call. */
interface Besides {
  readonly changes?: ReadonlyArray<RowChange>
  readonly answered?: number
}

/** The same for a call that may give its line back: who waits for its number may go on, and the dispatcher looks, for somebody will want the line. */
export const lastChange = (
  before: Call,
  changed: Call,
  context: ContactContext | null,
  { answered, changes: besides = [] }: Besides,
): CallChange => {
  const { call, changes, said } = callChange(before, changed, answered)
  const ended = [...changes, ...besides, ...attemptEnded(context, before, call)]
  const isOver = before.final_report_at === null && call.final_report_at !== null
  if (context === null || !isOver) return { call, changes: ended, said }
  return {
    call,
    changes: [...ended, ...heirsFreed(context.heirs, call.updated_at)],
    said: { ...said, wakeups: [dispatchLook(call.organization_id, call.updated_at)] },
  }
}

const dispatchLook = (subject: string, at: number): WakeupChange => ({ set: { kind: "dispatch", subject, at } })

/**
 * Who of all who wait for a number has the turn, the call to it being over: those that have waited the longest. They are more than one, because
 * the batch of one may be paused or stopped; where none of them is dialled, the dispatcher looks.
 */
const nextAtNumber = (heirs: ReadonlyArray<Contact>): ReadonlyArray<Contact> =>
  heirs.toSorted((one, other) => (one.waits_since ?? 0) - (other.waits_since ?? 0)).slice(0, limits.numberHeirs)

/**
 * Lets the next contacts with a number be dialled, the call to it being over. Who is set aside for a call writes its row (`waitForCall`), and so
 * does who frees them: neither can overlook the other.
 */
export const heirsFreed = (heirs: ReadonlyArray<Contact>, now: number): ReadonlyArray<RowChange> =>
  nextAtNumber(heirs).map((heir) => put("contact", heir, numberFree(heir, now)))
