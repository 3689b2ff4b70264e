import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type Callee, calleeId } from "../callees/Callee.ts"
import { CalleeStore, type PlacedCallee } from "../callees/CalleeStore.ts"
import { Conflict, Store } from "../engine/Store.ts"
import { refusalOf } from "./Refusals.ts"
import { fresh, sampleCall, sampleCallee, sampleCommit, sampleSlot, sampleSuppression } from "./Samples.ts"

const put = Effect.fnUntraced(function* (...rows: ReadonlyArray<Callee>) {
  const [first] = rows
  const changes = rows.map((row) => ({ put: "callee" as const, row }))
  yield* (yield* Store).commit(sampleCommit(first?.organization_id ?? "", { changes }))
})

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
