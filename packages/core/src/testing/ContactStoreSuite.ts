import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { Batch } from "../batches/rules/Batch.ts"
import { type Contact, type ContactEntry, contactId, isWaiting } from "../contacts/rules/Contact.ts"
import { untouched } from "../contacts/rules/ContactProgress.ts"
import { type ContactChoice, ContactStore } from "../contacts/ports/ContactStore.ts"
import type { ContactTimes } from "../contacts/rules/ContactTimes.ts"
import { Store } from "../engine/ports/Store.ts"
import type { JsonObject } from "../Json.ts"
import { chosenObject } from "./Chosen.ts"
import { checkFound, checkHeirs, inTurn } from "./Heirs.ts"
import { law } from "./Law.ts"
import { fresh, sampleBatch, sampleCommit, sampleEpoch } from "./Samples.ts"

const entriesOf = (count: number): ReadonlyArray<ContactEntry> =>
  Array.from({ length: count }, (_, n) => ({ to_number: `+1555${1_000_000 + (n % 3)}`, variables: { n } }))

type Command =
  | {
      readonly do: "take"
      readonly advance: number
      readonly inHours: boolean
      readonly besides: number
      readonly choice: ContactChoice
      readonly marks: ReadonlyArray<string> | null
    }
  | { readonly do: "end"; readonly nth: number; readonly after: number; readonly inHoursOnly: boolean }
  | { readonly do: "finish"; readonly nth: number }
  | { readonly do: "wait"; readonly nth: number; readonly since: number | null }
  | { readonly do: "leave out"; readonly nth: number }

/** Whose hours contacts may wait for. */
const marks = ["", "Europe/Paris", "+1212", 'Odd "zone", {+1}']

const commands: fc.Arbitrary<ReadonlyArray<Command>> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("take" as const),
        advance: fc.nat(4),
        inHours: fc.boolean(),
        besides: fc.nat(3),
        choice: fc.constantFrom("all" as const, "unheld" as const),
        marks: fc.option(fc.subarray(marks)),
      }),
    },
    fc.record({ do: fc.constant("end" as const), nth: fc.nat(), after: fc.nat(12), inHoursOnly: fc.boolean() }),
    fc.record({ do: fc.constant("finish" as const), nth: fc.nat() }),
    fc.record({ do: fc.constant("wait" as const), nth: fc.nat(), since: fc.option(fc.nat(2)) }),
    fc.record({ do: fc.constant("leave out" as const), nth: fc.nat() }),
  ),
  { maxLength: 40 },
)

/** Contacts of two batches that wait for one of three moments, in the order in which they are written. */
const waiters = fc.array(
  fc.record({
    batch: fc.nat(1),
    row: fc.nat(4),
    after: fc.nat(2),
    hours_of: fc.constantFrom(...marks),
    in_hours_only: fc.boolean(),
    holds: fc.nat(1),
  }),
  { minLength: 2, maxLength: 16, size: "max" },
)

/** Contacts of two batches that wait for one number, since some moment each; some of them were set aside again. */
const waitingContacts = fc.record({
  since: fc.array(fc.nat(3), { minLength: 1, maxLength: 8 }),
  batches: fc.array(fc.nat(1), { minLength: 1, maxLength: 8 }),
  setAside: fc.array(fc.nat(), { maxLength: 8 }),
})

/** What customers may write that looks like a priority, and what a store of documents may not be able to read from one. */
const misleading: ReadonlyArray<JsonObject> = [
  {},
  { priority: 9 },
  { nested: { a: 1, priority: 0 } },
  { text: ',"priority":9}' },
  { "\u0000": "\ud800" },
  { 'priority":9}': "\\" },
]

/** The priorities of the contacts of some batches, which of them are called by priority, and which of those is due again. */
const prioritised = fc.record({
  given: fc.array(fc.array(fc.option(fc.nat(9)), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
  isReversed: fc.boolean(),
  isTaken: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
  due: fc.nat(6),
})

/** The contacts of two batches, said without any index. */
class Model {
  readonly rows: ReadonlyArray<{ readonly batch: Batch; readonly row: number; readonly entry: ContactEntry }>
  readonly touched = new Map<string, Contact>()

  constructor(batches: ReadonlyArray<Batch>) {
    this.rows = batches.flatMap((batch) => entriesOf(batch.total_contacts).map((entry, row) => ({ batch, row, entry })))
  }

  waiting(): ReadonlyArray<Contact> {
    return [...this.touched.values()].filter((contact) => contact.eligible_at !== null && isWaiting(contact.status))
  }

  due(now: number, inHours: boolean, open: ReadonlyArray<string> | null): ReadonlyArray<Contact> {
    return this.waiting().filter(
      ({ eligible_at, hours_of = "", in_hours_only }) =>
        (eligible_at ?? Infinity) <= now && (inHours || !in_hours_only) && (open === null || open.includes(hours_of)),
    )
  }

  times(now: number): ContactTimes {
    const at = ({ eligible_at }: Contact) => eligible_at ?? 0
    const wait = (some: ReadonlyArray<Contact>) => {
      const later = some.map(at).filter((time) => time > now)
      return { contacts: later.length, next_due: later.length === 0 ? null : Math.min(...later) }
    }
    const last = (some: ReadonlyArray<Contact>) => (some.length === 0 ? null : Math.max(...some.map(at)))
    const waiting = this.waiting()
    return {
      held: wait(waiting.filter(({ holds }) => holds > 0)),
      planned: wait(waiting.filter(({ holds }) => holds === 0)),
      last: {
        anytime: last(waiting.filter(({ in_hours_only }) => !in_hours_only)),
        in_hours: last(waiting.filter(({ in_hours_only }) => in_hours_only)),
      },
    }
  }

  /** The longest due first; of those of one time batches in their order, and rows in theirs. */
  inOrder(due: ReadonlyArray<Contact>): ReadonlyArray<Contact> {
    const place = ({ contact_id }: Contact) =>
      this.rows.findIndex(({ batch, row }) => contactId(batch.batch_id, row) === contact_id)
    const at = ({ eligible_at }: Contact) => eligible_at ?? 0
    return due.toSorted((one, other) => at(one) - at(other) || place(one) - place(other))
  }

  fresh() {
    return this.rows.filter(({ batch, row }) => !this.touched.has(contactId(batch.batch_id, row)))
  }
}

/** Lays down what every adapter of `ContactStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | ContactStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("keeps what customers name and write, to the letter and in its order", () =>
      law(
        fc.array(chosenObject, { minLength: 1, maxLength: 4 }),
        Effect.fnUntraced(function* (chosen) {
          const contacts = yield* ContactStore
          const batchId = fresh("bat_")
          yield* contacts.fill(
            batchId,
            0,
            chosen.map((variables) => ({ to_number: "+15550001111", variables })),
          )
          const stored = yield* contacts.rows(batchId, 0, chosen.length)
          assert.deepStrictEqual(
            stored.map(({ entry }) => JSON.stringify(entry.variables)),
            chosen.map((variables) => JSON.stringify(variables)),
          )
        }),
        { numRuns: 50 },
      ),
    )

    it.effect(
      "is a queue: who is due goes first, the longest due before all, then who was never touched, each in order",
      () =>
        law(
          commands,
          Effect.fnUntraced(function* (script) {
            const store = yield* Store
            const contacts = yield* ContactStore
            const organizationId = fresh("org_")
            const batches = [
              sampleBatch(organizationId, { total_contacts: 5 }),
              sampleBatch(organizationId, { total_contacts: 3 }),
            ]
            const ids = batches.map((batch) => batch.batch_id)
            for (const batch of batches) {
              const entries = entriesOf(batch.total_contacts)
              yield* contacts.fill(batch.batch_id, 0, entries.slice(0, 2))
              yield* contacts.fill(batch.batch_id, 2, entries.slice(2))
              yield* contacts.fill(batch.batch_id, 2, entries.slice(2))
              yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "batch", row: batch }] }))
            }
            const model = new Model(batches)
            let now = sampleEpoch
            const put = Effect.fnUntraced(function* (row: Contact) {
              yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "contact", row }] }))
              model.touched.set(row.contact_id, row)
            })
            const some = (where: (contact: Contact) => boolean, nth: number): Contact | undefined => {
              const found = [...model.touched.values()].filter(where)
              return found[nth % Math.max(1, found.length)]
            }
            const underWay = (contact: Contact) => contact.status === "in_progress"
            for (const command of script) {
              switch (command.do) {
                case "take": {
                  now += command.advance
                  const open = command.marks === null ? {} : { marks: command.marks }
                  const moment = { now, in_hours: command.inHours, ...open }
                  const due = model.due(now, command.inHours, command.marks)
                  const known = new Set(model.waiting().map(({ hours_of = "" }) => hours_of))
                  assert.deepStrictEqual(yield* contacts.marks(ids), [...known].sort())
                  const load = yield* contacts.load(ids, moment)
                  const later = model.waiting().filter(({ eligible_at }) => (eligible_at ?? 0) > now)
                  assert.deepStrictEqual(load, {
                    dialable: due.length + model.fresh().length,
                    waits: model.waiting().length > due.length,
                    next_due: later.length === 0 ? null : Math.min(...later.map(({ eligible_at }) => eligible_at ?? 0)),
                  })
                  assert.deepStrictEqual(yield* contacts.times(ids, now), model.times(now))
                  const besides = due.slice(0, command.besides)
                  const left = due.slice(command.besides).filter(({ holds }) => command.choice === "all" || holds === 0)
                  const next = yield* contacts.next(ids, moment, besides, command.choice)
                  if (left.length > 0) {
                    assert.strictEqual(next?.contact?.contact_id, model.inOrder(left)[0]?.contact_id)
                  } else {
                    const [first] = model.fresh()
                    assert.deepStrictEqual(
                      next === null ? undefined : [next.batch_id, next.row, next.entry],
                      first === undefined ? undefined : [first.batch.batch_id, first.row, first.entry],
                    )
                  }
                  if (next === null) break
                  const batch = batches.find(({ batch_id }) => batch_id === next.batch_id)
                  if (batch === undefined) break
                  const before = next.contact ?? untouched(batch, contactId(next.batch_id, next.row), next.row)
                  yield* put({ ...before, revision: before.revision + 1, status: "in_progress", eligible_at: null })
                  break
                }
                case "end": {
                  const contact = some(underWay, command.nth)
                  if (contact === undefined) break
                  const eligible_at = now + command.after
                  const in_hours_only = command.inHoursOnly
                  yield* put({
                    ...contact,
                    revision: contact.revision + 1,
                    status: "retry_scheduled",
                    eligible_at,
                    in_hours_only,
                    hours_of: marks[command.nth % marks.length] ?? "",
                    holds: command.nth % 2,
                  })
                  break
                }
                case "finish": {
                  const contact = some(underWay, command.nth)
                  if (contact !== undefined)
                    yield* put({ ...contact, revision: contact.revision + 1, status: "completed" })
                  break
                }
                case "wait": {
                  const contact = some((each) => underWay(each) || isWaiting(each.status), command.nth)
                  if (contact === undefined) break
                  const waits_for_number = !contact.waits_for_number
                  yield* put({
                    ...contact,
                    revision: contact.revision + 1,
                    status: "pending",
                    eligible_at: waits_for_number ? null : now,
                    waits_for_number,
                    waits_since: command.since === null ? null : sampleEpoch + command.since,
                  })
                  break
                }
                case "leave out": {
                  const fresh = model.fresh()
                  const left = fresh[command.nth % Math.max(1, fresh.length)]
                  if (left === undefined) break
                  const { batch, row } = left
                  yield* put({
                    ...untouched(batch, contactId(batch.batch_id, row), row),
                    revision: 1,
                    status: "failed",
                  })
                }
              }
            }
            for (const { batch_id } of batches) {
              const waiting = [...model.touched.values()].filter(
                (each) => each.waits_for_number && each.batch_id === batch_id,
              )
              const inOrder = inTurn(waiting, ({ row }) => entriesOf(5)[row]?.to_number ?? "")
              const found = yield* contacts.waitingIn(batch_id, waiting.length + 1)
              checkFound(found, inOrder)
              for (const place of found) assert.deepStrictEqual(yield* contacts.find(batch_id, place.row), place)
              const most = Math.max(0, waiting.length - 1)
              checkFound(yield* contacts.waitingIn(batch_id, most), inOrder.slice(0, most))
              checkFound(yield* contacts.waitingIn(batch_id, most, [batch_id]), inOrder.slice(0, most))
              assert.deepStrictEqual(yield* contacts.waitingIn(batch_id, waiting.length + 1, ["bat_other"]), [])
            }
            for (const mark of new Set([...model.touched.values()].map(({ hours_of = "" }) => hours_of))) {
              const isMarked = ({ eligible_at, hours_of = "", in_hours_only }: Contact) =>
                in_hours_only && eligible_at !== null && hours_of === mark
              const marked = [...model.touched.values()].filter(isMarked)
              assert.sameDeepMembers([...(yield* contacts.marked(ids, mark, marked.length + 1))], marked)
              const most = Math.max(1, marked.length - 1)
              assert.lengthOf(yield* contacts.marked(ids, mark, most), Math.min(most, marked.length))
            }
            for (const { batch, row, entry } of model.rows) {
              const contact = model.touched.get(contactId(batch.batch_id, row)) ?? null
              const place = { batch_id: batch.batch_id, row, entry, contact }
              assert.deepStrictEqual(yield* contacts.find(batch.batch_id, row), place)
              assert.deepStrictEqual(yield* contacts.rows(batch.batch_id, row, 1), [place])
              const waiting = [...model.touched.values()].filter(
                (each) => each.waits_for_number && each.batch_id === batch.batch_id && each.row % 3 === row % 3,
              )
              checkHeirs(yield* contacts.heirs(batch.batch_id, entry.to_number), waiting)
            }
          }),
        ),
    )

    it.effect(
      "takes who was never touched by priority where that is asked for, whatever batch it is in, and who is due before",
      () =>
        law(
          prioritised,
          Effect.fnUntraced(function* ({ due, given, isReversed, isTaken }) {
            const store = yield* Store
            const contacts = yield* ContactStore
            const organizationId = fresh("org_")
            const batches = given.map(({ length }) => sampleBatch(organizationId, { total_contacts: length }))
            const order = isReversed ? batches.toReversed() : batches
            const ids = order.map(({ batch_id }) => batch_id)
            const left: Array<{ readonly batch: Batch; readonly row: number; readonly entry: ContactEntry }> = []
            for (const [nth, batch] of batches.entries()) {
              const entries = (given[nth] ?? [])
                .toSorted((one, other) => (other ?? 5) - (one ?? 5))
                .map((priority, n) => ({
                  to_number: `+1555${1_000_000 + n}`,
                  // It may stand anywhere in what is handed over.
                  ...(priority === null || n % 2 === 0 ? {} : { priority }),
                  variables: misleading[(nth + n) % misleading.length] ?? {},
                  ...(priority === null || n % 2 === 1 ? {} : { priority }),
                }))
              yield* contacts.fill(batch.batch_id, 0, entries)
              yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "batch", row: batch }] }))
              left.push(...entries.map((entry, row) => ({ batch, row, entry })))
            }
            const moment = { now: sampleEpoch, in_hours: true }
            const priority = ({ entry }: { readonly entry: ContactEntry }) => entry.priority ?? 5
            const place = ({ batch, row }: { readonly batch: Batch; readonly row: number }) =>
              order.indexOf(batch) * 100 + row
            const put = (batch: Batch, row: number, changes: Partial<Contact>) =>
              store.commit(
                sampleCommit(organizationId, {
                  changes: [
                    {
                      put: "contact",
                      row: { ...untouched(batch, contactId(batch.batch_id, row), row), revision: 1, ...changes },
                    },
                  ],
                }),
              )
            const next = (by_priority?: boolean) =>
              contacts.next(ids, by_priority === undefined ? moment : { ...moment, by_priority }, [], "all")
            for (let nth = 0; left.length > 0; nth++) {
              const inTurn = left.toSorted((one, other) => place(one) - place(other))
              const byPriority = inTurn.toSorted((one, other) => priority(other) - priority(one))
              for (const [found, expected] of [
                [yield* next(true), byPriority[0]],
                [yield* next(false), inTurn[0]],
                [yield* next(), inTurn[0]],
              ] as const) {
                assert.deepStrictEqual(
                  [found?.batch_id, found?.row, found?.entry, found?.contact],
                  [expected?.batch.batch_id, expected?.row, expected?.entry, null],
                )
              }
              const taken = isTaken[nth % isTaken.length] === true ? byPriority[0] : inTurn[0]
              if (taken === undefined) break
              left.splice(left.indexOf(taken), 1)
              yield* put(taken.batch, taken.row, { status: "in_progress" })
              if (nth !== due) continue
              const waits = { status: "retry_scheduled", eligible_at: sampleEpoch } as const
              yield* put(taken.batch, taken.row, { ...waits, revision: 2 })
              const found = yield* next(true)
              assert.strictEqual(found?.contact?.contact_id, contactId(taken.batch.batch_id, taken.row))
              yield* put(taken.batch, taken.row, { status: "completed", revision: 3 })
            }
            assert.isNull(yield* next(true))
          }),
          { numRuns: 50 },
        ),
    )

    it.effect(
      "takes those who are due at one time in order, whoever was written first and whatever hours they wait for",
      () =>
        law(
          waiters,
          Effect.fnUntraced(function* (script) {
            const store = yield* Store
            const contacts = yield* ContactStore
            const organizationId = fresh("org_")
            const batches = [0, 1].map(() => sampleBatch(organizationId, { total_contacts: 5 }))
            const ids = batches.map((batch) => batch.batch_id)
            for (const batch of batches) {
              yield* contacts.fill(batch.batch_id, 0, entriesOf(5))
              yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "batch", row: batch }] }))
            }
            const model = new Model(batches)
            for (const { after, batch: nth, row: place, ...waits } of script) {
              const batch = batches[nth]!
              const id = contactId(batch.batch_id, place)
              const before = model.touched.get(id) ?? untouched(batch, id, place)
              const eligible_at = sampleEpoch + after
              const row: Contact = {
                ...before,
                ...waits,
                revision: before.revision + 1,
                status: "retry_scheduled",
                eligible_at,
              }
              yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "contact", row }] }))
              model.touched.set(id, row)
            }
            const now = sampleEpoch + 2
            const due = model.inOrder(model.due(now, true, null)).map(({ contact_id }) => contact_id)
            for (const open of [{}, { marks }]) {
              const taken: Array<Contact> = []
              for (let nth = 0; nth < due.length; nth++) {
                const next = yield* contacts.next(ids, { now, in_hours: true, ...open }, taken, "all")
                if (next?.contact != null) taken.push(next.contact)
              }
              assert.deepStrictEqual(
                taken.map(({ contact_id }) => contact_id),
                due,
              )
            }
          }),
        ),
    )

    it.effect(
      "frees of each batch who has waited for a number longest, wherever it stands and however often it was set aside",
      () =>
        law(
          waitingContacts,
          Effect.fnUntraced(function* ({ batches: of, setAside, since }) {
            const store = yield* Store
            const contacts = yield* ContactStore
            const organizationId = fresh("org_")
            const campaign_id = fresh("cmp_")
            const batches = [0, 1].map(() => sampleBatch(organizationId, { campaign_id, total_contacts: since.length }))
            const to_number = "+15551234567"
            for (const batch of batches) {
              const entries = since.map(() => ({ to_number, variables: {} }))
              yield* contacts.fill(batch.batch_id, 0, entries)
              yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "batch", row: batch }] }))
            }
            const waiting = new Map<string, Contact>()
            for (const row of [...since.keys(), ...setAside.map((nth) => nth % since.length)]) {
              const batch = batches[of[row % of.length] ?? 0]!
              const id = contactId(batch.batch_id, row)
              const before = waiting.get(id) ?? untouched(batch, id, row)
              // Its turn had come, and somebody else was called.
              const waits_since = sampleEpoch + (since[row] ?? 0)
              const after: Contact = { ...before, revision: before.revision + 1, waits_for_number: true, waits_since }
              yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "contact", row: after }] }))
              waiting.set(id, after)
            }
            const all = [...waiting.values()]
            checkHeirs(yield* contacts.heirs(campaign_id, to_number), all)
            const found = yield* contacts.waitingIn(campaign_id, all.length)
            checkFound(
              found,
              inTurn(all, () => to_number),
            )
          }),
        ),
    )

    it.effect("keeps nothing of a batch that was discarded, and knows of no place beyond the last", () =>
      Effect.gen(function* () {
        const contacts = yield* ContactStore
        const batchId = fresh("bat_")
        yield* contacts.fill(batchId, 0, entriesOf(3))
        assert.strictEqual((yield* contacts.rows(batchId, 1, 10)).length, 2)
        assert.isNull(yield* contacts.find(batchId, 3))
        yield* contacts.discard(batchId)
        assert.deepStrictEqual(yield* contacts.rows(batchId, 0, 10), [])
        assert.isNull(yield* contacts.find(batchId, 0))
      }),
    )

    it.effect("replaces an entry that is there, and brings back none that is gone", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const contacts = yield* ContactStore
        const batch = sampleBatch(fresh("org_"), { total_contacts: 2 })
        const { batch_id, organization_id } = batch
        yield* contacts.fill(batch_id, 0, entriesOf(2))
        yield* store.commit(sampleCommit(organization_id, { changes: [{ put: "batch", row: batch }] }))
        const entry = { to_number: "+15559990000", variables: { gone: true } }
        yield* contacts.replace(batch_id, 1, entry)
        yield* contacts.replace(batch_id, 2, entry)
        const [first] = entriesOf(2)
        const entries = Effect.map(contacts.rows(batch_id, 0, 5), (rows) => rows.map((row) => row.entry))
        assert.deepStrictEqual(yield* entries, [first, entry])
        const gone = [{ put: "discard", organization_id, kind: "contact", id: contactId(batch_id, 1) }] as const
        yield* store.commit(sampleCommit(organization_id, { changes: gone }))
        yield* contacts.replace(batch_id, 1, entry)
        assert.deepStrictEqual(yield* entries, [first])
      }),
    )

    it.effect("refuses a contact that has changed meanwhile", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const contacts = yield* ContactStore
        const batch = sampleBatch(fresh("org_"))
        yield* contacts.fill(batch.batch_id, 0, entriesOf(1))
        yield* store.commit(sampleCommit(batch.organization_id, { changes: [{ put: "batch", row: batch }] }))
        const contact = { ...untouched(batch, contactId(batch.batch_id, 0), 0), revision: 1, attempts: 1 }
        const claim = () =>
          store.commit(sampleCommit(batch.organization_id, { changes: [{ put: "contact", row: contact }] }))
        yield* claim()
        const refused = yield* Effect.flip(claim())
        assert.deepInclude(refused, { _tag: "Conflict", kind: "contact", id: contact.contact_id })
      }),
    )

    it.effect("forgets contacts that are discarded, whatever has become of them, and none beside them", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const contacts = yield* ContactStore
        const [batch, other] = [sampleBatch(fresh("org_"), { total_contacts: 6 }), sampleBatch(fresh("org_"))]
        const { batch_id, organization_id } = batch
        yield* contacts.fill(batch_id, 0, entriesOf(6))
        yield* contacts.fill(other.batch_id, 0, entriesOf(1))
        const contact = (row: number, changes: Partial<Contact>): Contact => ({
          ...untouched(batch, contactId(batch_id, row), row),
          revision: 1,
          ...changes,
        })
        const waiting = contact(1, { waits_for_number: true })
        const touched = [
          contact(0, { status: "completed", attempts: 1 }),
          waiting,
          contact(2, { status: "retry_scheduled", eligible_at: sampleEpoch }),
          contact(4, { status: "failed" }),
        ]
        const put = touched.map((row) => ({ put: "contact", row }) as const)
        yield* store.commit(sampleCommit(organization_id, { changes: put }))
        const discard = (...rows: ReadonlyArray<number>) =>
          store.commit(
            sampleCommit(organization_id, {
              changes: rows.map((row) => ({
                put: "discard",
                organization_id,
                kind: "contact",
                id: contactId(batch_id, row),
              })),
            }),
          )
        const rows = (from: number, limit: number) =>
          Effect.map(contacts.rows(batch_id, from, limit), (found) => found.map(({ row }) => row))
        const moment = { now: sampleEpoch, in_hours: true }
        assert.strictEqual((yield* contacts.load([batch_id], moment)).dialable, 3)
        yield* discard(0, 3)
        assert.deepStrictEqual(yield* rows(0, 2), [1, 2])
        assert.deepStrictEqual(yield* rows(2, 10), [2, 4, 5])
        assert.isNull(yield* contacts.find(batch_id, 0))
        assert.strictEqual((yield* contacts.load([batch_id], moment)).dialable, 2)
        assert.deepStrictEqual(yield* contacts.heirs(batch_id, "+15551000001"), [waiting])
        yield* discard(1, 2, 4, 0)
        assert.deepStrictEqual(yield* contacts.heirs(batch_id, "+15551000001"), [])
        assert.deepStrictEqual(yield* contacts.waitingIn(batch_id, 10), [])
        assert.deepStrictEqual(yield* rows(0, 10), [5])
        assert.strictEqual((yield* contacts.next([batch_id], moment, [], "all"))?.row, 5)
        assert.strictEqual((yield* contacts.load([batch_id], moment)).dialable, 1)
        const written = store.commit(
          sampleCommit(organization_id, { changes: [{ put: "contact", row: { ...waiting, revision: 2 } }] }),
        )
        assert.deepInclude(yield* Effect.flip(written), { _tag: "Conflict", kind: "contact" })
        yield* discard(5)
        // Who has read it before it went must not bring it back.
        const unseen = store.commit(
          sampleCommit(organization_id, { changes: [{ put: "contact", row: contact(5, { status: "failed" }) }] }),
        )
        assert.deepInclude(yield* Effect.flip(unseen), { _tag: "Conflict", kind: "contact" })
        assert.deepStrictEqual(yield* rows(0, 10), [])
        assert.isNull(yield* contacts.next([batch_id], moment, [], "all"))
        assert.strictEqual((yield* contacts.rows(other.batch_id, 0, 10)).length, 1)
      }),
    )
  })
