import { Context, Effect, Layer, Semaphore } from "effect"
import { Audit } from "../audit/Audit.ts"
import { BatchStore } from "../batches/BatchStore.ts"
import type { Call } from "../calls/Call.ts"
import { CallStore } from "../calls/CallStore.ts"
import { foldedInto } from "../calls/Surviving.ts"
import { placeOf } from "../contacts/Contact.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { Activity } from "../engine/Activity.ts"
import { type CommitDraft, type Decision, joined, unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import type { Wakeup } from "../engine/Wakeups.ts"
import { walkRows } from "../engine/Walk.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import type { Organization } from "../organizations/Organization.ts"
import type { ListPlace } from "../Pagination.ts"
import { TallyStore } from "../tallies/TallyStore.ts"
import { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import { eventIdsOf } from "../webhooks/WebhookEvent.ts"
import type { Purge, PurgedCounts } from "./PurgeRow.ts"
import { purgeWakeup } from "./PurgeWakeup.ts"
import {
  isAny,
  isBatchDue,
  isCallDue,
  isDoneWith,
  isSettled,
  isStill,
  nothingGone,
  restAfter,
  type Seen,
  type SeenCall,
  type SeenEvent,
  stepOf,
  walkAt,
  walkFrom,
} from "./Purging.ts"

interface RetentionShape {
  /**
   * One small step on the walk that takes away what an organization has kept for its time. Returns when to look again; null where it keeps
   * everything.
   */
  readonly sweep: (organizationId: string) => Effect.Effect<number | null, PortError>
  /**
   * Takes away at once what has ended before a moment (epoch milliseconds), one step after the other, and returns what has gone. It is not for
   * an organization that is swept at the same time.
   */
  readonly purge: (organizationId: string, before: number) => Effect.Effect<PurgedCounts, PortError>
  /** Sets the wake-up of every organization that keeps rows for a time; returns how many. */
  readonly look: (set: (wakeup: Wakeup) => Effect.Effect<void, PortError>) => Effect.Effect<number, PortError>
}

/** A walk after a step, and what has gone, where the audit trail was told of it. */
interface Reply {
  readonly walk: Purge
  readonly told: PurgedCounts
}

/** A page of rows together: each is asked for by its id, and stores answer all of them at once. */
const together = { concurrency: "unbounded" } as const

/** Takes away what organizations have kept for their time, in steps that hold up nobody (docs/guides/retention.md). */
export class Retention extends Context.Service<Retention, RetentionShape>()("@carillon/core/retention/Retention") {
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const calls = yield* CallStore
      const batches = yield* BatchStore
      const contacts = yield* ContactStore
      const deliveries = yield* DeliveryStore
      const tallies = yield* TallyStore
      const activity = yield* Activity
      const audit = yield* Audit
      const steps = yield* Steps
      const clock = yield* DomainClock
      const turn = Semaphore.makeUnsafe(limits.purgesAtOnce)

      /** A call with the records that were folded into it, and the ids of all events that they may have raised. */
      const withRecords = (call: Call) =>
        Effect.map(foldedInto(calls, call), (folded) => {
          const records = [call, ...folded]
          return { records, eventIds: records.flatMap(eventIdsOf) }
        })

      /** What was told of calls is looked at for all of them together, and without what it says. */
      const seenWith = Effect.fnUntraced(function* (organizationId: string, due: ReadonlyArray<Call>) {
        if (due.length === 0) return []
        const found = yield* Effect.forEach(due, withRecords, together)
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

      const contactOf = ({ contact_id }: Call) => {
        const place = contact_id === null ? null : placeOf(contact_id)
        return place === null
          ? Effect.succeed(null)
          : Effect.map(contacts.find(place.batch_id, place.row), (row) => row?.contact ?? null)
      }

      const seenCalls = Effect.fnUntraced(function* (walk: Purge, after: ListPlace | null) {
        const request = { before: walk.before, after, limit: limits.purgedCalls }
        const rows = yield* calls.oldest(walk.organization_id, request)
        const due = rows.map(({ row }) => row).filter((call) => isCallDue(call, walk.before))
        // Of a campaign that is paused for long all are passed over, so little is read of those.
        const madeFor = yield* Effect.forEach(due, contactOf, together)
        const over = due.filter((_, nth) => isDoneWith(madeFor[nth] ?? null))
        const done = (yield* seenWith(walk.organization_id, over)).filter(isSettled)
        return { of: "calls", rows, done } satisfies Seen
      })

      const seenBatches = Effect.fnUntraced(function* (walk: Purge, after: ListPlace | null) {
        const request = { before: walk.before, after, limit: limits.purgedBatches }
        const rows = yield* batches.oldest(walk.organization_id, request)
        for (const { row: batch } of rows) {
          if (isBatchDue(batch, walk.before) && isStill(yield* tallies.read(batch.batch_id))) {
            return { of: "batches", rows, due: batch } satisfies Seen
          }
        }
        return { of: "batches", rows, due: null } satisfies Seen
      })

      const seenBy = (walk: Purge): Effect.Effect<Seen | null, PortError> => {
        const { organization_id, place } = walk
        switch (place?.of) {
          case "batches":
            return seenBatches(walk, place.after)
          case "contacts":
            return Effect.map(batches.find(organization_id, place.batch_id), (batch) => ({ of: "contacts", batch }))
          case "calls":
            return seenCalls(walk, place.after)
          case undefined:
            return Effect.succeed(null)
        }
      }

      /** Writes how a walk stands. Once it is over, the audit trail is told what has gone. */
      const standing = (known: Purge | null, walk: Purge, draft: Partial<CommitDraft>): Decision<Reply> => {
        const { days, gone, organization_id, place } = walk
        const isTold = place === null && isAny(gone)
        const after = put("purge", known, isTold ? { ...walk, gone: nothingGone } : walk)
        const resource = { type: "organization", id: organization_id }
        const action = { action: "retention.purge", resource, details: { ...gone, days } }
        const entries = isTold ? [audit.bySystem(organization_id, action)] : []
        const reply = { walk: after.row, told: isTold ? gone : nothingGone }
        return write(joined({ organization_id, changes: [after], audit: entries }, draft), reply)
      }

      /** One step of the walk that is chosen by the last one; a time is when there is one again. */
      const step = Effect.fnUntraced(function* (
        organizationId: string,
        choose: (known: Purge | null, now: number) => Purge | number,
      ) {
        const view = Effect.gen(function* () {
          const known = yield* accounts.purge(organizationId)
          const walk = choose(known, clock.now())
          return typeof walk === "number" ? walk : { known, walk, seen: yield* seenBy(walk) }
        })
        const { reply } = yield* steps.run(view, (found, now): Decision<Reply | number> => {
          if (typeof found === "number") return unchanged(found)
          const { known, seen, walk } = found
          const stepped = seen === null ? { walk, draft: {} } : stepOf(walk, seen, now)
          return standing(known, stepped.walk, stepped.draft)
        })
        return reply
      })

      /** Ends a walk whose organization keeps everything from now on. */
      const stop = (organizationId: string) =>
        steps.run(accounts.purge(organizationId), (known): Decision<Reply | null> => {
          if (known === null || (known.place === null && !isAny(known.gone))) return unchanged(null)
          return standing(known, { ...known, place: null }, {})
        })

      return Retention.of({
        sweep: Effect.fnUntraced(function* (organizationId) {
          const days = (yield* accounts.organization(organizationId))?.retention_days ?? null
          if (days === null) return yield* Effect.as(stop(organizationId), null)
          const next = step(organizationId, (known, now) => walkAt(known, organizationId, days, now))
          const timed = Effect.suspend(() => {
            const began = clock.now()
            return Effect.map(next, (reply) => ({ reply, tookMs: clock.now() - began }))
          })
          const { reply, tookMs } = yield* activity.inTurn(turn, timed)
          if (typeof reply === "number") return reply
          const { began_at, place } = reply.walk
          return place === null ? began_at + limits.purgeLookMs : clock.now() + restAfter(tookMs)
        }),
        purge: Effect.fnUntraced(function* (organizationId, before) {
          const began = clock.now()
          let walk: Purge | null = null
          for (;;) {
            const reply: Reply | number = yield* step(organizationId, (known) =>
              walk === null || known === null ? walkFrom(known, organizationId, { days: null, before }, began) : known,
            )
            if (typeof reply === "number" || reply.walk.place === null) {
              return typeof reply === "number" ? nothingGone : reply.told
            }
            walk = reply.walk
          }
        }),
        look: Effect.fnUntraced(function* (set) {
          let count = 0
          const idOf = ({ organization_id }: Organization) => organization_id
          yield* walkRows(accounts.organizations, idOf, limits.organizationPage, (organization) => {
            if ((organization.retention_days ?? null) === null) return Effect.void
            count += 1
            return set(purgeWakeup(organization.organization_id, clock.now()))
          })
          return count
        }),
      })
    }),
  )
}
