import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type Callee, calleeId } from "../callees/rules/Callee.ts"
import { CalleeStore, type KnownCallees, type PlacedCallee } from "../callees/ports/CalleeStore.ts"
import { put as putOver } from "../engine/rules/Put.ts"
import { Conflict, Store } from "../engine/ports/Store.ts"
import { refusalOf } from "./Refusals.ts"
import { fresh, sampleCall, sampleCallee, sampleCommit, sampleSlot, sampleSuppression } from "./Samples.ts"

const put = Effect.fnUntraced(function* (...rows: ReadonlyArray<Callee>) {
  const [first] = rows
  const changes = rows.map((row) => ({ put: "callee" as const, row }))
  yield* (yield* Store).commit(sampleCommit(first?.organization_id ?? "", { changes }))
})

const removal = ({ organization_id, revision, to_number }: Callee) =>
  ({ put: "removal", organization_id, kind: "callee", id: calleeId(organization_id, to_number), revision }) as const

/** Lays down what every adapter of `CalleeStore` must do, and how a dial rests on a callee. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | CalleeStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("finds a number of the organization, one or several, with all that is said of it", () =>
      Effect.gen(function* () {
        const callees = yield* CalleeStore
        const [own, other] = [fresh("org_"), fresh("org_")]
        const shortest = sampleCallee(own, { to_number: "+1234567" })
        const longest = sampleCallee(own, {
          to_number: "+999999999999999",
          suppressions: [
            sampleSuppression({ note: "said so", expires_at: 1_800_000_000_000 }),
            sampleSuppression({ campaign_id: "cmp_1", reason: null, source: null }),
          ],
          attempts: [{ execution_id: "exec_1", at: 1_767_603_600_000 }],
        })
        const attempts = [
          { execution_id: "exec_2", at: 1_767_603_600_001 },
          { execution_id: "exec_3", at: 1_767_603_600_000 },
        ]
        const foreign = sampleCallee(other, { to_number: "+1234567", suppressions: [], attempts })
        yield* put(shortest, longest)
        yield* put(foreign)
        assert.deepStrictEqual(yield* callees.find(own, "+1234567"), shortest)
        assert.deepStrictEqual(yield* callees.find(own, "+999999999999999"), longest)
        assert.deepStrictEqual(yield* callees.find(other, "+1234567"), foreign)
        assert.isNull(yield* callees.find(other, "+999999999999999"))
        assert.isNull(yield* callees.find(own, "+12345678"))
        const several = yield* callees.several(own, ["+999999999999999", "+12345678", "+1234567"])
        assert.sameDeepMembers([...several], [shortest, longest])
        assert.deepStrictEqual(yield* callees.several(own, []), [])
      }),
    )

    it.effect("pages those with a suppression, newest first, in the order in which they came", () =>
      Effect.gen(function* () {
        const callees = yield* CalleeStore
        const [own, other] = [fresh("org_"), fresh("org_")]
        const row = (nth: number) => sampleCallee(own, { to_number: `+1555000010${nth}` })
        const [first, second, third, fourth, fifth] = [row(0), row(1), row(2), row(3), row(4)]
        yield* put(first, second, third)
        yield* put(fourth, fifth)
        yield* put(sampleCallee(other, { to_number: "+15550000109" }))
        const lifted = { ...second, revision: 2, suppressions: [] }
        yield* put(lifted)
        const [after] = yield* callees.oldest(own, 0, 1)
        assert.deepStrictEqual(after?.callee, first)
        const next = yield* callees.oldest(own, after?.place ?? 0, 2)
        assert.deepStrictEqual(
          next.map(({ callee }) => callee),
          [third, fourth],
        )
        assert.deepStrictEqual(yield* callees.suppressed(own, { page: 1, page_size: 2 }), {
          items: [fifth, fourth],
          total: 4,
        })
        assert.deepStrictEqual(yield* callees.suppressed(own, { page: 2, page_size: 2 }), {
          items: [third, first],
          total: 4,
        })
        yield* put({ ...second, revision: 3 })
        assert.deepStrictEqual(yield* callees.suppressed(own, { page: 2, page_size: 3 }), {
          items: [{ ...second, revision: 3 }, first],
          total: 5,
        })
        const inOrder: Array<Callee> = []
        for (let after: number | undefined = 0; after !== undefined;) {
          const rows: ReadonlyArray<PlacedCallee> = yield* callees.oldest(own, after, 2)
          assert.isAtMost(rows.length, 2)
          inOrder.push(...rows.map(({ callee }) => callee))
          after = rows.at(-1)?.place
        }
        assert.deepStrictEqual(inOrder, [first, { ...second, revision: 3 }, third, fourth, fifth])
        assert.deepStrictEqual(yield* callees.oldest(fresh("org_"), 0, 2), [])
        assert.deepStrictEqual(yield* callees.suppressed(fresh("org_"), { page: 1, page_size: 2 }), {
          items: [],
          total: 0,
        })
      }),
    )

    it.effect("goes through all of whom something is known, once each, whatever comes and goes meanwhile", () =>
      Effect.gen(function* () {
        const callees = yield* CalleeStore
        const store = yield* Store
        const [own, other] = [fresh("org_"), fresh("org_")]
        const row = (nth: number) =>
          sampleCallee(own, { to_number: `+1555000020${nth}`, ...(nth % 2 === 0 ? { suppressions: [] } : {}) })
        const rows = [0, 1, 2, 3, 4].map(row)
        yield* put(...rows)
        yield* put(sampleCallee(other, { to_number: "+15550000209" }))
        const found: Array<Callee> = []
        let last: string | null = null
        for (;;) {
          const page: KnownCallees = yield* callees.known(own, last, 2)
          assert.isAtMost(page.callees.length, 2)
          if (page.callees.length === 0) break
          found.push(...page.callees)
          yield* store.commit(sampleCommit(own, { changes: page.callees.map((callee) => removal(callee)) }))
          last = page.last
        }
        assert.sameDeepMembers(found, rows)
        assert.deepStrictEqual(yield* callees.known(own, null, 2), { callees: [], last: null })
        assert.lengthOf((yield* callees.known(other, null, 2)).callees, 1)
      }),
    )

    it.effect("removes a callee as it was read, and begins anew above all that it was", () =>
      Effect.gen(function* () {
        const callees = yield* CalleeStore
        const store = yield* Store
        const own = fresh("org_")
        const [first, second] = [sampleCallee(own), sampleCallee(own, { to_number: "+15550000300" })]
        const refusal = new Conflict({ kind: "callee", id: calleeId(own, first.to_number) })
        yield* put(first, second)
        const removing = (row: Callee) => store.commit(sampleCommit(own, { changes: [removal(row)] }))
        assert.deepStrictEqual(yield* refusalOf(removing({ ...first, revision: 2 })), refusal)
        yield* removing(first)
        assert.isNull(yield* callees.find(own, first.to_number))
        assert.deepStrictEqual(yield* refusalOf(removing(first)), refusal)
        const again = putOver("callee", null, { ...first, revision: 0 })
        assert.isAbove(again.row.revision, 100_000)
        yield* store.commit(sampleCommit(own, { changes: [again] }))
        assert.deepStrictEqual(yield* callees.find(own, first.to_number), again.row)
        // It comes behind those that were there before.
        const page = yield* callees.suppressed(own, { page: 1, page_size: 2 })
        assert.deepStrictEqual(page, { items: [again.row, second], total: 2 })
        // Whoever read the earlier one, or none, takes it for no other.
        const stale = {
          ...sampleCommit(own),
          expect: [{ kind: "callee", id: calleeId(own, first.to_number), revision: 1 }],
        } as const
        for (const commit of [
          sampleCommit(own, { changes: [{ put: "callee", row: { ...first, revision: 2 } }] }),
          sampleCommit(own, { changes: [again] }),
          stale,
        ]) {
          assert.deepStrictEqual(yield* refusalOf(store.commit(commit)), refusal)
        }
        yield* store.commit(sampleCommit(own, { changes: [putOver("callee", again.row, again.row)] }))
        assert.strictEqual((yield* callees.find(own, first.to_number))?.revision, again.row.revision + 1)
      }),
    )

    it.effect("refuses a dial whose callee stands otherwise than it was taken to stand", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const own = fresh("org_")
        const callee = sampleCallee(own)
        const id = calleeId(own, callee.to_number)
        const dial = (revision: number) => {
          const call = sampleCall(own, { to_number: callee.to_number, dial: "intended" })
          return store.admit(
            sampleCommit(own, {
              expect: [{ kind: "callee", id, revision }],
              changes: [{ put: "call", row: { ...call, slot: sampleSlot(call, 1) } }],
            }),
            [{ level: "organization", key: own, ceiling: 10 }],
          )
        }
        const conflict = new Conflict({ kind: "callee", id })
        assert.isNull(yield* refusalOf(dial(0)))
        assert.deepStrictEqual(yield* refusalOf(dial(1)), conflict)
        yield* put(callee)
        assert.deepStrictEqual(yield* refusalOf(dial(0)), conflict)
        assert.isNull(yield* refusalOf(dial(1)))
        yield* put({ ...callee, revision: 2, suppressions: [] })
        assert.deepStrictEqual(yield* refusalOf(dial(1)), conflict)
        assert.isNull(yield* refusalOf(dial(2)))
      }),
    )

    it.effect("takes one of several dials that count at the same number, whether it was known or not", () =>
      Effect.gen(function* () {
        const [callees, store] = [yield* CalleeStore, yield* Store]
        const own = fresh("org_")
        const { to_number } = sampleCallee(own)
        const before = yield* callees.find(own, to_number)
        const counting = (seen: Callee | null) => {
          const call = sampleCall(own, { to_number, dial: "intended" })
          const attempts = [...(seen?.attempts ?? []), { execution_id: call.execution_id, at: 1_767_603_600_000 }]
          const after = { ...(seen ?? sampleCallee(own, { to_number, suppressions: [], revision: 0 })), attempts }
          return store.admit(
            sampleCommit(own, {
              expect: [{ kind: "callee", id: calleeId(own, to_number), revision: seen?.revision ?? 0 }],
              changes: [
                { put: "call", row: { ...call, slot: sampleSlot(call, 1) } },
                { put: "callee", row: { ...after, revision: after.revision + 1 } },
              ],
            }),
            [{ level: "organization", key: own, ceiling: 10 }],
          )
        }
        const conflict = new Conflict({ kind: "callee", id: calleeId(own, to_number) })
        let seen = before
        for (const count of [1, 2]) {
          const dials = [counting(seen), counting(seen), counting(seen)].map(refusalOf)
          const refusals = yield* Effect.all(dials, { concurrency: "unbounded" })
          assert.sameDeepMembers(refusals, [null, conflict, conflict])
          seen = yield* callees.find(own, to_number)
          assert.strictEqual(seen?.attempts?.length, count)
        }
      }),
    )
  })
