import { Effect } from "effect"
import type { Batch } from "../../batches/rules/Batch.ts"
import type { Call } from "../../calls/rules/Call.ts"
import { foldedInto } from "../../calls/steps/Surviving.ts"
import { type Contact, placeOf } from "../../contacts/rules/Contact.ts"
import { glance, list, type Reading, row } from "../../engine/steps/Reading.ts"
import type { ListDescription } from "../../engine/steps/SetDescription.ts"
import type { PortError } from "../../Errors.ts"
import { limits } from "../../Limits.ts"
import type { ListPlace, Placed } from "../../Pagination.ts"
import type { Sources } from "../../Sources.ts"
import { eventIdsOf } from "../../webhooks/rules/WebhookEvent.ts"
import {
  isBatchDue,
  isCallDue,
  isDoneWith,
  isSettled,
  isStill,
  type Seen,
  type SeenCall,
  type SeenEvent,
} from "./Purging.ts"
import type { Purge } from "../rules/PurgeRow.ts"

/** A page of rows together: each is asked for by its id, and stores answer all of them at once. */
const together = { concurrency: "unbounded" } as const

/** Where a walk goes on. */
interface From {
  readonly walk: Purge
  readonly after: ListPlace | null
}

/** A page of batches, and the first of them whose contacts go. */
const batchesFrom: ListDescription<From, Extract<Seen, { of: "batches" }>> = {
  members: "the next batches of a walk, and what is counted of those that have ended",
  read: ({ batches, tallies }, { after, walk }) =>
    Effect.gen(function* () {
      const request = { before: walk.before, after, limit: limits.purgedBatches }
      const rows: ReadonlyArray<Placed<Batch>> = yield* batches.oldest(walk.organization_id, request)
      for (const { row: batch } of rows) {
        if (isBatchDue(batch, walk.before) && isStill(yield* tallies.read(batch.batch_id))) {
          return { of: "batches", rows, due: batch }
        }
      }
      return { of: "batches", rows, due: null }
    }),
}

/** A call with the records that were folded into it, and the ids of all events that they may have raised. */
const withRecords = ({ calls }: Sources, call: Call) =>
  Effect.map(foldedInto(calls, call), (folded) => {
    const records = [call, ...folded]
    return { records, eventIds: records.flatMap(eventIdsOf) }
  })

/** What was told of calls is looked at for all of them together, and without what it says. */
const seenWith = Effect.fnUntraced(function* (
  sources: Sources,
  organizationId: string,
  due: ReadonlyArray<Call>,
): Effect.fn.Return<ReadonlyArray<SeenCall>, PortError> {
  if (due.length === 0) return []
  const { deliveries } = sources
  const found = yield* Effect.forEach(due, (call) => withRecords(sources, call), together)
  const standings = yield* deliveries.standings(organizationId, {
    event_ids: found.flatMap(({ eventIds }) => eventIds),
    execution_ids: found.flatMap(({ records }) => records.map(({ execution_id }) => execution_id)),
    deliveries_of_call: limits.deliveriesOfCall + 1,
  })
  const seen = yield* Effect.forEach(
    standings.events,
    ({ event_id, is_kept, is_waiting }) =>
      Effect.map(is_kept ? deliveries.event(event_id) : Effect.succeed(null), (kept): SeenEvent => ({
        event_id,
        is_waiting,
        kept,
      })),
    together,
  )
  // Nothing is left to take away where its place is all that there still is.
  const left = seen.filter(({ kept }) => kept?.erased !== true)
  const events = new Map(left.map((each) => [each.event_id, each] as const))
  const sent = Map.groupBy(standings.deliveries, ({ execution_id }) => execution_id)
  return found.map(({ eventIds, records }): SeenCall => {
    const ofRecords = records.map(({ execution_id }) => sent.get(execution_id) ?? [])
    return {
      records,
      events: eventIds.flatMap((id) => events.get(id) ?? []),
      deliveries: ofRecords.flat(),
      isMore: ofRecords.some(({ length }) => length > limits.deliveriesOfCall),
    }
  })
})

const contactOf = ({ contacts }: Sources, { contact_id }: Call): Effect.Effect<Contact | null, PortError> => {
  const place = contact_id === null ? null : placeOf(contact_id)
  return place === null
    ? Effect.succeed(null)
    : Effect.map(contacts.find(place.batch_id, place.row), (found) => found?.contact ?? null)
}

/** A page of calls, and those of them that go, with all that goes with them. */
const callsFrom: ListDescription<From, Extract<Seen, { of: "calls" }>> = {
  members: "the next calls of a walk, with their contacts, events and deliveries",
  read: (sources, { after, walk }) =>
    Effect.gen(function* () {
      const request = { before: walk.before, after, limit: limits.purgedCalls }
      const rows = yield* sources.calls.oldest(walk.organization_id, request)
      const due = rows.map(({ row: call }) => call).filter((call) => isCallDue(call, walk.before))
      // Of a campaign that is paused for long all are passed over, so little is read of those.
      const madeFor = yield* Effect.forEach(due, (call) => contactOf(sources, call), together)
      const over = due.filter((_, nth) => isDoneWith(madeFor[nth] ?? null))
      const done = (yield* seenWith(sources, walk.organization_id, over)).filter(isSettled)
      return { of: "calls", rows, done }
    }),
}

/** Where a walk over callees goes on. */
interface FromCallee {
  readonly organization_id: string
  readonly after: string | null
}

const calleesFrom: ListDescription<FromCallee, Extract<Seen, { of: "callees" }>> = {
  members: "the next callees of a walk",
  read: ({ callees }, { after, organization_id }) =>
    Effect.map(callees.known(organization_id, after, limits.purgedCallees), (known) => ({ of: "callees", known })),
}

/** What a walk reads to go on; null where it is over. */
export function* seenBy(walk: Purge): Reading<Seen | null> {
  const { organization_id, place } = walk
  switch (place?.of) {
    case "batches":
      return yield* glance(
        "grows",
        "Nobody of a batch that has ended comes into a call; the batch whose contacts begin to go is written.",
        list(batchesFrom, { walk, after: place.after }),
      )
    case "contacts":
      return { of: "contacts", batch: yield* row("batch", place.batch_id, { of: organization_id }) }
    case "calls":
      return yield* glance(
        "grows",
        "Webhooks stay settled, and contacts done with; each call that goes is removed as it was read.",
        list(callsFrom, { walk, after: place.after }),
      )
    case "callees":
      return yield* glance(
        "grows",
        "A number that is passed over is looked at by the next walk; each callee that goes is removed as it was read.",
        list(calleesFrom, { organization_id, after: place.after }),
      )
    case undefined:
      return null
  }
}
