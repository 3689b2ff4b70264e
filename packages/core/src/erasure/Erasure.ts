import { Context, Effect, Layer } from "effect"
import { Audit } from "../audit/Audit.ts"
import type { Batch } from "../batches/Batch.ts"
import { BatchStore } from "../batches/BatchStore.ts"
import { CalleeStore } from "../callees/CalleeStore.ts"
import { erasedCallee } from "../callees/Suppression.ts"
import type { Call } from "../calls/Call.ts"
import { Lifecycle } from "../campaigns/Lifecycle.ts"
import { type CallFilter, CallStore } from "../calls/CallStore.ts"
import { foldedInto } from "../calls/Surviving.ts"
import { contactId, isWaiting } from "../contacts/Contact.ts"
import { untouched } from "../contacts/ContactProgress.ts"
import { type ContactRow, ContactStore } from "../contacts/ContactStore.ts"
import { type Decision, unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { change, put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { InvalidField, NotFound, type PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import { isE164 } from "../phone/E164.ts"
import { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import { eventIdsOf, type WebhookEvent } from "../webhooks/WebhookEvent.ts"
import { erasedCall, erasedEntry, erasedMedia, eventGone, isOver, neverDialled } from "./Erased.ts"

/** What the carrier, or whoever keeps recordings, still has of a call that was erased here. */
export interface KeptElsewhere {
  readonly execution_id: string
  readonly call_sid: string | null
  readonly recording_url: string | null
}

/** What an erasure came to. */
export interface ErasureReport {
  /** Calls that were erased. */
  readonly calls: number
  /** Contacts that were erased; those that waited to be dialled are over. */
  readonly contacts: number
  /** Events that were erased; none of them is sent again. */
  readonly events: number
  /** Calls and contacts that are under way still, or booked, or of which a webhook is still to be sent: they are as they were. Erase again later. */
  readonly under_way: ReadonlyArray<string>
  /** What is to be erased by others. */
  readonly elsewhere: ReadonlyArray<KeptElsewhere>
  /** False: there is more of the person than one erasure takes, or it broke off. Erase again. */
  readonly is_whole: boolean
}

interface ErasureShape {
  /**
   * Erases a person, known by an E.164 number, from an organization: the number, variables, transcripts, recordings' addresses, analyses and
   * webhook bodies. Counts, costs and the audit chain stay as they are, and so does that the number must not be called, without what was said of
   * it. It looks at every contact of the organization. What comes afterwards is not held back. Fails with `InvalidField` or `NotFound`.
   */
  readonly erase: (
    organizationId: string,
    number: string,
  ) => Effect.Effect<ErasureReport, InvalidField | NotFound | PortError>
}

/** What was done to a call. */
type Outcome =
  | { readonly _tag: "Nothing" | "UnderWay" }
  | { readonly _tag: "Erased"; readonly events: number; readonly elsewhere: KeptElsewhere }

/** Counts what an erasure does. */
class Count {
  calls = 0
  contacts = 0
  events = 0
  readonly underWay = new Set<string>()
  readonly elsewhere: Array<KeptElsewhere> = []

  call(executionId: string, outcome: Outcome): void {
    if (outcome._tag === "UnderWay") this.underWay.add(executionId)
    if (outcome._tag !== "Erased") return
    this.calls += 1
    this.events += outcome.events
    this.elsewhere.push(outcome.elsewhere)
  }

  report(is_whole: boolean): ErasureReport {
    const { calls, contacts, elsewhere, events, underWay } = this
    return { calls, contacts, events, under_way: [...underWay], elsewhere, is_whole }
  }
}

/** The calls of a person: those to the number, and those that came from it. */
const filtersOf = (number: string): ReadonlyArray<CallFilter> => [
  { to_number: number, direction: "outbound" },
  { from_number: number, direction: "inbound" },
]

/** Erases persons from the rows (docs/guides/erasure.md). */
export class Erasure extends Context.Service<Erasure, ErasureShape>()("@carillon/core/erasure/Erasure") {
  static readonly layer = Layer.effect(
    Erasure,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const calls = yield* CallStore
      const batches = yield* BatchStore
      const contacts = yield* ContactStore
      const callees = yield* CalleeStore
      const deliveries = yield* DeliveryStore
      const audit = yield* Audit
      const steps = yield* Steps
      const clock = yield* DomainClock
      const lifecycle = yield* Lifecycle

      const eventsOf = Effect.fnUntraced(function* (call: Call) {
        const found: Array<WebhookEvent> = []
        for (const id of eventIdsOf(call)) {
          const event = yield* deliveries.event(id)
          if (event !== null && event.erased !== true) found.push(event)
        }
        return found
      })

      /** Whether some webhook of a record is still to be sent. */
      const isSending = Effect.fnUntraced(function* ({ execution_id, organization_id }: Call) {
        const first = { page: 1, page_size: 1 }
        for (const status of ["pending", "retrying"] as const) {
          const { total } = yield* deliveries.page(organization_id, { execution_id, status }, first, clock.now())
          if (total > 0) return true
        }
        return false
      })

      const seen = Effect.fnUntraced(function* (organizationId: string, executionId: string) {
        const call = yield* calls.find(organizationId, executionId)
        if (call === null || call.erased_at !== undefined) return null
        const records = [call, ...(yield* foldedInto(calls, call))]
        const events = (yield* Effect.forEach(records, eventsOf)).flat()
        const sending = yield* Effect.forEach(records, isSending)
        const isSettled = events.every(({ routed_at }) => routed_at !== null) && !sending.includes(true)
        const media = yield* calls.media(organizationId, executionId)
        return { call, records, events, media, isDone: isOver(call) && isSettled }
      })

      const eraseCall = Effect.fnUntraced(function* (organizationId: string, executionId: string) {
        const { reply } = yield* steps.run(seen(organizationId, executionId), (view, now): Decision<Outcome> => {
          if (view === null) return unchanged({ _tag: "Nothing" })
          if (!view.isDone) return unchanged({ _tag: "UnderWay" })
          const { call, events, media } = view
          const records = view.records.map((record) => change("call", record, erasedCall(record, now), now))
          const ofMedia = media === null ? [] : [put("call_media", media, erasedMedia(media))]
          return write(
            {
              organization_id: organizationId,
              changes: [...records.flatMap(({ changes }) => changes), ...ofMedia, ...events.map(eventGone)],
              wakeups: records.flatMap(({ wakeups }) => wakeups),
            },
            {
              _tag: "Erased",
              events: events.length,
              elsewhere: { execution_id: executionId, call_sid: call.call_sid, recording_url: call.recording_url },
            },
          )
        })
        return reply
      })

      /** Erases calls until there are none, or enough; whether there are none. What is erased is in the list no more, and moves up what follows. */
      const eraseCalls = Effect.fnUntraced(function* (organizationId: string, filter: CallFilter, count: Count) {
        for (let page = 1; count.calls < limits.erasedCalls;) {
          const { items } = yield* calls.page(organizationId, filter, { page, page_size: limits.erasurePage })
          const before = count.calls
          for (const { execution_id } of items) count.call(execution_id, yield* eraseCall(organizationId, execution_id))
          if (count.calls > before) continue
          if (items.length < limits.erasurePage) return true
          page += 1
        }
        return false
      })

      const eraseContact = Effect.fnUntraced(function* (batch: Batch, row: number, number: string, count: Count) {
        const id = contactId(batch.batch_id, row)
        const { reply } = yield* steps.run(
          contacts.find(batch.batch_id, row),
          (place, now): Decision<Outcome["_tag"]> => {
            if (place === null || place.entry.to_number !== number) return unchanged("Nothing")
            const { contact } = place
            if (contact?.status === "in_progress") return unchanged("UnderWay")
            if (contact !== null && !isWaiting(contact.status)) return unchanged("Erased")
            const { changes, wakeups } = change(
              "contact",
              contact,
              neverDialled(contact ?? untouched(batch, id, row)),
              now,
            )
            // It may have been the last that its batch waited for, and the process may end before it has settled that.
            const look = { set: { kind: "dispatch", subject: batch.organization_id, at: now } } as const
            return write({ organization_id: batch.organization_id, changes, wakeups: [...wakeups, look] }, "Erased")
          },
        )
        if (reply === "UnderWay") count.underWay.add(id)
        if (reply !== "Erased") return
        // Only now, when nobody dials it any more; where this fails, the number is found again. It may have gone meanwhile.
        yield* contacts.replace(batch.batch_id, row, erasedEntry)
        count.contacts += 1
      })

      const eraseContacts = Effect.fnUntraced(function* (batch: Batch, number: string, count: Count) {
        const before = count.contacts
        for (let row = 0; row < batch.total_contacts;) {
          const places: ReadonlyArray<ContactRow> = yield* contacts.rows(batch.batch_id, row, limits.erasureRows)
          for (const place of places) {
            if (place.entry.to_number === number) yield* eraseContact(batch, place.row, number, count)
          }
          row = (places.at(-1)?.row ?? batch.total_contacts) + 1
        }
        if (count.contacts > before) yield* lifecycle.settle(batch.batch_id)
      })

      /** Every batch of the organization; one that comes meanwhile moves others back, so that none is missed. */
      const eachBatch = Effect.fnUntraced(function* (
        organizationId: string,
        visit: (batch: Batch) => Effect.Effect<void, PortError>,
      ) {
        for (let page = 1; ; page++) {
          const { items } = yield* batches.page(organizationId, {}, { page, page_size: limits.erasurePage })
          yield* Effect.forEach(items, visit, { discard: true })
          if (items.length < limits.erasurePage) return
        }
      })

      /** That the number must not be called stays: it is there for the person. What was said of it goes. */
      const eraseWords = (organizationId: string, number: string) =>
        steps.run(callees.find(organizationId, number), (callee, now) => {
          const erased = callee === null ? null : erasedCallee(callee, now)
          if (erased === null || erased === callee) return unchanged(undefined)
          return write({ organization_id: organizationId, changes: [put("callee", callee, erased)] }, undefined)
        })

      const recorded = (organizationId: string, { calls, contacts, events }: Count) => {
        const resource = { type: "organization", id: organizationId }
        const details = { calls, contacts, events }
        const entry = audit.bySystem(organizationId, { action: "person.erase", resource, details })
        return steps.commit({ organization_id: organizationId, audit: [entry] })
      }

      return Erasure.of({
        erase: Effect.fnUntraced(function* (organizationId, number) {
          if (!isE164(number)) return yield* new InvalidField({ field: "number", reason: "must be an E.164 number" })
          if ((yield* accounts.organization(organizationId)) === null) {
            return yield* new NotFound({ message: "Organization not found." })
          }
          const count = new Count()
          yield* eachBatch(organizationId, (batch) => eraseContacts(batch, number, count))
          yield* eraseWords(organizationId, number)
          const rest = Effect.gen(function* () {
            const ends = yield* Effect.forEach(filtersOf(number), (filter) => eraseCalls(organizationId, filter, count))
            yield* recorded(organizationId, count)
            return !ends.includes(false)
          })
          // What others still have of the calls is told here and nowhere else.
          const isWhole = yield* Effect.catch(rest, (failure) =>
            count.calls === 0
              ? Effect.fail(failure)
              : Effect.as(Effect.logWarning("An erasure broke off. Erase again.", failure), false),
          )
          return count.report(isWhole)
        }),
      })
    }),
  )
}
