import { Context, Effect, Layer } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import type { Batch } from "../batches/Batch.ts"
import { BatchStore } from "../batches/BatchStore.ts"
import type { Call } from "../calls/Call.ts"
import { CalleeStore, type PlacedCallee } from "../callees/CalleeStore.ts"
import { CallStore } from "../calls/CallStore.ts"
import type { Campaign } from "../campaigns/Campaign.ts"
import { CampaignStore } from "../campaigns/CampaignStore.ts"
import type { ContactRow } from "../contacts/ContactStore.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { nextTurn } from "../engine/Pacing.ts"
import { walkOldest } from "../engine/Walk.ts"
import { NotFound, type PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { Purge } from "../retention/PurgeRow.ts"
import { isSameTally, lessTally, Recount } from "../tallies/Recount.ts"
import { figure, type Tally } from "../tallies/Tally.ts"
import { batchTallies, callTallies, contactTallies, rowsOfFigure } from "../tallies/TallyChanges.ts"
import { TallyStore } from "../tallies/TallyStore.ts"
import { usageDayMs } from "../usage/Usage.ts"
import { UsageStore } from "../usage/UsageStore.ts"
import { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import { type MayBeGone, mayCallsBeGone, tallyFaults } from "./Missing.ts"
import {
  attemptFault,
  batchFault,
  calleeFault,
  callFault,
  deliveryFault,
  type Fault,
  type Moment,
  waitFault,
} from "./RowFaults.ts"
import { UsageRecount } from "./UsageRecount.ts"

/** What a verification has found. */
export interface VerificationReport {
  /** Rows that were looked at. */
  readonly rows: {
    readonly campaigns: number
    readonly batches: number
    readonly contacts: number
    readonly calls: number
    readonly deliveries: number
    /** Numbers that are suppressed, or were for a time. */
    readonly callees: number
    readonly audit_records: number
  }
  /** Campaigns and batches whose counts moved meanwhile, so that they could not be held against their rows. Verify again when they are still. */
  readonly moving: number
  /** What breaks a law: the first of them, and how many there are. */
  readonly faults: ReadonlyArray<Fault>
  readonly fault_count: number
}

interface VerificationShape {
  /**
   * Holds the rows of an organization against the laws of the engine, and its audit trail against its chain. It reads every row once, a page at a
   * time, and writes nothing; what goes on meanwhile is not disturbed. Fails with `NotFound`.
   */
  readonly verify: (organizationId: string) => Effect.Effect<VerificationReport, NotFound | PortError>
}

type Kind = keyof VerificationReport["rows"]

/** What was found so far. */
class Found {
  readonly #rows = { campaigns: 0, batches: 0, contacts: 0, calls: 0, deliveries: 0, callees: 0, audit_records: 0 }
  readonly #faults: Array<Fault> = []
  #count = 0
  moving = 0

  looked(kind: Kind, rows = 1): void {
    this.#rows[kind] += rows
  }

  add(fault: Fault | null): void {
    if (fault === null) return
    this.#count += 1
    if (this.#faults.length < limits.verificationFaults) this.#faults.push(fault)
  }

  get report(): VerificationReport {
    return { rows: this.#rows, moving: this.moving, faults: this.#faults, fault_count: this.#count }
  }
}

/** A campaign or a batch with its tally as it was before its rows were counted. */
interface Subject {
  readonly id: string
  readonly created_at: number
  readonly tally: Tally
}

interface BatchSubject extends Subject {
  readonly batch: Batch
}

/** The tallies of a campaign's batches together, as far as they are of contacts and calls; null where one of them has moved. */
const sumOfRows = (tallies: ReadonlyArray<Tally | null>): Tally | null => {
  const sum: { [figure: string]: number } = {}
  for (const tally of tallies) {
    if (tally === null) return null
    for (const name in tally) if (rowsOfFigure(name) !== "batch") sum[name] = figure(sum, name) + figure(tally, name)
  }
  return sum
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
      const tallies = yield* TallyStore
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

      const subject = (id: string, created_at: number) =>
        Effect.map(tallies.read(id), (tally): Subject => ({ id, created_at, tally }))

      /** Holds what is kept of a campaign or a batch against its rows, and gives it back, unless it has moved since they were counted. */
      const judgeTally = Effect.fnUntraced(function* (
        { id, tally }: Subject,
        mayBeGone: MayBeGone,
        sum: Recount,
        found: Found,
      ) {
        const now = yield* tallies.read(id)
        if (!isSameTally(tally, now)) {
          found.moving += 1
          return null
        }
        for (const fault of tallyFaults(sum.beyond(id, now), now, mayBeGone)) {
          found.add({ law: "counts are right", detail: `${id}: ${fault}` })
        }
        return now
      })

      /** The batch as it stands: its contacts may be going since they were read. */
      const judgeBatch = Effect.fnUntraced(function* (
        { batch: { batch_id, campaign_id }, ...own }: BatchSubject,
        purge: Purge | null,
        sum: Recount,
        found: Found,
      ) {
        const batch = yield* batches.locate(batch_id)
        const campaign: Campaign | null = campaign_id === null ? null : yield* campaigns.locate(campaign_id)
        if (batch !== null) found.add(batchFault(batch, campaign, own.tally))
        const isGoing = batch?.purging_since !== undefined
        const mayBeGone = { calls: mayCallsBeGone(purge, own.created_at), contacts: isGoing }
        return { campaign_id, isGoing, tally: yield* judgeTally(own, mayBeGone, sum, found) }
      })

      /**
       * Whatever is counted of a campaign's contacts and calls is counted of one of its batches, too. So where rows are gone, the two still have to
       * say the same.
       */
      const judgeTallies = Effect.fnUntraced(function* (
        ofCampaigns: ReadonlyArray<Subject>,
        ofBatches: ReadonlyArray<BatchSubject>,
        purge: Purge | null,
        sum: Recount,
        found: Found,
      ) {
        const judged = yield* Effect.forEach(ofBatches, (each) => judgeBatch(each, purge, sum, found))
        const byCampaign = Map.groupBy(judged, ({ campaign_id }) => campaign_id)
        for (const campaign of ofCampaigns) {
          const own = byCampaign.get(campaign.id) ?? []
          const contacts = own.some(({ isGoing }) => isGoing)
          const mayBeGone = { calls: mayCallsBeGone(purge, campaign.created_at), contacts }
          const tally = yield* judgeTally(campaign, mayBeGone, sum, found)
          const together = sumOfRows(own.map((each) => each.tally))
          if (tally === null || together === null || !(mayBeGone.calls || contacts)) continue
          const rows = Object.entries(tally).filter(([name]) => rowsOfFigure(name) !== "batch")
          for (const [name, more] of Object.entries(lessTally(Object.fromEntries(rows), together))) {
            const detail = `${campaign.id}: ${name} is kept as ${more} more than of its batches`
            found.add({ law: "counts are right", detail })
          }
        }
      })

      const readCampaigns = Effect.fnUntraced(function* (organizationId: string, found: Found) {
        const subjects: Array<Subject> = []
        yield* eachOf(
          (request) => campaigns.page(organizationId, {}, request),
          Effect.fnUntraced(function* ({ campaign_id, created_at }) {
            found.looked("campaigns")
            subjects.push(yield* subject(campaign_id, created_at))
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
            read.push({ ...(yield* subject(batch.batch_id, batch.created_at)), batch })
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
          yield* judgeTallies(ofCampaigns, ofBatches, purge, sum, found)
          yield* readTrail(organizationId, found)
          return found.report
        }),
      })
    }),
  )
}
