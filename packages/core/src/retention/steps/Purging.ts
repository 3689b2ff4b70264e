import type { Batch } from "../../batches/rules/Batch.ts"
import { isFinishedBatch } from "../../batches/rules/BatchStatus.ts"
import { attemptsOf, longestCapMs } from "../../callees/rules/CallCaps.ts"
import type { Callee } from "../../callees/rules/Callee.ts"
import type { KnownCallees } from "../../callees/ports/CalleeStore.ts"
import type { Call } from "../../calls/rules/Call.ts"
import { type Contact, contactId, isWaiting } from "../../contacts/rules/Contact.ts"
import { discard, put, remove, type RowChange } from "../../engine/rules/Outcome.ts"
import { erasedEvent, isOver } from "../../erasure/rules/Erased.ts"
import { limits } from "../../Limits.ts"
import type { ListPlace, Placed } from "../../Pagination.ts"
import { figure, type Tally } from "../../tallies/rules/Tally.ts"
import { isFinished } from "../../webhooks/rules/Delivery.ts"
import type { DeliveryStanding } from "../../webhooks/ports/DeliveryStore.ts"
import type { WebhookEvent } from "../../webhooks/rules/WebhookEvent.ts"
import type { Purge, PurgedCounts } from "../rules/PurgeRow.ts"

const dayMs = 24 * 3_600_000

export const nothingGone: PurgedCounts = { calls: 0, contacts: 0, events: 0, deliveries: 0 }

export const isAny = ({ callees = 0, calls, contacts, deliveries, events }: PurgedCounts): boolean =>
  callees + calls + contacts + deliveries + events > 0

const calleesOfBoth = (one: PurgedCounts, other: Partial<PurgedCounts>): Pick<PurgedCounts, "callees"> => {
  const sum = (one.callees ?? 0) + (other.callees ?? 0)
  return sum === 0 ? {} : { callees: sum }
}

const plus = (one: PurgedCounts, other: Partial<PurgedCounts>): PurgedCounts => ({
  calls: one.calls + (other.calls ?? 0),
  contacts: one.contacts + (other.contacts ?? 0),
  events: one.events + (other.events ?? 0),
  deliveries: one.deliveries + (other.deliveries ?? 0),
  ...calleesOfBoth(one, other),
})

/** A walk that begins. What the last one has not told of, this one does. */
export const walkFrom = (
  known: Purge | null,
  organizationId: string,
  walk: Pick<Purge, "before" | "days">,
  now: number,
): Purge => ({
  organization_id: organizationId,
  revision: known?.revision ?? 0,
  ...walk,
  began_at: now,
  place: { of: "batches", after: known?.settled ?? null },
  settled: known?.settled ?? null,
  calls_settled: known?.calls_settled ?? null,
  calls_before: known?.calls_before ?? null,
  gone: known?.gone ?? nothingGone,
})

/** How long a walk rests after a step that took so long: who takes long does so because others are busy, too. */
export const restAfter = (tookMs: number): number => Math.max(limits.purgeRestMs, tookMs * limits.purgeRestTimes)

/** The walk to go on with, or when the next one begins. Other days begin another one at once. */
export const walkAt = (known: Purge | null, organizationId: string, days: number, now: number): Purge | number => {
  if (known !== null && known.days === days) {
    if (known.place !== null) return known
    const next = known.began_at + limits.purgeLookMs
    if (next > now) return next
  }
  return walkFrom(known, organizationId, { days, before: now - days * dayMs }, now)
}

/** Whether the contacts of a batch go: it has ended before, they are still there, and nobody of them is in a call. */
export const isBatchDue = (batch: Batch, before: number): boolean =>
  isFinishedBatch(batch.status) && batch.purged_at === undefined && (batch.completed_at ?? batch.updated_at) < before

export const isStill = (tally: Tally): boolean => figure(tally, "contact:in_progress") === 0

/** Whether a call has ended before, and nothing more will be asked or heard of it. */
export const isCallDue = (call: Call, before: number): boolean =>
  isOver(call) && (call.completed_at ?? call.updated_at) < before

/** Whether a call's contact is done with, or gone. What is planned for a contact goes on from its calls. */
export const isDoneWith = (contact: Contact | null): boolean =>
  contact === null || !(contact.status === "in_progress" || isWaiting(contact.status))

/** An event of a call, and the row of it where its place is kept. */
export interface SeenEvent {
  readonly event_id: string
  readonly is_waiting: boolean
  readonly kept: WebhookEvent | null
}

/** A call with all that goes with it. */
export interface SeenCall {
  /** The call itself, and the records that were folded into it. */
  readonly records: ReadonlyArray<Call>
  readonly events: ReadonlyArray<SeenEvent>
  readonly deliveries: ReadonlyArray<DeliveryStanding>
  /** There are more deliveries than were looked at. */
  readonly isMore: boolean
}

/** Whether each webhook of it is settled. */
export const isSettled = ({ deliveries, events, isMore }: SeenCall): boolean =>
  !isMore && deliveries.every(isFinished) && !events.some(({ is_waiting }) => is_waiting)

/** What a walk has read to go on: of batches and calls a page, which has no rows where there are no more, and which of it goes. */
export type Seen =
  | {
      readonly of: "batches"
      readonly rows: ReadonlyArray<Placed<Batch>>
      readonly due: Batch | null
    }
  | { readonly of: "contacts"; readonly batch: Batch | null }
  | {
      readonly of: "calls"
      readonly rows: ReadonlyArray<Placed<Call>>
      readonly done: ReadonlyArray<SeenCall>
    }
  | { readonly of: "callees"; readonly known: KnownCallees }

/** How a walk stands after a step, and what the step writes besides. */
export interface Stepped {
  readonly walk: Purge
  readonly changes: ReadonlyArray<RowChange>
}

/** Calls that were created so long before a walk are all there: no commit takes so long. */
const lateMs = dayMs

const isSame = (one: ListPlace | null, other: ListPlace | null): boolean =>
  one?.created_at === other?.created_at && one?.sequence === other?.sequence

/** Passes over batches; those at the front of all that are purged are not looked at again by the next walk. */
const batchStep = (walk: Purge, from: ListPlace | null, seen: Extract<Seen, { of: "batches" }>, now: number) => {
  let after = from
  let { settled } = walk
  for (const { place, row: batch } of seen.rows) {
    if (batch.batch_id === seen.due?.batch_id) break
    if (batch.purged_at !== undefined && isSame(after, settled)) settled = place
    after = place
  }
  const { due } = seen
  if (due === null) {
    const isOver = seen.rows.length === 0
    const place = isOver ? ({ of: "calls", after: walk.calls_settled } as const) : ({ of: "batches", after } as const)
    return { walk: { ...walk, settled, place }, changes: [] }
  }
  const begun = due.purging_since === undefined
  return {
    walk: { ...walk, settled, place: { of: "contacts", after, batch_id: due.batch_id, row: 0 } as const },
    // From here on no revival brings it back.
    changes: begun ? [put("batch", due, { ...due, purging_since: now })] : [],
  }
}

/** Takes away the next contacts of a batch; nobody writes them any more, so they are not looked at. */
const contactStep = (
  walk: Purge,
  { after, row }: { readonly after: ListPlace | null; readonly row: number },
  batch: Batch | null,
  now: number,
): Stepped => {
  const passed = { of: "batches", after } as const
  if (batch === null) return { walk: { ...walk, place: passed }, changes: [] }
  const { batch_id, total_contacts } = batch
  const to = Math.min(row + limits.purgedContacts, total_contacts)
  const changes: Array<RowChange> = []
  for (let each = row; each < to; each++) changes.push(discard("contact", contactId(batch_id, each)))
  if (to < total_contacts) return { walk: { ...walk, place: { of: "contacts", after, batch_id, row: to } }, changes }
  return {
    walk: { ...walk, place: passed, gone: plus(walk.gone, { contacts: total_contacts }) },
    changes: [...changes, put("batch", batch, { ...batch, purged_at: now })],
  }
}

/** All that is taken away with a call. */
const callGone = ({ deliveries, events, records }: SeenCall): ReadonlyArray<RowChange> => [
  ...records.flatMap((record) => [remove("call", record), discard("call_media", record.execution_id)]),
  ...events.map(({ event_id, kept }) =>
    kept === null ? discard("event", event_id) : put("event", kept, erasedEvent(kept)),
  ),
  ...deliveries.map(({ delivery_id }) => discard("delivery", delivery_id)),
]

/** Calls at the front that are gone are not looked at again by the next walk, nor what is left of them in an index. */
const callsSettled = (
  { began_at, calls_settled }: Purge,
  after: ListPlace | null,
  { done, rows }: Extract<Seen, { of: "calls" }>,
): ListPlace | null => {
  if (!isSame(after, calls_settled)) return calls_settled
  const gone = new Set(done.flatMap(({ records }) => records.map(({ execution_id }) => execution_id)))
  const passed = rows.findIndex(({ row }) => row.created_at >= began_at - lateMs || !gone.has(row.execution_id))
  const last = passed === -1 ? rows.at(-1) : rows[passed - 1]
  return last?.place ?? calls_settled
}

const callStep = (walk: Purge, from: ListPlace | null, seen: Extract<Seen, { of: "calls" }>): Stepped => {
  const { done, rows } = seen
  const last = rows.at(-1)
  const created = done.flatMap(({ records }) => records.map(({ created_at }) => created_at + 1))
  const counted = (size: (seen: SeenCall) => number) => done.reduce((sum, seen) => sum + size(seen), 0)
  return {
    walk: {
      ...walk,
      place: last === undefined ? { of: "callees", after: null } : { of: "calls", after: last.place },
      calls_settled: callsSettled(walk, from, seen),
      calls_before: created.length === 0 ? walk.calls_before : Math.max(walk.calls_before ?? 0, ...created),
      gone: plus(walk.gone, {
        calls: done.length,
        events: counted(({ events }) => events.length),
        deliveries: counted(({ deliveries }) => deliveries.length),
      }),
    },
    changes: done.flatMap((each) => callGone(each)),
  }
}

/**
 * Whether nothing that is known of a number counts any more. One that must not be called stays, also where that has ended: to take it from the list is
 * the customer's. What a cap may still count stays, however short rows are kept.
 */
const isCalleeDue = (callee: Callee, before: number, now: number): boolean =>
  callee.suppressions.length === 0 && attemptsOf(callee).every(({ at }) => at < before && at <= now - longestCapMs)

const calleeStep = (walk: Purge, { callees, last }: KnownCallees, now: number): Stepped => {
  const due = callees.filter((callee) => isCalleeDue(callee, walk.before, now))
  return {
    walk: {
      ...walk,
      place: callees.length === 0 ? null : { of: "callees", after: last },
      gone: plus(walk.gone, { callees: due.length }),
    },
    changes: due.map((callee) => remove("callee", callee)),
  }
}

/** The next step of a walk by what it has read. */
export const stepOf = (walk: Purge, seen: Seen, now: number): Stepped => {
  const { place } = walk
  if (seen.of === "batches" && place?.of === "batches") return batchStep(walk, place.after, seen, now)
  if (seen.of === "contacts" && place?.of === "contacts") return contactStep(walk, place, seen.batch, now)
  if (seen.of === "calls" && place?.of === "calls") return callStep(walk, place.after, seen)
  if (seen.of === "callees" && place?.of === "callees") return calleeStep(walk, seen.known, now)
  return { walk, changes: [] }
}
