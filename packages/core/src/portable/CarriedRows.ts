import { Effect } from "effect"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import { beginVerification, endVerification, verifyNext } from "../audit/rules/AuditChain.ts"
import { AuditStore } from "../audit/ports/AuditStore.ts"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import { CalleeStore, type PlacedCallee } from "../callees/ports/CalleeStore.ts"
import { type Call, isBooked } from "../calls/rules/Call.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import type { Campaign } from "../campaigns/rules/Campaign.ts"
import { CampaignStore } from "../campaigns/ports/CampaignStore.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import type { ContactRow } from "../contacts/rules/PlacedContact.ts"
import { walkOldest } from "../engine/Walk.ts"
import { isOver } from "../erasure/rules/Erased.ts"
import { type PortError, StateConflict } from "../Errors.ts"
import { ExperimentStore } from "../experiments/ports/ExperimentStore.ts"
import { KeyStore } from "../keys/ports/KeyStore.ts"
import { KnowledgeStore } from "../knowledge/ports/KnowledgeStore.ts"
import { RetrievalIndex } from "../knowledge/ports/RetrievalIndex.ts"
import { limits } from "../Limits.ts"
import { NumberStore } from "../numbers/ports/NumberStore.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { ProviderStore } from "../providers/ports/ProviderStore.ts"
import type { Purge } from "../retention/rules/PurgeRow.ts"
import { usageDayMs } from "../usage/rules/Usage.ts"
import { UsageStore } from "../usage/ports/UsageStore.ts"
import { figure, figuresWithoutRows } from "../tallies/rules/Tally.ts"
import { TallyStore } from "../tallies/ports/TallyStore.ts"
import { DeliveryStore } from "../webhooks/ports/DeliveryStore.ts"
import { eventTypes } from "../webhooks/rules/EventType.ts"
import { eventIdOf } from "../webhooks/rules/WebhookEvent.ts"
import { SubscriptionStore } from "../webhooks/ports/SubscriptionStore.ts"
import { FiguresOfGone } from "./FiguresOfGone.ts"
import { oldestFirst } from "./OldestFirst.ts"
import type { Line } from "./rules/PortableFile.ts"

/** Where the lines of one export go, and what was seen on the way. */
export interface Carrying<E> {
  readonly organization_id: string
  readonly now: number
  readonly emit: (line: Line) => Effect.Effect<void, E>
  readonly seen: Seen
}

/** What an export has to know once it has gone through everything. */
export class Seen {
  /** When something of what was read comes due by itself. */
  nextMove = Infinity
  /** The last record of the audit trail. */
  sequence = 0
  /** Documents that the index of knowledge bases did not give. */
  documentsLeftOut = 0
  readonly running: Array<Campaign> = []
  /** How far rows were purged, and what is counted of those that are gone; null where none ever were. */
  readonly purge: Purge | null
  readonly gone: FiguresOfGone | null

  constructor(purge: Purge | null) {
    this.purge = purge
    this.gone = purge === null ? null : new FiguresOfGone(purge.calls_before)
  }

  moves(at: number | null): void {
    if (at !== null) this.nextMove = Math.min(this.nextMove, at)
  }
}

type Carried<E> = Effect.fn.Return<void, E | StateConflict | PortError>

const hourMs = 3_600_000

const dayMs = 24 * hourMs

/** When a call was last written, as far as its row tells. */
const lastWritten = ({ completed_at, final_report_at, processing, updated_at }: Call): number =>
  Math.max(updated_at, completed_at ?? 0, final_report_at ?? 0, processing.completed_at ?? 0)

/** What was recorded of the organization. It comes before the organization itself, so that nobody records anything in its middle. */
const makeTrail = Effect.gen(function* () {
  const audit = yield* AuditStore

  return Effect.fnUntraced(function* <E>({ emit, organization_id, seen }: Carrying<E>): Carried<E> {
    const origin = yield* audit.origin(organization_id)
    if (origin.sequence > 0) {
      return yield* new StateConflict({ message: "The beginning of its audit trail is no longer kept." })
    }
    let state = beginVerification()
    for (;;) {
      const records = yield* audit.after(organization_id, seen.sequence, limits.auditPage)
      for (const row of records) {
        state = verifyNext(state, row)
        yield* emit({ kind: "audit", row })
      }
      seen.sequence += records.length
      if (records.length < limits.auditPage) break
    }
    const { valid } = endVerification(state)
    if (!valid) return yield* new StateConflict({ message: "Its audit trail does not verify." })
  })
})

/** What the calls of the organization are made with. */
const makeSettings = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const agents = yield* AgentStore
  const providers = yield* ProviderStore
  const numbers = yield* NumberStore
  const experiments = yield* ExperimentStore
  const subscriptions = yield* SubscriptionStore

  const numbersOf = Effect.fnUntraced(function* <E>({ emit, organization_id }: Carrying<E>): Carried<E> {
    for (let first = 0; ; first += limits.portableRows) {
      const rows = yield* accounts.numbersFrom(organization_id, first, limits.portableRows)
      for (const row of rows) yield* emit({ kind: "phone_number", row })
      if (rows.length < limits.portableRows) return
    }
  })

  return Effect.fnUntraced(function* <E>(to: Carrying<E>): Carried<E> {
    const { emit, organization_id } = to
    const order = { sort_by: "created_at", sort_order: "desc" } as const
    const agentIds: Array<string> = []
    for (const query of [order, { ...order, status: "ARCHIVED" as const }]) {
      yield* oldestFirst(
        (page) => agents.page(organization_id, query, page),
        (row) => {
          agentIds.push(row.agent_id)
          return emit({ kind: "agent", row })
        },
      )
    }
    yield* oldestFirst(
      (page) => providers.page(organization_id, page),
      (row) => emit({ kind: "provider", row }),
    )
    yield* numbersOf(to)
    yield* oldestFirst(
      (page) => numbers.bindings(organization_id, page),
      (row) => emit({ kind: "inbound_agent", row }),
    )
    for (const agentId of agentIds) {
      yield* oldestFirst(
        (page) => experiments.page(organization_id, agentId, null, page),
        (row) => emit({ kind: "experiment", row }),
      )
    }
    yield* oldestFirst(
      (page) => subscriptions.page(organization_id, {}, page),
      (row) => emit({ kind: "subscription", row }),
    )
  })
})

/** Whom the organization must not call, and when it may call the others: before anybody is called there. What was said and taken back is not said again. */
const makeCallees = Effect.gen(function* () {
  const callees = yield* CalleeStore

  return Effect.fnUntraced(function* <E>({ emit, organization_id }: Carrying<E>): Carried<E> {
    const hours = yield* callees.hours(organization_id)
    if (hours !== null) yield* emit({ kind: "callee_hours", row: hours })
    for (let after: number | undefined = 0; after !== undefined;) {
      const rows: ReadonlyArray<PlacedCallee> = yield* callees.oldest(organization_id, after, limits.portableRows)
      for (const { callee } of rows) yield* emit({ kind: "callee", row: callee })
      after = rows.at(-1)?.place
    }
  })
})

const makeKnowledge = Effect.gen(function* () {
  const knowledge = yield* KnowledgeStore
  const retrieval = yield* RetrievalIndex

  return Effect.fnUntraced(function* <E>({ emit, organization_id, seen }: Carrying<E>): Carried<E> {
    const document = Effect.fnUntraced(function* (retrieval_id: string, document_id: string) {
      const chunks = yield* retrieval.document(organization_id, retrieval_id, document_id)
      if (chunks !== null) return yield* emit({ kind: "document", row: { retrieval_id, document_id, chunks } })
      seen.documentsLeftOut += 1
    })
    yield* oldestFirst(
      (page) => knowledge.page(organization_id, page),
      Effect.fnUntraced(function* (row) {
        const { collection, removing, retrieval_id } = row
        if (removing === true) {
          return yield* new StateConflict({ message: `The knowledge base '${collection}' is being removed.` })
        }
        yield* emit({ kind: "knowledge_base", row })
        yield* oldestFirst(
          (page) => knowledge.uploads(organization_id, retrieval_id, page),
          Effect.fnUntraced(function* (upload) {
            yield* emit({ kind: "knowledge_upload", row: upload })
            if (upload.status === "processed") yield* document(retrieval_id, upload.document_id)
          }),
        )
      }),
    )
  })
})

const makeCalls = Effect.gen(function* () {
  const calls = yield* CallStore
  const deliveries = yield* DeliveryStore

  /** Events that are kept for readers, in their order. */
  const keptEvents = Effect.fnUntraced(function* <E>({ emit, now, organization_id }: Carrying<E>): Carried<E> {
    for (let after = 0; ;) {
      const found = yield* deliveries.kept(after, limits.keptEventsAtOnce)
      for (const { event: row } of found) {
        if (row.organization_id === organization_id && row.expires_at > now) yield* emit({ kind: "event", row })
      }
      const last = found.at(-1)
      if (last === undefined) return
      after = last.place
    }
  })

  /** The other events of a call; of one that was done with a month ago there are none any more. */
  const eventsOf = Effect.fnUntraced(function* <E>({ emit, now }: Carrying<E>, call: Call): Carried<E> {
    if (lastWritten(call) < now - limits.ledgerRetentionMs - dayMs) return
    const ids = eventTypes.flatMap((type) =>
      Array.from({ length: 1 + call.processing.corrections }, (_, nth) => eventIdOf(call.execution_id, type, nth + 1)),
    )
    for (const row of yield* Effect.forEach(ids, deliveries.event, { concurrency: ids.length })) {
      if (row !== null && row.kept !== true && row.expires_at > now) yield* emit({ kind: "event", row })
    }
  })

  const one = Effect.fnUntraced(function* <E>(to: Carrying<E>, row: Call): Carried<E> {
    if (isBooked(row)) to.seen.moves(row.due_at)
    else if (row.folded_into === null && !isOver(row)) {
      return yield* new StateConflict({ message: `The call ${row.execution_id} is under way.` })
    }
    yield* to.emit({ kind: "call", row })
    const media = yield* calls.media(to.organization_id, row.execution_id)
    if (media !== null) yield* to.emit({ kind: "call_media", row: media })
    yield* eventsOf(to, row)
  })

  /** A call, and the records that were folded into it. */
  const withFolded = Effect.fnUntraced(function* <E>(to: Carrying<E>, call: Call): Carried<E> {
    for (let row: Call | null = call; row !== null;) {
      yield* one(to, row)
      const folded: string | undefined = row.folded_from
      row = folded === undefined ? null : yield* calls.find(to.organization_id, folded)
    }
  })

  return Effect.fnUntraced(function* <E>(to: Carrying<E>): Carried<E> {
    yield* keptEvents(to)
    yield* walkOldest(
      (request) => calls.oldest(to.organization_id, request),
      limits.portableRows,
      (row) => withFolded(to, row),
    )
    yield* walkOldest(
      (request) => deliveries.oldest(to.organization_id, request),
      limits.portableRows,
      (row) => (row.expires_at > to.now ? to.emit({ kind: "delivery", row }) : Effect.void),
    )
  })
})

/** Contacts by the stretches in which they lie without a gap: where some are gone, others may be there still. */
const stretchesOf = (places: ReadonlyArray<ContactRow>): ReadonlyArray<ReadonlyArray<ContactRow>> => {
  const stretches: Array<Array<ContactRow>> = []
  for (const place of places) {
    const last = stretches.at(-1)
    if (last !== undefined && last.at(-1)?.row === place.row - 1) last.push(place)
    else stretches.push([place])
  }
  return stretches
}

const makeLanes = Effect.gen(function* () {
  const campaigns = yield* CampaignStore
  const batches = yield* BatchStore
  const contacts = yield* ContactStore
  const tallies = yield* TallyStore

  const contactsOf = Effect.fnUntraced(function* <E>(
    { emit }: Carrying<E>,
    batch_id: string,
    total: number,
  ): Carried<E> {
    for (let from_row = 0; from_row < total;) {
      const places: ReadonlyArray<ContactRow> = yield* contacts.rows(batch_id, from_row, limits.portableRows)
      const last = places.at(-1)
      if (last === undefined) return
      for (const stretch of stretchesOf(places)) {
        const entries = stretch.map(({ entry }) => entry)
        yield* emit({ kind: "entries", row: { batch_id, from_row: stretch[0]?.row ?? 0, entries } })
      }
      for (const { contact } of places) if (contact !== null) yield* emit({ kind: "contact", row: contact })
      from_row = last.row + 1
    }
  })

  const everyContact = <E>(to: Carrying<E>) =>
    walkOldest(
      (request) => batches.oldest(to.organization_id, request),
      limits.portableRows,
      ({ batch_id, total_contacts }) => contactsOf(to, batch_id, total_contacts),
    )

  const tallyOf = Effect.fnUntraced(function* <E>({ emit }: Carrying<E>, subject: string): Carried<E> {
    const tally = yield* tallies.read(subject)
    const counts = figuresWithoutRows.map((name) => [name, figure(tally, name)] as const)
    const figures = Object.fromEntries(counts.filter(([, count]) => count !== 0))
    if (Object.keys(figures).length > 0) yield* emit({ kind: "tally", row: { subject, figures } })
  })

  const logOf = <E>({ emit }: Carrying<E>, campaignId: string) =>
    oldestFirst(
      (page) => campaigns.entries(campaignId, page),
      (row) => emit({ kind: "campaign_entry", row }),
    )

  const everyLane = Effect.fnUntraced(function* <E>(to: Carrying<E>): Carried<E> {
    const { emit, organization_id, seen } = to
    yield* oldestFirst(
      (page) => campaigns.page(organization_id, {}, page),
      (row) => {
        if (row.status === "created" || row.status === "active") {
          seen.moves(row.end_time)
          seen.running.push(row)
        }
        seen.moves(row.breaker?.trip?.resume_at ?? null)
        return Effect.andThen(
          tallyOf(to, row.campaign_id),
          Effect.andThen(emit({ kind: "campaign", row }), logOf(to, row.campaign_id)),
        )
      },
    )
    yield* walkOldest(
      (request) => batches.oldest(organization_id, request),
      limits.portableRows,
      (row) => {
        const own = row.campaign_id === null ? tallyOf(to, row.batch_id) : Effect.void
        return Effect.andThen(own, emit({ kind: "batch", row }))
      },
    )
  })

  const running = <E>({ emit, seen }: Carrying<E>) =>
    Effect.forEach(seen.running, (row) => emit({ kind: "running", row }), { discard: true })

  return { everyContact, everyLane, running }
})

/** What is counted of rows that are gone. It comes when all lines are counted that are not, and before anybody is called. */
const makeFigures = Effect.gen(function* () {
  const tallies = yield* TallyStore
  const usage = yield* UsageStore

  return Effect.fnUntraced(function* <E>({ emit, organization_id, seen: { gone } }: Carrying<E>): Carried<E> {
    if (gone === null) return
    for (const subject of gone.subjects) {
      const figures = gone.tally(subject, yield* tallies.read(subject))
      if (Object.keys(figures).length > 0) yield* emit({ kind: "tally", row: { subject, figures } })
    }
    const before = { from: 0, to: gone.until, agent_id: null }
    for (const { key } of yield* usage.parts(organization_id, before, "day")) {
      const day = Date.parse(key ?? "")
      for (let from = day; from < Math.min(day + usageDayMs, gone.until); from += hourMs) {
        const to = Math.min(from + hourMs, gone.until)
        for (const cell of yield* usage.cells(organization_id, { from, to })) {
          const row = gone.usage(organization_id, cell)
          if (row !== null) yield* emit({ kind: "usage", row })
        }
      }
    }
  })
})

/**
 * Everything of an organization in the order in which it has to come: whatever rests on something comes behind it, whatever sets to work
 * comes last, and the keys of its customers behind that.
 */
export const makeCarriedRows = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const keys = yield* KeyStore
  const trail = yield* makeTrail
  const settings = yield* makeSettings
  const callees = yield* makeCallees
  const knowledge = yield* makeKnowledge
  const calls = yield* makeCalls
  const lanes = yield* makeLanes
  const figures = yield* makeFigures

  return Effect.fnUntraced(function* <E>(to: Carrying<E>): Carried<E> {
    const { purge } = to.seen
    yield* trail(to)
    // A walk begins anew elsewhere, and places in the order of lists are others there.
    if (purge !== null)
      yield* to.emit({ kind: "purge", row: { ...purge, place: null, settled: null, calls_settled: null } })
    const row = yield* accounts.organization(to.organization_id)
    if (row !== null) yield* to.emit({ kind: "organization", row })
    yield* settings(to)
    yield* callees(to)
    yield* knowledge(to)
    yield* lanes.everyContact(to)
    yield* calls(to)
    yield* lanes.everyLane(to)
    yield* figures(to)
    yield* lanes.running(to)
    yield* oldestFirst(
      (page) => keys.page(to.organization_id, page),
      (key) => to.emit({ kind: "api_key", row: key }),
    )
  })
})
