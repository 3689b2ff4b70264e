import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import { AuditStore } from "../audit/ports/AuditStore.ts"
import { type Batch, laneOf } from "../batches/rules/Batch.ts"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import { type Call, holdsLine } from "../calls/rules/Call.ts"
import { type CallFilter, CallStore } from "../calls/ports/CallStore.ts"
import { CampaignStore } from "../campaigns/ports/CampaignStore.ts"
import { isWatched } from "../campaigns/rules/CampaignWork.ts"
import { contactId } from "../contacts/rules/Contact.ts"
import { untouched } from "../contacts/rules/ContactProgress.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { LaneStore } from "../dispatch/ports/LaneStore.ts"
import type { Change, Commit, Expectation } from "../engine/rules/Commit.ts"
import type { SlotDemand } from "../Changes.ts"
import type { RowAsked } from "../engine/rules/FoundRows.ts"
import { batchesOf } from "../engine/rules/Guards.ts"
import type { Revised } from "../engine/rules/RowDescription.ts"
import { Store } from "../engine/ports/Store.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import type { Wakeup, WakeupClaim } from "../engine/rules/Wakeup.ts"
import { NumberStore } from "../numbers/ports/NumberStore.ts"
import { limits } from "../Limits.ts"
import { jsonBytes } from "../Measure.ts"
import type { ListPlace, OldestRequest, PageRequest, Placed } from "../Pagination.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { ProviderStore } from "../providers/ports/ProviderStore.ts"
import { descriptions, type RowKind, rowKinds, type Rows } from "../Rows.ts"
import { TallyStore } from "../tallies/ports/TallyStore.ts"
import { UsageStore } from "../usage/ports/UsageStore.ts"
import { DeliveryStore } from "../webhooks/ports/DeliveryStore.ts"
import { checkHeirs } from "./Heirs.ts"
import { law } from "./Law.ts"
import {
  fresh,
  sampleAgent,
  sampleAudit,
  sampleBatch,
  sampleCall,
  sampleCampaign,
  sampleEpoch,
  sampleEvent,
  sampleOrganization,
  samplePhoneNumber,
  sampleProvider,
  sampleSlot,
} from "./Samples.ts"
import { StoreModel } from "./StoreModel.ts"
import {
  cast,
  type ChangeCommand,
  type Command,
  type CommitCommand,
  script,
  type WakeupCommand,
} from "./StoreScript.ts"

/** What is written and read here. */
export type DifferentialPorts =
  | Store
  | CallStore
  | CampaignStore
  | BatchStore
  | ContactStore
  | AccountStore
  | AgentStore
  | NumberStore
  | ProviderStore
  | TallyStore
  | UsageStore
  | AuditStore
  | DeliveryStore
  | LaneStore
  | Wakeups

const second = 1_000

/** A batch of each call, and null for those that are dialled, or arrive, by themselves. */
const batchOfCall: ReadonlyArray<number | null> = [null, 3, 0, null, 2, null]
const arriving = cast.calls - 1

const numbers = ["+15555550100", "+15555550101"] as const

const withoutZeros = (tally: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(tally).filter(([, count]) => count !== 0))

const nothing = undefined

/** One run of a script: what its words stand for, with the model that the store is held against. */
class Run {
  readonly model = new StoreModel()
  readonly claims: Array<WakeupClaim> = []
  readonly #name = fresh("")
  now = sampleEpoch
  #serial = 0

  readonly organization = (nth: number): string => `org_${this.#name}${nth}`
  readonly agent = (nth: number): string => `agt_${this.#name}${nth}`
  readonly campaign = (nth: number): string => `cmp_${this.#name}${nth}`
  readonly batchId = (nth: number): string => `bat_${this.#name}${nth}`
  readonly call = (nth: number): string => `exec_${this.#name}${nth}`
  readonly event = (nth: number): string => `evt_${this.#name}${nth}`
  readonly number = (nth: number): string => `pn_${this.#name}${nth}`
  readonly provider = (nth: number): string => `prv_${this.#name}${nth}`
  readonly subject = (nth: number): string => `wake_${this.#name}${nth}`

  /** Just before the first of the run's rows of a kind, in the order of ids. */
  readonly before = (prefix: string): string => `${prefix}_${this.#name}`

  /** A moment like no other, so that which one is earliest is never open. */
  moment(seconds: number): number {
    return this.now + seconds * second + ++this.#serial
  }

  wakeup({ at, kind, subject }: WakeupCommand): Commit["wakeups"][number] {
    const named = { kind, subject: this.subject(subject) }
    return at === null ? { clear: named } : { set: { ...named, at: this.moment(at) } }
  }

  batch(nth: number): Batch {
    return sampleBatch(this.organization(nth % cast.organizations), {
      batch_id: this.batchId(nth),
      agent_id: this.agent(nth % cast.agents),
      campaign_id: nth === cast.batches - 1 ? null : this.campaign(nth % cast.campaigns),
      created_at: sampleEpoch + (nth % 2) * second,
    })
  }

  /** The change that a command stands for; null where there is nothing for it to change. */
  change(command: ChangeCommand): Change | null {
    switch (command.put) {
      case "organization": {
        const id = this.organization(command.nth)
        const found = this.model.row("organization", id) ?? sampleOrganization(id)
        return {
          put: "organization",
          row: { ...found, name: `At ${this.now}`, ...this.#next("organization", id, command) },
        }
      }
      case "agent": {
        const id = this.agent(command.nth)
        const agent = sampleAgent(this.organization(command.nth % cast.organizations), { agent_id: id })
        return { put: "agent", row: { ...agent, ...this.#next("agent", id, command) } }
      }
      case "campaign": {
        const id = this.campaign(command.nth)
        const row = sampleCampaign(this.organization(command.nth % cast.organizations), {
          campaign_id: id,
          status: command.status,
          end_time: command.ends ? this.now : null,
        })
        return { put: "campaign", row: { ...row, ...this.#next("campaign", id, command) } }
      }
      case "batch": {
        const row = { ...this.batch(command.nth), status: command.status }
        return { put: "batch", row: { ...row, ...this.#next("batch", row.batch_id, command) } }
      }
      case "contact": {
        // Contacts are first dialled in order, so there is one of those that never were.
        const rows = this.model.contacts(this.batchId(command.batch))
        const known = rows.filter(({ contact }, row) => contact !== null || rows[row - 1]?.contact !== null)
        const place = known[command.nth % Math.max(1, known.length)]
        if (place === undefined) return null
        const id = contactId(place.batch_id, place.row)
        const { holds, in_hours_only, status, waits_for_number } = command
        const eligible_at = command.eligible === null || waits_for_number ? null : this.moment(command.eligible)
        const row = {
          ...(place.contact ?? untouched(this.batch(command.batch), id, place.row)),
          ...{ status, holds, in_hours_only, waits_for_number, eligible_at, ...this.#next("contact", id, command) },
        }
        return { put: "contact", row }
      }
      case "call":
        return { put: "call", row: this.#callOf(command) }
      case "erased_call": {
        const call = this.model.row("call", this.call(command.nth))
        return call === null ? null : { put: "erased_call", call: { ...call, revision: call.revision + command.skew } }
      }
      case "debit": {
        const { amount, nth, put } = command
        const organization_id = this.organization(nth)
        // Within a commit stores write the row first.
        return this.model.row("organization", organization_id) === null ? null : { put, organization_id, amount }
      }
      case "balance": {
        const organization_id = this.organization(command.nth)
        const found = this.model.row("organization", organization_id)
        if (found === null) return null
        // Whoever sets it has read it before something was charged.
        return { put: "balance", organization_id, from: found.wallet.balance + command.charged, to: command.to }
      }
      case "phone_number": {
        const id = this.number(command.nth)
        const number = samplePhoneNumber(this.organization(0), numbers[command.text] ?? numbers[0])
        return {
          put: "phone_number",
          row: { ...number, phone_number_id: id, ...this.#next("phone_number", id, command) },
        }
      }
      case "provider": {
        const id = this.provider(command.nth)
        const row = sampleProvider(this.organization(0), { provider_id: id, provider_name: `Provider ${command.name}` })
        return { put: "provider", row: { ...row, ...this.#next("provider", id, command) } }
      }
      case "removal": {
        const { kind, nth, put, skew } = command
        const id = { call: this.call(nth), provider: this.provider(nth), phone_number: this.number(nth) }[kind]
        const revision = this.model.revision(kind, id) + skew
        const organization_id = this.organization(kind === "call" ? nth % cast.organizations : 0)
        return revision < 1 ? null : { put, organization_id, kind, id, revision }
      }
      case "event": {
        const id = this.event(command.nth)
        const row = sampleEvent(this.organization(0), { event_id: id, routed_at: command.isRouted ? this.now : null })
        return { put: "event", row: { ...row, ...this.#next("event", id, command) } }
      }
      case "discard": {
        const { batch, kind, nth, put } = command
        if (kind === "event") return { put, organization_id: this.organization(0), kind, id: this.event(nth) }
        const rows = this.model.contacts(this.batchId(batch))
        const place = rows[nth % Math.max(1, rows.length)]
        const { organization_id } = this.batch(batch)
        return place === undefined ? null : { put, organization_id, kind, id: contactId(place.batch_id, place.row) }
      }
      case "guard":
        return { put: "guard", guard: batchesOf(this.campaign(command.nth)) }
      case "tally": {
        const { add, batch, put } = command
        return { put, subject: this.batchId(batch), add }
      }
      case "usage": {
        const { agent_id, campaign_id, organization_id } = this.#fixed(command.call)
        const { at, cost, put, statuses } = command
        const status_counts = Object.fromEntries(statuses)
        const figures = { calls: 1, connected_calls: 1, duration_seconds: 7, cost, cost_breakdown: null, status_counts }
        return { put, delta: { organization_id, agent_id, campaign_id, at: sampleEpoch + at, ...figures } }
      }
    }
  }

  commit({ audits, changes, expect, free, guard, organization, wakeups }: CommitCommand): Commit {
    const organization_id = this.organization(organization)
    const written = new Map<string, Change>()
    for (const [nth, command] of changes.entries()) {
      const change = this.change(command)
      if (change !== null && isOf(organization_id, change)) written.set(this.#subjectOf(change) ?? String(nth), change)
    }
    return {
      id: fresh("cmt_"),
      organization_id,
      expect: [...this.#restingOnCampaign(expect), ...this.#restingOnGuard(guard), ...this.#restingOnNumber(free)],
      changes: [...written.values()],
      wakeups: wakeups.map((wakeup) => this.wakeup(wakeup)),
      events: [],
      audit: Array.from({ length: audits }, () => sampleAudit(organization_id)),
    }
  }

  #restingOnCampaign(expect: CommitCommand["expect"]): ReadonlyArray<Expectation> {
    if (expect === null) return []
    const id = this.campaign(expect.nth)
    return [{ kind: "campaign", id, revision: Math.max(0, this.model.revision("campaign", id) + expect.skew) }]
  }

  #restingOnNumber(nth: CommitCommand["free"]): ReadonlyArray<Expectation> {
    if (nth === null) return []
    const { batch_id, campaign_id, to_number } = this.#fixed(nth)
    return batch_id === null ? [] : [{ free: { lane_id: laneOf({ batch_id, campaign_id }), to_number } }]
  }

  #restingOnGuard(expect: CommitCommand["guard"]): ReadonlyArray<Expectation> {
    if (expect === null) return []
    const guard = batchesOf(this.campaign(expect.nth))
    return [{ guard, version: Math.max(0, this.model.version(guard) + expect.skew) }]
  }

  /** An agent belongs to the organization of its number. */
  demands(nth: number, { agent, organization }: NonNullable<CommitCommand["admits"]>): ReadonlyArray<SlotDemand> {
    return [
      { level: "organization", key: this.organization(nth), ceiling: organization },
      { level: "agent", key: this.agent(nth), ceiling: agent },
    ]
  }

  /** Rows are written once in a commit, and of what is unique by a name one row. */
  #subjectOf(change: Change): string | null {
    switch (change.put) {
      case "organization":
        return change.row.organization_id
      case "debit":
      case "balance":
        return `wallet ${change.organization_id}`
      case "agent":
        return change.row.agent_id
      case "campaign":
        return change.row.campaign_id
      case "batch":
        return change.row.batch_id
      case "contact":
        return change.row.contact_id
      case "call":
        return change.row.execution_id
      case "erased_call":
        return change.call.execution_id
      case "event":
        return change.row.event_id
      case "discard":
        return change.id
      case "removal":
        return change.kind === "call" ? change.id : change.kind
      case "phone_number":
      case "provider":
        return change.put
      default:
        return null
    }
  }

  #next(kind: Parameters<StoreModel["revision"]>[0], id: string, { skew }: { readonly skew: number }) {
    return { revision: this.model.revision(kind, id) + 1 + skew }
  }

  /** What of a call never changes. */
  #fixed(nth: number): Call {
    const batch = batchOfCall[nth] ?? null
    return sampleCall(this.organization(nth % cast.organizations), {
      execution_id: this.call(nth),
      agent_id: this.agent(nth % cast.agents),
      batch_id: batch === null ? null : this.batchId(batch),
      campaign_id: batch === null ? null : this.batch(batch).campaign_id,
      direction: nth === arriving ? "inbound" : "outbound",
      to_number: numbers[nth % 2] ?? numbers[0],
      created_at: sampleEpoch + Math.floor(nth / 3) * second,
    })
  }

  #callOf(command: Extract<ChangeCommand, { readonly put: "call" }>): Call {
    const { dial, due, from, isFinal, isFolded, nth, processing, status, voicemail } = command
    const fixed = this.#fixed(nth)
    const call: Call = {
      ...fixed,
      ...this.#next("call", fixed.execution_id, command),
      status,
      dial,
      from_number: from === null ? null : (numbers[from] ?? null),
      answered_by_voicemail: voicemail,
      final_report_at: isFinal ? this.now : null,
      due_at: due === null ? null : this.moment(due),
      processing: { ...fixed.processing, due_at: processing === null ? null : this.moment(processing) },
      folded_into: isFolded ? this.call(0) : null,
    }
    return holdsLine(call) ? { ...call, slot: sampleSlot(call, 7) } : call
  }
}

const isOf = (organizationId: string, change: Change): boolean => {
  switch (change.put) {
    case "tally":
    case "guard":
      return true
    case "usage":
      return change.delta.organization_id === organizationId
    case "erased_call":
      return change.call.organization_id === organizationId
    case "platform":
      return false
    default:
      return ("row" in change ? change.row.organization_id : change.organization_id) === organizationId
  }
}

const refusalOf = (result: Result.Result<void, { readonly _tag: string }>) =>
  Result.isFailure(result) ? { ...result.failure } : null

/** The ports under their nouns. */
const ports = Effect.gen(function* () {
  return {
    store: yield* Store,
    calls: yield* CallStore,
    campaigns: yield* CampaignStore,
    batches: yield* BatchStore,
    contacts: yield* ContactStore,
    accounts: yield* AccountStore,
    agents: yield* AgentStore,
    numbers: yield* NumberStore,
    providers: yield* ProviderStore,
    tallies: yield* TallyStore,
    usage: yield* UsageStore,
    audit: yield* AuditStore,
    deliveries: yield* DeliveryStore,
    lanes: yield* LaneStore,
    wakeups: yield* Wakeups,
  }
})

type Ports = Effect.Success<typeof ports>

/** A commit, and what is said of it: nothing, that a level is full, or one of the rows that are not as it expects. */
const commits = Effect.fnUntraced(function* (run: Run, { store }: Ports, command: CommitCommand) {
  const commit = run.commit(command)
  const levels = command.admits === null ? null : run.demands(command.organization, command.admits)
  for (let sent = 0; sent < (command.isSentTwice ? 2 : 1); sent++) {
    const written: Effect.Effect<void, { readonly _tag: string }> =
      levels === null ? store.commit(commit) : store.admit(commit, levels)
    const refusal = refusalOf(yield* Effect.result(written))
    const full = levels === null ? null : run.model.refusing(commit, levels)
    if (full !== null) {
      assert.deepInclude(refusal, { _tag: "AdmissionRefused", ...full })
      continue
    }
    const conflicting = run.model.commit(commit)
    if (conflicting.length === 0) assert.isNull(refusal)
    else {
      const said = conflicting.map(({ id, kind }) => JSON.stringify({ _tag: "Conflict", kind, id }))
      const { _tag, id, kind }: { readonly [field: string]: unknown } = { ...refusal }
      assert.include(said, JSON.stringify({ _tag, kind, id }))
    }
  }
})

const isNamed =
  <A>(own: string, idOf: (row: A) => string) =>
  (row: A) =>
    idOf(row).startsWith(own)

/** Up to `limit` rows of the run in the order of their ids. */
const inOrder = <A>(rows: ReadonlyArray<A>, idOf: (row: A) => string, limit: number): ReadonlyArray<A> =>
  rows.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1)).slice(0, limit)

/** The pages that repairs go through. Others may have rows in the same store, which lie behind those of the run or are left out. */
const pages = Effect.fnUntraced(function* (run: Run, found: Ports, limit: number) {
  const { model } = run
  const same = Effect.fnUntraced(function* <A, E>(
    prefix: string,
    idOf: (row: A) => string,
    page: (after: string, limit: number) => Effect.Effect<ReadonlyArray<A>, E>,
    expected: ReadonlyArray<A>,
  ) {
    const own = run.before(prefix)
    const rows = yield* page(own, limit)
    assert.deepStrictEqual(rows.filter(isNamed(own, idOf)), inOrder(expected, idOf, limit))
  })
  yield* same("org", ({ organization_id }) => organization_id, found.accounts.organizations, model.all("organization"))
  const callId = (call: Call) => call.execution_id
  const calls = model.all("call")
  yield* same("exec", callId, found.calls.holders, calls.filter(holdsLine))
  yield* same(
    "exec",
    callId,
    found.calls.due,
    calls.filter(({ due_at }) => due_at !== null),
  )
  yield* same(
    "exec",
    callId,
    found.calls.processing,
    calls.filter(({ processing }) => processing.due_at !== null),
  )
  const ending = model
    .all("campaign")
    .filter(({ end_time, status }) => end_time !== null && (status === "created" || status === "active"))
  yield* same("cmp", ({ campaign_id }) => campaign_id, found.campaigns.ending, ending)
  const watched = model.all("campaign").filter(isWatched)
  yield* same("cmp", ({ campaign_id }) => campaign_id, found.campaigns.watched, watched)
  const waiting = model.all("event").filter(({ routed_at }) => routed_at === null)
  yield* same("evt", ({ event_id }) => event_id, found.deliveries.waiting, waiting)
  yield* same("con", ({ contact_id }) => contact_id, found.contacts.waitingForNumbers, model.waitingForNumber())
})

/** How a row of an organization can be asked for. */
const waysTo = <K extends RowKind>(kind: K, row: Rows[K]): ReadonlyArray<RowAsked<K>> => {
  const { id, unique } = descriptions[kind]
  const key = unique?.(row) ?? null
  const { organization_id = null }: Revised = row
  const byId = { kind, id: id(row) }
  return key === null || organization_id === null ? [byId] : [byId, { kind, organization_id, key }]
}

/** Every row that there is, all asked for at once by what they can be asked for by. */
const everyRow = Effect.fnUntraced(function* ({ model }: Run, found: Ports) {
  const expected = new Map<RowAsked, Rows[RowKind]>()
  const expect = <K extends RowKind>(kind: K) => {
    for (const row of model.all(kind)) for (const asked of waysTo(kind, row)) expected.set(asked, row)
  }
  for (const kind of rowKinds) expect(kind)
  const rows = yield* found.store.rows([...expected.keys()])
  for (const [asked, row] of expected) assert.deepStrictEqual(rows.of(asked), row)
})

/** The oldest rows, a page after the other; `nth` says before when. */
const oldest = Effect.fnUntraced(function* (
  { model }: Run,
  found: Ports,
  organizationId: string,
  nth: number,
  limit: number,
) {
  const before = sampleEpoch + nth * second
  const same = Effect.fnUntraced(function* <Row, E>(
    read: (organizationId: string, request: OldestRequest) => Effect.Effect<ReadonlyArray<Placed<Row>>, E>,
    expected: ReadonlyArray<Row>,
  ) {
    const rows: Array<Row> = []
    for (let after: ListPlace | null = null; ;) {
      const page: ReadonlyArray<Placed<Row>> = yield* read(organizationId, { before, after, limit })
      assert.isAtMost(page.length, limit)
      rows.push(...page.map(({ row }) => row))
      after = page.at(-1)?.place ?? null
      if (after === null) return assert.deepStrictEqual(rows, expected)
    }
  })
  yield* same(found.calls.oldest, model.oldest("call", organizationId, before))
  yield* same(found.batches.oldest, model.oldest("batch", organizationId, before))
})

const filterOf = (run: Run, { filter }: Extract<Command, { readonly do: "list calls" }>): CallFilter => {
  const { agent, batch, campaign, direction, from, from_date, statuses, to_date, voicemail } = filter
  return {
    ...(statuses === nothing ? {} : { statuses: new Set(statuses) }),
    ...(voicemail === nothing ? {} : { voicemail }),
    ...(direction === nothing ? {} : { direction }),
    ...(agent === nothing ? {} : { agent_id: run.agent(agent) }),
    ...(campaign === nothing ? {} : { campaign_id: run.campaign(campaign) }),
    ...(batch === nothing ? {} : { batch_id: run.batchId(batch) }),
    ...(from === nothing ? {} : { from_number: numbers[from] ?? numbers[0] }),
    ...(from_date === nothing ? {} : { from_date: sampleEpoch + from_date * second }),
    ...(to_date === nothing ? {} : { to_date: sampleEpoch + to_date * second }),
  }
}

const byKey = <A extends { readonly key: string | null }>(parts: ReadonlyArray<A>): ReadonlyArray<A> =>
  parts.toSorted((a, b) => ((a.key ?? "") < (b.key ?? "") ? -1 : 1))

const notBefore = (now: number, at: number | null): number | null => (at === null ? null : Math.max(now, at))

/** One command, done to the store and to the model, and the same said by both. */
const step = Effect.fnUntraced(function* (run: Run, found: Ports, command: Command, since: Map<string, number>) {
  const { model } = run
  switch (command.do) {
    case "commit":
      return yield* commits(run, found, command)
    case "fill": {
      // The chunk that came before, or a part of it, may be sent again.
      const batchId = run.batchId(command.batch)
      const from = Math.max(0, model.contacts(batchId).length - command.back)
      const entries = Array.from({ length: command.count }, (_, n) => ({
        to_number: numbers[(from + n) % 2] ?? numbers[0],
        variables: { n: from + n, "\u0000": "\ud800" },
      }))
      yield* found.contacts.fill(batchId, from, entries)
      return model.fill(batchId, from, entries)
    }
    case "replace": {
      const batchId = run.batchId(command.batch)
      const entry = { to_number: numbers[command.row % 2] ?? numbers[0], variables: { "": "\u0000" } }
      yield* found.contacts.replace(batchId, command.row, entry)
      return model.replace(batchId, command.row, entry)
    }
    case "discard": {
      const batchId = run.batchId(command.batch)
      const isSeen = model.row("batch", batchId) !== null
      if (isSeen || model.contacts(batchId).some(({ contact }) => contact !== null)) return
      yield* found.contacts.discard(batchId)
      return model.discard(batchId)
    }
    case "next": {
      run.now += command.later * second
      const moment = { now: run.now, in_hours: command.in_hours }
      const ids = command.batches.map(run.batchId)
      const besides = ids
        .flatMap((id) => model.contacts(id))
        .filter((row) => command.besides.includes(row.row) && row.contact !== null)
      const next = yield* found.contacts.next(ids, moment, besides, command.choice)
      assert.deepStrictEqual(next, model.next(ids, moment, besides, command.choice))
      assert.deepStrictEqual(yield* found.contacts.times(ids, run.now), model.times(ids, run.now))
      return assert.deepStrictEqual(yield* found.contacts.load(ids, moment), model.load(ids, moment))
    }
    case "list calls": {
      const organizationId = run.organization(command.organization)
      const filter = filterOf(run, command)
      const page = yield* found.calls.page(organizationId, filter, command.page)
      return assert.deepStrictEqual(page, model.calls(organizationId, filter, command.page))
    }
    case "list the rest": {
      const { agent, campaignStatus, page, status } = command
      const organizationId = run.organization(command.organization)
      const isOwn = (row: { readonly organization_id: string }) => row.organization_id === organizationId
      yield* everyRow(run, found)
      yield* oldest(run, found, organizationId, page.page, page.page_size)
      assert.deepStrictEqual(
        yield* found.batches.page(
          organizationId,
          {
            ...(status === nothing ? {} : { status }),
            ...(agent === nothing ? {} : { agent_id: run.agent(agent) }),
          },
          page,
        ),
        model.page(
          "batch",
          page,
          (row) =>
            isOwn(row) &&
            (status === nothing || row.status === status) &&
            (agent === nothing || row.agent_id === run.agent(agent)),
        ),
      )
      assert.deepStrictEqual(
        yield* found.campaigns.page(organizationId, campaignStatus === nothing ? {} : { status: campaignStatus }, page),
        model.page(
          "campaign",
          page,
          (row) => isOwn(row) && (campaignStatus === nothing || row.status === campaignStatus),
        ),
      )
      assert.deepStrictEqual(yield* found.numbers.page(organizationId, page), model.page("phone_number", page, isOwn))
      return assert.deepStrictEqual(
        yield* found.providers.page(organizationId, page),
        model.page("provider", page, isOwn),
      )
    }
    case "count": {
      const levels: ReadonlyArray<SlotDemand> = [
        { level: "organization", key: run.organization(command.organization), ceiling: null },
        { level: "agent", key: run.agent(command.agent), ceiling: null },
        { level: "campaign", key: run.campaign(command.campaign), ceiling: null },
        { level: "campaign", key: run.batchId(command.batch), ceiling: null },
      ]
      const guard = batchesOf(run.campaign(command.campaign))
      assert.deepStrictEqual(yield* found.store.versions([guard]), [model.version(guard)])
      const holding = levels.map(({ key, level }) => model.holding(level, key))
      assert.deepStrictEqual(yield* found.calls.holding(levels), holding)
      const holders = model.all("call").filter(holdsLine)
      const lane_id = run.campaign(command.campaign)
      const organization_id = run.organization(command.organization)
      const live = numbers.map((from_number) => ({
        key: { organization_id, from_number },
        count: holders.filter((call) => call.organization_id === organization_id && call.from_number === from_number)
          .length,
      }))
      for (const number of numbers) {
        const [first = null] = holders
          .filter((call) => call.campaign_id === lane_id && call.to_number === number)
          .toSorted((a, b) => (a.execution_id < b.execution_id ? -1 : 1))
        assert.deepStrictEqual(yield* found.calls.onNumber(lane_id, number), first)
      }
      return assert.deepStrictEqual(
        yield* found.calls.live(live.map(({ key }) => key)),
        live.map(({ count }) => count),
      )
    }
    case "lanes": {
      const organizationId = run.organization(command.organization)
      const { lanes, sequence } = yield* found.lanes.changed(organizationId, since.get(organizationId) ?? 0)
      since.set(organizationId, sequence)
      return assert.sameMembers([...lanes], [...model.changedLanes(organizationId)])
    }
    case "usage": {
      const { agent, group, to } = command
      const organizationId = run.organization(command.organization)
      const agent_id = agent === null ? null : run.agent(agent)
      const range = { from: sampleEpoch, to: sampleEpoch + to, agent_id }
      const parts = yield* found.usage.parts(organizationId, range, group)
      assert.deepStrictEqual(parts, byKey(model.usage(organizationId, range, group)))
      assert.deepStrictEqual(yield* found.usage.cells(organizationId, range), model.cells(organizationId, range))
      const most = { ...range, from: sampleEpoch + 1 }
      const edge = yield* found.usage.edge(organizationId, most, group)
      return assert.deepStrictEqual(edge, model.edge(organizationId, most, group))
    }
    case "wake": {
      const change = run.wakeup(command.wakeup)
      if ("set" in change) {
        yield* found.wakeups.set(change.set)
        return model.setWakeup(change.set)
      }
      const anew = { ...change.clear, at: run.moment(0) }
      yield* found.wakeups.setAnew(anew)
      return model.setWakeupAnew(anew)
    }
    case "claim": {
      run.now += command.later * second
      const ms = command.lease * second
      const claims = yield* found.wakeups.claimDue(run.now, command.limit, { owner, ms })
      const due: ReadonlyArray<Wakeup> = claims.map(({ at, kind, subject }) => ({ kind, subject, at }))
      assert.deepStrictEqual(due, model.due(run.now, command.limit))
      model.claimed(claims, run.now, ms)
      run.claims.push(...claims)
      for (const housekeeping of [true, false]) {
        const next = yield* found.wakeups.next({ housekeeping, owner })
        // Of what could have been claimed by now, it does not matter since when.
        assert.strictEqual(notBefore(run.now, next), notBefore(run.now, model.nextWakeup(housekeeping)))
      }
      return
    }
    case "end claim": {
      const claim = run.claims[command.nth % Math.max(1, run.claims.length)]
      if (claim === undefined) return
      const again = command.again === null ? null : run.moment(command.again)
      const due = yield* again === null ? found.wakeups.complete(claim) : found.wakeups.defer(claim, again)
      assert.strictEqual(due, model.endClaim(claim, again))
      return
    }
    case "page by id":
      return yield* pages(run, found, command.limit)
  }
})

/** Where the contacts of a page lie, of those of batches in their order. */
const contactsListed = (own: ReadonlyArray<Batch>, { page, page_size }: PageRequest) => {
  const all = own.flatMap((batch) =>
    batch.purging_since === undefined ? Array.from({ length: batch.total_contacts }, (_, row) => ({ batch, row })) : [],
  )
  const onPage = Map.groupBy(all.slice((page - 1) * page_size, page * page_size), ({ batch }) => batch)
  const items = [...onPage].map(([batch, rows]) => ({ batch, from: rows[0]?.row ?? 0, count: rows.length }))
  return { items, total: all.length }
}

/** Everything that was written, read once more by its id. */
const everything = Effect.fnUntraced(function* (run: Run, found: Ports) {
  const { model } = run
  for (let nth = 0; nth < cast.organizations; nth++) {
    const id = run.organization(nth)
    assert.deepStrictEqual(yield* found.accounts.organization(id), model.row("organization", id))
    assert.deepStrictEqual(yield* found.audit.after(id, 0, 1_000), model.audit(id))
    const keyed = model.listed("phone_number").filter(({ organization_id }) => organization_id === id)
    const texts = keyed.map(({ phone_number }) => phone_number)
    assert.deepStrictEqual(yield* found.accounts.numbers(id), texts)
    assert.strictEqual(yield* found.accounts.numberCount(id), keyed.length)
    assert.deepStrictEqual(yield* found.accounts.numbersFrom(id, 1, 1), keyed.slice(1, 2))
  }
  for (let nth = 0; nth < cast.agents; nth++) {
    const organizationId = run.organization(nth % cast.organizations)
    assert.deepStrictEqual(yield* found.agents.find(organizationId, run.agent(nth)), model.row("agent", run.agent(nth)))
  }
  for (let nth = 0; nth < cast.campaigns; nth++) {
    const id = run.campaign(nth)
    assert.deepStrictEqual(yield* found.campaigns.locate(id), model.row("campaign", id))
    assert.deepStrictEqual(yield* found.batches.unfinished(id), model.unfinished(id))
    if (model.row("campaign", id) === null) continue
    const own = model.listed("batch").filter(({ campaign_id }) => campaign_id === id)
    const page = { page: 1, page_size: limits.pageSize.max }
    assert.deepStrictEqual(yield* found.batches.pageOfCampaign(id, page), { items: own, total: own.length })
    const movable = own.filter(({ status }) => status !== "completed" && status !== "failed")
    assert.deepStrictEqual(yield* found.batches.movable(id), movable)
    const bytes = movable.reduce((sum, row) => sum + jsonBytes(row), 0)
    assert.strictEqual(yield* found.batches.movableBytes(id), bytes)
    assert.deepStrictEqual(yield* found.batches.contactsOfCampaign(id, page), contactsListed(own, page))
  }
  for (let nth = 0; nth < cast.batches; nth++) {
    const id = run.batchId(nth)
    assert.deepStrictEqual(yield* found.batches.locate(id), model.row("batch", id))
    assert.deepStrictEqual(yield* found.contacts.rows(id, 0, 1_000), model.contacts(id))
    assert.deepStrictEqual(withoutZeros(yield* found.tallies.read(id)), withoutZeros(model.tally(id)))
    for (const to_number of numbers) {
      const waiting = model.waitingForNumber().filter((contact) => {
        const { entry } = model.contacts(contact.batch_id).find(({ row }) => row === contact.row) ?? {}
        return contact.batch_id === id && contact.campaign_id === null && entry?.to_number === to_number
      })
      if (run.batch(nth).campaign_id !== null) continue
      checkHeirs(yield* found.contacts.heirs(id, to_number), waiting)
    }
  }
  for (let nth = 0; nth < cast.calls; nth++) {
    const id = run.call(nth)
    assert.deepStrictEqual(yield* found.calls.locate(id), model.row("call", id))
    assert.isNull(yield* found.calls.find(run.organization((nth + 1) % cast.organizations), id))
    assert.deepStrictEqual(yield* found.deliveries.event(run.event(nth)), model.row("event", run.event(nth)))
  }
})

/** Who claims. */
const owner = "prc_script"

/**
 * Holds a store against a pure model: one script of commits, reads and claims, done to both step by step, and each answer the same. What
 * the ports leave open (which of several conflicts is named, which of several contacts waits first) is accepted as it comes.
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<DifferentialPorts, E>,
  { numRuns }: { readonly numRuns: number },
): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("answers every step of a script as a store of plain maps does", () =>
      Effect.flatMap(ports, (found) =>
        law(
          script,
          Effect.fnUntraced(function* (commands) {
            const run = new Run()
            const since = new Map<string, number>()
            yield* found.wakeups.clearAll
            for (const command of commands) yield* step(run, found, command, since)
            yield* everything(run, found)
            yield* found.wakeups.clearAll
          }),
          { numRuns },
        ),
      ),
    )
  })
