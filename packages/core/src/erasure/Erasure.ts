import { Context, Effect, Layer } from "effect"
import type { Batch } from "../batches/rules/Batch.ts"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import { type CallFilter, CallStore } from "../calls/ports/CallStore.ts"
import { contactId } from "../contacts/rules/Contact.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import type { ContactRow } from "../contacts/rules/PlacedContact.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import { InvalidField, NotFound, type PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { isE164 } from "../phone/E164.ts"
import { type CallErased, eraseCall, type KeptElsewhere } from "./steps/EraseCall.ts"
import { eraseContact } from "./steps/EraseContact.ts"
import { eraseWords } from "./steps/EraseWords.ts"
import { recordErasure } from "./steps/RecordErasure.ts"

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

/** Counts what an erasure does. */
class Count {
  calls = 0
  contacts = 0
  events = 0
  readonly underWay = new Set<string>()
  readonly elsewhere: Array<KeptElsewhere> = []

  call(executionId: string, outcome: CallErased): void {
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
      const steps = yield* Steps
      const clock = yield* DomainClock

      /** Erases calls until there are none, or enough; whether there are none. What is erased is in the list no more, and moves up what follows. */
      const eraseCalls = Effect.fnUntraced(function* (organizationId: string, filter: CallFilter, count: Count) {
        for (let page = 1; count.calls < limits.erasedCalls;) {
          const { items } = yield* calls.page(organizationId, filter, { page, page_size: limits.erasurePage })
          const before = count.calls
          for (const { execution_id } of items) {
            const erasing = steps.take(eraseCall, { organization_id: organizationId, execution_id, at: clock.now() })
            count.call(execution_id, yield* erasing)
          }
          if (count.calls > before) continue
          if (items.length < limits.erasurePage) return true
          page += 1
        }
        return false
      })

      const eraseOf = Effect.fnUntraced(function* (batch: Batch, place: number, number: string, count: Count) {
        const { batch_id, organization_id } = batch
        const done = yield* steps.take(eraseContact, { organization_id, batch, place, number })
        if (done === "UnderWay") count.underWay.add(contactId(batch_id, place))
        if (done !== "Erased") return
        count.contacts += 1
      })

      const eraseContacts = Effect.fnUntraced(function* (batch: Batch, number: string, count: Count) {
        for (let row = 0; row < batch.total_contacts;) {
          const places: ReadonlyArray<ContactRow> = yield* contacts.rows(batch.batch_id, row, limits.erasureRows)
          for (const place of places) {
            if (place.entry.to_number === number) yield* eraseOf(batch, place.row, number, count)
          }
          row = (places.at(-1)?.row ?? batch.total_contacts) + 1
        }
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

      return Erasure.of({
        erase: Effect.fnUntraced(function* (organizationId, number) {
          if (!isE164(number)) return yield* new InvalidField({ field: "number", reason: "must be an E.164 number" })
          if ((yield* accounts.organization(organizationId)) === null) {
            return yield* new NotFound({ message: "Organization not found." })
          }
          const count = new Count()
          yield* eachBatch(organizationId, (batch) => eraseContacts(batch, number, count))
          yield* steps.take(eraseWords, { organization_id: organizationId, number })
          const rest = Effect.gen(function* () {
            const ends = yield* Effect.forEach(filtersOf(number), (filter) => eraseCalls(organizationId, filter, count))
            const { calls, contacts, events } = count
            yield* steps.take(recordErasure, { organization_id: organizationId, calls, contacts, events })
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
