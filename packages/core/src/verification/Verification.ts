import { Context, Effect, Layer } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import type { Batch } from "../batches/rules/Batch.ts"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import type { Call } from "../calls/rules/Call.ts"
import { CalleeStore, type PlacedCallee } from "../callees/ports/CalleeStore.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import { CampaignStore } from "../campaigns/ports/CampaignStore.ts"
import type { ContactRow } from "../contacts/rules/PlacedContact.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { walkOldest } from "../engine/Walk.ts"
import { NotFound, type PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { Recount } from "../tallies/rules/Recount.ts"
import { batchTallies, callTallies, contactTallies } from "../tallies/rules/TallyChanges.ts"
import { usageDayMs } from "../usage/rules/Usage.ts"
import { UsageStore } from "../usage/ports/UsageStore.ts"
import { DeliveryStore } from "../webhooks/ports/DeliveryStore.ts"
import { Found, type VerificationReport } from "./rules/Found.ts"
import { attemptFault, calleeFault, callFault, deliveryFault, type Moment, waitFault } from "./rules/RowFaults.ts"
import { type BatchSubject, makeTallyJudging, type Subject } from "./TallyJudging.ts"
import { UsageRecount } from "./rules/UsageRecount.ts"

interface VerificationShape {
  /**
   * Holds the rows of an organization against the laws of the engine, and its audit trail against its chain. It reads every row once, a page at a
   * time, and writes nothing; what goes on meanwhile is not disturbed. Fails with `NotFound`.
   */
  readonly verify: (organizationId: string) => Effect.Effect<VerificationReport, NotFound | PortError>
}

const size = limits.verificationPage

/** Visits every row of a list, however long a row may be; one that comes meanwhile moves others back, so that none is missed. */
const eachOf = Effect.fnUntraced(function* <Row>(
  page: (request: PageRequest) => Effect.Effect<Page<Row>, PortError>,
  visit: (row: Row) => Effect.Effect<void, PortError>,
) {
  const page_size = limits.verificationLongRows
  for (let nth = 1; ; nth++) {
    const { items } = yield* page({ page: nth, page_size })
    yield* Effect.forEach(items, visit, { discard: true })
    if (items.length < page_size) return
  }
})

/** Looks whether all that the engine promises of its rows is so (docs/guides/server.md). */
export class Verification extends Context.Service<Verification, VerificationShape>()(
  "@carillon/core/verification/Verification",
) {
  static readonly layer = Layer.effect(
    Verification,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const campaigns = yield* CampaignStore
      const batches = yield* BatchStore
      const contacts = yield* ContactStore
      const calls = yield* CallStore
      const callees = yield* CalleeStore
      const deliveries = yield* DeliveryStore
      const tallies = yield* makeTallyJudging
      const usage = yield* UsageStore
      const trail = yield* AuditTrail
      const clock = yield* DomainClock

      /** The contact's call first: whatever ends it ends the attempt in the same commit. */
      const judgeContact = Effect.fnUntraced(function* ({ batch_id, contact, row }: ContactRow, found: Found) {
        if (contact === null) return
        found.add(waitFault(contact))
        if (contact.status !== "in_progress" || contact.last_execution_id === null) return
        const last: Call | null = yield* calls.locate(contact.last_execution_id)
        const now = attemptFault(contact, last) === null ? null : yield* contacts.find(batch_id, row)
        const isSame = now?.contact?.last_execution_id === contact.last_execution_id
        if (now?.contact && isSame) found.add(attemptFault(now.contact, last))
      })

      const readContacts = Effect.fnUntraced(function* (
        { batch_id, total_contacts }: Batch,
        sum: Recount,
        found: Found,
      ) {
        for (let row = 0; row < total_contacts;) {
          const places: ReadonlyArray<ContactRow> = yield* contacts.rows(batch_id, row, size)
          for (const place of places) {
            if (place.contact !== null) sum.add(contactTallies(null, place.contact))
            yield* judgeContact(place, found)
          }
          found.looked("contacts", places.length)
          // Some between them may be gone: so many rows on, the next ones may have been read.
          row = (places.at(-1)?.row ?? total_contacts) + 1
          yield* nextTurn
        }
      })

      const readCampaigns = Effect.fnUntraced(function* (organizationId: string, found: Found) {
        const subjects: Array<Subject> = []
        yield* eachOf(
          (request) => campaigns.page(organizationId, {}, request),
          Effect.fnUntraced(function* ({ campaign_id, created_at }) {
            found.looked("campaigns")
            subjects.push(yield* tallies.subject(campaign_id, created_at))
          }),
        )
        return subjects
      })

      const readBatches = Effect.fnUntraced(function* (organizationId: string, sum: Recount, found: Found) {
        const read: Array<BatchSubject> = []
        yield* walkOldest(
          (request) => batches.oldest(organizationId, request),
          size,
          Effect.fnUntraced(function* (batch: Batch) {
            found.looked("batches")
            read.push({ ...(yield* tallies.subject(batch.batch_id, batch.created_at)), batch })
          }),
        )
        for (const { batch } of read) {
          sum.add(batchTallies(null, batch))
          yield* readContacts(batch, sum, found)
        }
        return read
      })

      const usageByDay = (organizationId: string, { now }: Moment) =>
        usage.parts(organizationId, { from: 0, to: now - (now % usageDayMs) + 2 * usageDayMs, agent_id: null }, "day")

      const readCalls = Effect.fnUntraced(function* (
        organizationId: string,
        moment: Moment,
        sum: Recount,
        found: Found,
      ) {
        const ofUsage = new UsageRecount()
        const before = yield* usageByDay(organizationId, moment)
        yield* walkOldest(
          (request) => calls.oldest(organizationId, request),
          size,
          (call) =>
            Effect.sync(() => {
              found.looked("calls")
              found.add(callFault(call, moment))
              sum.add(callTallies(null, call))
              ofUsage.add(call)
            }),
        )
        const after = yield* usageByDay(organizationId, moment)
        // Whoever takes calls away says so in the same commit: it is asked for once they were read.
        const purge = yield* accounts.purge(organizationId)
        for (const detail of ofUsage.differences(before, after, purge?.calls_before ?? null)) {
          found.add({ law: "usage is right", detail })
        }
        return purge
      })

      const readDeliveries = (organizationId: string, moment: Moment, found: Found) =>
        walkOldest(
          (request) => deliveries.oldest(organizationId, request),
          size,
          (delivery) =>
            Effect.sync(() => {
              found.looked("deliveries")
              found.add(deliveryFault(delivery, moment))
            }),
        )

      const readCallees = Effect.fnUntraced(function* (organizationId: string, found: Found) {
        for (let after: number | undefined = 0; after !== undefined;) {
          const rows: ReadonlyArray<PlacedCallee> = yield* callees.oldest(organizationId, after, size)
          for (const { callee } of rows) found.add(calleeFault(callee))
          found.looked("callees", rows.length)
          after = rows.at(-1)?.place
          yield* nextTurn
        }
      })

      const readTrail = Effect.fnUntraced(function* (organizationId: string, found: Found) {
        const { checked, reason, valid } = yield* trail.verify(organizationId, {})
        found.looked("audit_records", checked)
        if (!valid) found.add({ law: "the audit trail holds", detail: reason ?? "" })
      })

      return Verification.of({
        verify: Effect.fnUntraced(function* (organizationId) {
          if ((yield* accounts.organization(organizationId)) === null) {
            return yield* new NotFound({ message: "Organization not found." })
          }
          const [found, sum] = [new Found(), new Recount()]
          const platform = yield* accounts.platform
          const moment = { now: clock.now(), isHeld: (platform?.hold ?? null) !== null }
          const ofCampaigns = yield* readCampaigns(organizationId, found)
          const ofBatches = yield* readBatches(organizationId, sum, found)
          const purge = yield* readCalls(organizationId, moment, sum, found)
          yield* readDeliveries(organizationId, moment, found)
          yield* readCallees(organizationId, found)
          yield* tallies.judge(ofCampaigns, ofBatches, purge, sum, found)
          yield* readTrail(organizationId, found)
          return found.report
        }),
      })
    }),
  )
}
