import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { Call, DialState } from "../calls/rules/Call.ts"
import { callStatuses, isTerminal } from "../calls/rules/CallStatus.ts"
import { type CallFilter, CallStore } from "../calls/ports/CallStore.ts"
import type { WatchedCall } from "../calls/rules/WatchedCall.ts"
import { Store } from "../engine/ports/Store.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { SlotLevel } from "../limits/rules/SlotLevels.ts"
import { jsonBytes } from "../Measure.ts"
import type { ListPlace, Placed } from "../Pagination.ts"
import { usageDayMs } from "../usage/rules/Usage.ts"
import { chosenObject } from "./Chosen.ts"
import { law } from "./Law.ts"
import { refusalOf } from "./Refusals.ts"
import { fresh, sampleCall, sampleCommit, sampleEpoch, sampleSlot } from "./Samples.ts"

type Facts = Pick<
  Call,
  | "status"
  | "direction"
  | "agent_id"
  | "batch_id"
  | "campaign_id"
  | "contact_id"
  | "parent_execution_id"
  | "to_number"
  | "from_number"
  | "created_at"
  | "answered_by_voicemail"
>

// Few values each, so that filters meet rows and rows meet one another.
const midnight = Math.floor(sampleEpoch / usageDayMs) * usageDayMs

/** Around the change of some days: a store may count days that a list has whole without looking at their calls. */
const midnights = fc
  .tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -1, max: 1 }))
  .map(([days, ms]) => midnight + days * usageDayMs + ms)

const facts: fc.Arbitrary<Facts> = fc.record({
  status: fc.constantFrom(...callStatuses),
  direction: fc.constantFrom("inbound", "outbound"),
  agent_id: fc.constantFrom("agt_a", "agt_b"),
  batch_id: fc.constantFrom(null, "bat_a", "bat_b"),
  campaign_id: fc.constantFrom(null, "cmp_a", "cmp_b"),
  contact_id: fc.constantFrom(null, "con_a", "con_b"),
  parent_execution_id: fc.constantFrom(null, "exec_a", "exec_b"),
  to_number: fc.constantFrom("+15555550100", "+15555550101"),
  from_number: fc.constantFrom(null, "+15555550200", "+15555550201"),
  created_at: fc.oneof(
    fc.nat(5).map((n) => sampleEpoch + n),
    midnights,
  ),
  answered_by_voicemail: fc.constantFrom(null, false, true),
})

const fullFilter = fc.record({
  statuses: fc.uniqueArray(fc.constantFrom(...callStatuses), { maxLength: 4 }).map((statuses) => new Set(statuses)),
  voicemail: fc.boolean(),
  direction: fc.constantFrom<Call["direction"]>("inbound", "outbound"),
  agent_id: fc.constantFrom("agt_a", "agt_b", "agt_none"),
  batch_id: fc.constantFrom("bat_a", "bat_b", "bat_none"),
  campaign_id: fc.constantFrom("cmp_a", "cmp_b"),
  contact_id: fc.constantFrom("con_a", "con_b"),
  parent_execution_id: fc.constantFrom("exec_a", "exec_b"),
  to_number: fc.constantFrom("+15555550100", "+15555550101", "+15555550199"),
  from_number: fc.constantFrom("+15555550200", "+15555550201"),
  from_date: fc.oneof(
    fc.integer({ min: -1, max: 6 }).map((n) => sampleEpoch + n),
    midnights,
  ),
  to_date: fc.oneof(
    fc.integer({ min: -1, max: 6 }).map((n) => sampleEpoch + n),
    midnights,
  ),
})

const fields = [
  "statuses",
  "voicemail",
  "direction",
  "agent_id",
  "batch_id",
  "campaign_id",
  "contact_id",
  "parent_execution_id",
  "to_number",
  "from_number",
  "from_date",
  "to_date",
] as const

/** What a list of a long time may ask for as well without each of its calls being counted. */
const fieldsOfPeriods = ["from_date", "to_date", "agent_id", "campaign_id", "statuses", "voicemail"] as const

// Up to three at once: more leave nothing to find. The union of statuses and voicemails is worth a case of its own.
const filters: fc.Arbitrary<CallFilter> = fc
  .tuple(
    fullFilter,
    fc.oneof(
      { weight: 5, arbitrary: fc.subarray([...fields], { maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constant(["statuses", "voicemail"] as const) },
      { weight: 3, arbitrary: fc.subarray([...fieldsOfPeriods], { minLength: 1, maxLength: 4 }) },
    ),
  )
  .map(([full, chosen]) => Object.fromEntries(chosen.map((field) => [field, full[field]])))

const equalities = [
  "direction",
  "agent_id",
  "batch_id",
  "campaign_id",
  "contact_id",
  "parent_execution_id",
  "to_number",
  "from_number",
] as const

/** What a filter means, said without any index. */
const matches = (call: Call, filter: CallFilter): boolean => {
  if (call.folded_into !== null) return false
  if (filter.from_date !== undefined && call.created_at < filter.from_date) return false
  if (filter.to_date !== undefined && call.created_at > filter.to_date) return false
  if (filter.statuses !== undefined || filter.voicemail === true) {
    const byStatus = filter.statuses?.has(call.status) ?? false
    const byVoicemail = filter.voicemail === true && call.answered_by_voicemail === true
    if (!byStatus && !byVoicemail) return false
  }
  return equalities.every((field) => filter[field] === undefined || filter[field] === call[field])
}

/** Rows in the order of their first commits, newest first where they were created at the same moment. */
const newestFirst = (rows: ReadonlyArray<Call>): ReadonlyArray<Call> =>
  rows
    .map((row, order) => ({ row, order }))
    .sort((a, b) => b.row.created_at - a.row.created_at || b.order - a.order)
    .map(({ row }) => row)

const putCall = Effect.fnUntraced(function* (row: Call) {
  yield* (yield* Store).commit(sampleCommit(row.organization_id, { changes: [{ put: "call", row }] }))
})

/** Walks pages "after the given id" to their end. */
const walk = (
  page: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<Call>, PortError>,
  limit: number,
) =>
  Effect.gen(function* () {
    const found: Array<Call> = []
    for (let after: string | null = null; ;) {
      const rows: ReadonlyArray<Call> = yield* page(after, limit)
      assert.isAtMost(rows.length, limit)
      found.push(...rows)
      if (rows.length < limit) return found
      after = rows.at(-1)?.execution_id ?? null
    }
  })

const idsOf = (rows: ReadonlyArray<Call>): ReadonlyArray<string> => rows.map((row) => row.execution_id)

/** Lays down what every adapter of `CallStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | CallStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("shows a call to its own organization only, and to wake-ups and reports by its id alone", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const calls = yield* CallStore
        const call = sampleCall(fresh("org_"))
        const media = {
          execution_id: call.execution_id,
          organization_id: call.organization_id,
          revision: 1,
          transcript: "agent: Hello",
          setup: null,
          turns: null,
        }
        yield* store.commit(
          sampleCommit(call.organization_id, {
            changes: [
              { put: "call", row: call },
              { put: "call_media", row: media },
            ],
          }),
        )
        const stranger = fresh("org_")
        assert.deepStrictEqual(yield* calls.find(call.organization_id, call.execution_id), call)
        assert.deepStrictEqual(yield* calls.media(call.organization_id, call.execution_id), media)
        assert.deepStrictEqual(yield* calls.locate(call.execution_id), call)
        assert.isNull(yield* calls.find(stranger, call.execution_id))
        assert.isNull(yield* calls.media(stranger, call.execution_id))
        assert.isNull(yield* calls.locate(fresh("exec_")))
        assert.deepStrictEqual(yield* calls.page(stranger, {}, { page: 1, page_size: 10 }), { items: [], total: 0 })
      }),
    )

    it.effect("keeps what customers name and write, to the letter and in its order", () =>
      law(
        fc.tuple(chosenObject, chosenObject),
        Effect.fnUntraced(function* ([variables, extracted_data]) {
          const calls = yield* CallStore
          const call = sampleCall(fresh("org_"), { variables, extracted_data })
          yield* putCall(call)
          const stored = yield* calls.find(call.organization_id, call.execution_id)
          assert.strictEqual(JSON.stringify(stored?.variables), JSON.stringify(variables))
          assert.strictEqual(JSON.stringify(stored?.extracted_data), JSON.stringify(extracted_data))
        }),
        { numRuns: 100 },
      ),
    )

    it.effect("lists what matches any combination of filters, newest first, with the exact total", () =>
      law(
        fc.record({
          created: fc.array(facts, { minLength: 1, maxLength: 20 }),
          changed: fc.array(fc.tuple(fc.nat(), facts), { maxLength: 10 }),
          folded: fc.array(fc.nat(), { maxLength: 2 }),
          asked: fc.array(filters, { minLength: 1, maxLength: 8 }),
          page_size: fc.integer({ min: 1, max: 7 }),
        }),
        Effect.fnUntraced(function* ({ created, changed, folded, asked, page_size }) {
          const calls = yield* CallStore
          const organizationId = fresh("org_")
          const rows = created.map((changes) => sampleCall(organizationId, changes))
          yield* Effect.forEach(rows, putCall, { discard: true })
          const replace = (nth: number, change: (row: Call) => Call) => {
            const position = nth % rows.length
            const before = rows[position]
            assert(before !== undefined)
            const row = { ...change(before), revision: before.revision + 1 }
            rows[position] = row
            return putCall(row)
          }
          for (const [nth, { created_at: _, ...changes }] of changed)
            yield* replace(nth, (row) => ({ ...row, ...changes }))
          for (const nth of folded) yield* replace(nth, (row) => ({ ...row, folded_into: "exec_survivor" }))
          for (const filter of [{}, ...asked]) {
            const expected = newestFirst(rows.filter((row) => matches(row, filter)))
            const pages = Math.ceil(expected.length / page_size) + 1
            const items: Array<Call> = []
            for (let page = 1; page <= pages; page++) {
              const answer = yield* calls.page(organizationId, filter, { page, page_size })
              assert.strictEqual(answer.total, expected.length)
              assert.isAtMost(answer.items.length, page_size)
              items.push(...answer.items)
            }
            assert.deepStrictEqual(items, expected)
          }
        }),
        { numRuns: 60 },
      ),
    )

    it.effect("tells apart calls that one commit created at one moment", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const calls = yield* CallStore
        const organizationId = fresh("org_")
        const rows = Array.from({ length: 3 }, () => sampleCall(organizationId))
        yield* store.commit(
          sampleCommit(organizationId, { changes: rows.map((row) => ({ put: "call" as const, row })) }),
        )
        const [first, second, third] = rows
        assert(first !== undefined && second !== undefined && third !== undefined)
        yield* putCall({ ...third, revision: 2, status: "completed" })
        yield* putCall({ ...first, revision: 2, status: "completed" })
        const listed = (filter: CallFilter) =>
          Effect.map(calls.page(organizationId, filter, { page: 1, page_size: 10 }), ({ items }) =>
            idsOf(items).toSorted(),
          )
        assert.deepStrictEqual(yield* listed({}), idsOf(rows).toSorted())
        assert.deepStrictEqual(yield* listed({ statuses: new Set(["queued"]) }), [second.execution_id])
        const done = [first.execution_id, third.execution_id].toSorted()
        assert.deepStrictEqual(yield* listed({ statuses: new Set(["completed"]) }), done)
      }),
    )

    it.effect("counts and lists the calls that hold a line: dialled, outbound, the final report not yet heard", () =>
      law(
        fc.array(
          fc.record({
            dial: fc.constantFrom<DialState>("none", "intended", "accepted", "unconfirmed", "refused"),
            direction: fc.constantFrom<Call["direction"]>("inbound", "outbound"),
            agent: fc.constantFrom("a", "b"),
            campaign: fc.constantFrom(null, "c"),
            over: fc.boolean(),
            // A finished call may wait for its final report, and only that gives the line back.
            status: fc.constantFrom(...callStatuses),
          }),
          { maxLength: 12 },
        ),
        Effect.fnUntraced(function* (described) {
          const calls = yield* CallStore
          const organizationId = fresh("org_")
          const named = (kind: string, name: string) => `${kind}_${name}_${organizationId}`
          const rows = described.map(({ dial, direction, agent, campaign, over, status }) => {
            const call = sampleCall(organizationId, {
              dial,
              direction,
              status,
              agent_id: named("agt", agent),
              campaign_id: campaign === null ? null : named("cmp", campaign),
              completed_at: isTerminal(status) ? sampleEpoch : null,
            })
            return { ...call, slot: sampleSlot(call, 1), final_report_at: over ? sampleEpoch : null }
          })
          const holders = () =>
            Effect.map(walk(calls.holders, 3), (found) => found.filter((row) => row.organization_id === organizationId))
          const level = (name: SlotLevel, key: string) => ({ level: name, key, ceiling: null })
          const [before = 0] = yield* calls.holding([level("platform", "platform")])
          // Each is first written as dialled and live, so that it must leave the count as well as stay out of it.
          for (const row of rows) {
            yield* putCall({ ...row, dial: "intended", direction: "outbound", final_report_at: null })
            yield* putCall({ ...row, revision: 2 })
          }
          const holding = rows.filter(
            (row) =>
              row.direction === "outbound" &&
              row.dial !== "none" &&
              row.dial !== "refused" &&
              row.final_report_at === null,
          )
          assert.deepStrictEqual(idsOf(yield* holders()).toSorted(), idsOf(holding).toSorted())
          const a = named("agt", "a")
          const c = named("cmp", "c")
          const counts = yield* calls.holding([
            level("platform", "platform"),
            level("organization", organizationId),
            level("agent", a),
            level("campaign", c),
            level("campaign", named("cmp", "none")),
          ])
          assert.deepStrictEqual(counts, [
            before + holding.length,
            holding.length,
            holding.filter((row) => row.agent_id === a).length,
            holding.filter((row) => row.campaign_id === c).length,
            0,
          ])
        }),
        { numRuns: 25 },
      ),
    )

    it.effect("goes through the listed calls of an organization, oldest first, whatever comes and goes meanwhile", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const calls = yield* CallStore
        const organizationId = fresh("org_")
        const at = (nth: number) => sampleCall(organizationId, { created_at: sampleEpoch + nth })
        const rows = [2, 1, 1, 0, 2, 1].map(at)
        const changes = rows.map((row) => ({ put: "call", row }) as const)
        yield* store.commit(sampleCommit(organizationId, { changes }))
        yield* putCall(at(0))
        yield* putCall(sampleCall(fresh("org_")))
        const [, folded, gone] = rows
        assert(folded !== undefined && gone !== undefined)
        yield* putCall({ ...folded, revision: 2, folded_into: "exec_survivor" })
        const found = [...(yield* calls.oldest(organizationId, { after: null, limit: 2 }))]
        yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "erased_call", call: gone }] }))
        const late = at(-1)
        yield* putCall(late)
        for (;;) {
          const page = yield* calls.oldest(organizationId, { after: found.at(-1)?.place ?? null, limit: 2 })
          assert.isAtMost(page.length, 2)
          if (page.length === 0) break
          found.push(...page)
        }
        const { items } = yield* calls.page(organizationId, {}, { page: 1, page_size: 100 })
        assert.deepStrictEqual(
          found.map(({ row }) => row.execution_id),
          idsOf(items.toReversed()).filter((id) => id !== late.execution_id),
        )
        assert.lengthOf(found, 5)
        assert.deepStrictEqual(yield* calls.oldest(fresh("org_"), { after: null, limit: 2 }), [])
      }),
    )

    it.effect("gives large calls one after the other where they are more than one answer carries", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const organizationId = fresh("org_")
        const large = { text: "x".repeat(limits.rowBytes - 4_096) }
        const rows = Array.from({ length: 4 }, () => sampleCall(organizationId, { variables: large }))
        yield* Effect.forEach(rows, putCall, { discard: true })
        const found: Array<string> = []
        for (let after: ListPlace | null = null; ;) {
          const page: ReadonlyArray<Placed<Call>> = yield* calls.oldest(organizationId, { after, limit: 100 })
          found.push(...page.map(({ row }) => row.execution_id))
          after = page.at(-1)?.place ?? null
          if (after === null) break
        }
        assert.deepStrictEqual(found, idsOf(rows))
      }),
    )

    it.effect("refuses a page of more bytes of rows than one answer carries, and no smaller one", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        for (const text of ["x", "…", '"']) {
          const organizationId = fresh("org_")
          const variables = { text: text.repeat((limits.rowBytes - 8_192) / (jsonBytes(text) - jsonBytes(""))) }
          yield* Effect.forEach([1, 2], () => putCall(sampleCall(organizationId, { variables })))
          yield* Effect.forEach([1, 2, 3], () => putCall(sampleCall(organizationId, { variables: { text: "small" } })))
          const page = (page_size: number) => calls.page(organizationId, {}, { page: 1, page_size })
          assert.lengthOf((yield* page(100)).items, 5)
          yield* putCall(sampleCall(organizationId, { variables: { text: "x".repeat(32_768) } }))
          assert.deepInclude(yield* refusalOf(page(100)), { _tag: "InvalidField", field: "page_size" })
          assert.lengthOf((yield* page(5)).items, 5)
        }
      }),
    )

    it.effect("lists the calls that are due, folded ones left out, in pages", () =>
      Effect.gen(function* () {
        const calls = yield* CallStore
        const organizationId = fresh("org_")
        const rows = Array.from({ length: 7 }, (_, n) =>
          sampleCall(organizationId, { due_at: n % 3 === 0 ? null : sampleEpoch + n }),
        )
        yield* Effect.forEach(rows, putCall, { discard: true })
        const [, looked, folded, , booked] = rows
        assert(looked !== undefined && folded !== undefined && booked !== undefined)
        yield* putCall({ ...looked, revision: 2, due_at: null })
        yield* putCall({ ...folded, revision: 2, due_at: null, folded_into: "exec_survivor" })
        yield* putCall({ ...booked, revision: 2, due_at: sampleEpoch + 60_000 })
        const due = yield* walk(calls.due, 2)
        const own = due.filter((row) => row.organization_id === organizationId)
        const expected = rows.flatMap((row) =>
          row.due_at === null || row === looked || row === folded ? [] : [row.execution_id],
        )
        assert.deepStrictEqual(idsOf(own).toSorted(), expected.toSorted())
        assert.strictEqual(own.find((row) => row.execution_id === booked.execution_id)?.due_at, sampleEpoch + 60_000)
      }),
    )

    it.effect("gives the watched calls of a campaign that ended last, newest first, as they are known", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const calls = yield* CallStore
        const organizationId = fresh("org_")
        const campaign_id = fresh("cmp_")
        const ended = (at: number, changes: Partial<Call> = {}) =>
          sampleCall(organizationId, {
            campaign_id,
            watched: true,
            status: "completed",
            completed_at: sampleEpoch + at,
            ...changes,
          })
        const [late, early, same, folded, erased] = [ended(9), ended(2), ended(9), ended(3), ended(4)]
        const live = ended(0, { status: "in-progress", completed_at: null })
        const others = [
          ended(5, { status: "stopped" }),
          ended(5, { campaign_id: fresh("cmp_") }),
          ended(5, { campaign_id: null }),
          ended(5, { folded_into: "exec_survivor" }),
        ]
        const { watched: _watched, ...unwatched } = ended(6)
        yield* Effect.forEach([late, early, live, ...others, unwatched, folded, erased, same], putCall, {
          discard: true,
        })
        yield* putCall({ ...early, revision: 2, answered_by_voicemail: true, duration_seconds: 3.5 })
        yield* putCall({ ...live, revision: 2, status: "busy", completed_at: sampleEpoch + 7 })
        yield* putCall({ ...folded, revision: 2, folded_into: "exec_survivor" })
        yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "erased_call", call: erased }] }))
        const seen = (at: number, changes: Partial<WatchedCall> = {}): WatchedCall => ({
          status: "completed",
          voicemail: false,
          duration_seconds: null,
          ended_at: sampleEpoch + at,
          ...changes,
        })
        const expected = [
          seen(9),
          seen(9),
          seen(7, { status: "busy" }),
          seen(2, { voicemail: true, duration_seconds: 3.5 }),
        ]
        assert.deepStrictEqual(yield* calls.watched(campaign_id, 10), expected)
        assert.deepStrictEqual(yield* calls.watched(campaign_id, 3), expected.slice(0, 3))
        assert.deepStrictEqual(yield* calls.watched(fresh("cmp_"), 3), [])
      }),
    )

    it.effect(
      "finds the live call of a lane to a number, counts those of an organization from one, and forgets what is erased",
      () =>
        Effect.gen(function* () {
          const store = yield* Store
          const calls = yield* CallStore
          const organizationId = fresh("org_")
          const [campaign_id, batch_id] = [fresh("cmp_"), fresh("bat_")]
          const from_number = "+15550001111"
          const to_number = "+15550002222"
          const own = sampleCall(organizationId, { campaign_id, batch_id, to_number, from_number, dial: "intended" })
          const alone = sampleCall(organizationId, { batch_id, to_number, from_number, dial: "accepted" })
          const over = sampleCall(organizationId, {
            campaign_id,
            batch_id,
            to_number,
            dial: "accepted",
            final_report_at: 1,
          })
          yield* Effect.forEach([own, alone, over], putCall, { discard: true })
          const count = calls.live([
            { organization_id: organizationId, from_number },
            { organization_id: organizationId, from_number: to_number },
          ])
          const onNumber = Effect.all([
            calls.onNumber(campaign_id, to_number),
            calls.onNumber(batch_id, to_number),
            calls.onNumber(campaign_id, from_number),
          ])
          assert.deepStrictEqual(yield* count, [2, 0])
          assert.deepStrictEqual(yield* onNumber, [own, alone, null])
          const erase = () =>
            store.commit(sampleCommit(organizationId, { changes: [{ put: "erased_call", call: own }] }))
          yield* erase()
          assert.deepStrictEqual(yield* count, [1, 0])
          assert.deepStrictEqual(yield* onNumber, [null, alone, null])
          assert.isNull(yield* calls.find(organizationId, own.execution_id))
          const page = yield* calls.page(organizationId, { campaign_id }, { page: 1, page_size: 10 })
          assert.deepStrictEqual(idsOf(page.items), [over.execution_id])
          assert.deepInclude(yield* Effect.flip(erase()), { _tag: "Conflict", kind: "call" })
        }),
    )

    it.effect(
      "goes through the oldest calls of an organization, and forgets those that are removed with all of them",
      () =>
        Effect.gen(function* () {
          const store = yield* Store
          const calls = yield* CallStore
          const organizationId = fresh("org_")
          const own = (at: number, changes: Partial<Call> = {}) =>
            sampleCall(organizationId, { created_at: sampleEpoch + at, ...changes })
          // Some are of one moment.
          const rows = [own(2), own(1), own(1), own(1), own(3, { folded_into: "exec_survivor" }), own(4), own(5)]
          yield* Effect.forEach([...rows, sampleCall(fresh("org_"))], putCall, { discard: true })
          const inOrder = rows
            .filter(({ folded_into }) => folded_into === null)
            .toSorted((a, b) => a.created_at - b.created_at)
          const oldest = Effect.fnUntraced(function* (before: number, limit: number) {
            const found: Array<Call> = []
            for (let after: ListPlace | null = null; ;) {
              const page: ReadonlyArray<Placed<Call>> = yield* calls.oldest(organizationId, { before, after, limit })
              assert.isAtMost(page.length, limit)
              found.push(...page.map(({ row }) => row))
              after = page.at(-1)?.place ?? null
              if (after === null) return found
            }
          })
          for (const limit of [1, 2, 10]) {
            assert.deepStrictEqual(yield* oldest(sampleEpoch + 6, limit), inOrder)
            assert.deepStrictEqual(yield* oldest(sampleEpoch + 5, limit), inOrder.slice(0, -1))
          }
          const [first, second] = inOrder
          assert(first !== undefined && second !== undefined)
          const media = { transcript: "Hello.", setup: null, turns: null, revision: 1, organization_id: organizationId }
          const said = { ...media, execution_id: first.execution_id }
          yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "call_media", row: said }] }))
          const removal = ({ execution_id: id, revision }: Call) =>
            ({ put: "removal", organization_id: organizationId, kind: "call", id, revision }) as const
          const remove = (...removed: ReadonlyArray<Call>) =>
            store.commit(
              sampleCommit(organizationId, {
                changes: removed.flatMap((call) => [
                  removal(call),
                  { put: "discard", organization_id: organizationId, kind: "call_media", id: call.execution_id },
                ]),
              }),
            )
          const changed = { ...second, revision: 2 }
          yield* putCall(changed)
          const conflict = { _tag: "Conflict", kind: "call", id: second.execution_id } as const
          assert.deepInclude(yield* Effect.flip(remove(first, second)), conflict)
          assert.deepStrictEqual(yield* calls.media(organizationId, first.execution_id), said)
          yield* remove(first, changed)
          assert.deepStrictEqual(yield* oldest(sampleEpoch + 6, 2), inOrder.slice(2))
          assert.isNull(yield* calls.locate(first.execution_id))
          assert.isNull(yield* calls.media(organizationId, first.execution_id))
          const page = yield* calls.page(organizationId, {}, { page: 1, page_size: 1 })
          assert.strictEqual(page.total, inOrder.length - 2)
          assert.deepInclude(yield* Effect.flip(remove(changed)), conflict)
        }),
    )
  })
