import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { Store } from "../engine/ports/Store.ts"
import type { ApiKey } from "../keys/rules/ApiKey.ts"
import { KeyStore } from "../keys/ports/KeyStore.ts"
import { law } from "./Law.ts"
import { fresh, sampleCommit, sampleEpoch, sampleKey } from "./Samples.ts"

const putKey = Effect.fnUntraced(function* (row: ApiKey) {
  const store = yield* Store
  yield* store.commit(sampleCommit(row.organization_id ?? "org_none", { changes: [{ put: "api_key", row }] }))
})

/** Lays down what every adapter of `KeyStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | KeyStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("finds a key by its hash, and by its id in its own organization only", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const organizationId = fresh("org_")
        const explicit = sampleKey(organizationId)
        const grandfathered = sampleKey(organizationId, { scopes: null, scopes_source: "grandfathered" })
        const none = sampleKey(organizationId, { scopes: [] })
        for (const key of [explicit, grandfathered, none]) {
          yield* putKey(key)
          assert.deepStrictEqual(yield* keys.findByHash(key.hash), key)
          assert.deepStrictEqual(yield* keys.find(organizationId, key.key_id), key)
          assert.isNull(yield* keys.find(fresh("org_"), key.key_id))
        }
        assert.isNull(yield* keys.findByHash(sampleKey(organizationId).hash))
        assert.isNull(yield* keys.findByHash(explicit.hash.toUpperCase()))
      }),
    )

    it.effect("finds a key that is bound to no organization, and lists it nowhere", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const unbound = sampleKey(null)
        yield* putKey(unbound)
        assert.deepStrictEqual(yield* keys.findByHash(unbound.hash), unbound)
        assert.isNull(yield* keys.find(fresh("org_"), unbound.key_id))
      }),
    )

    it.effect("pages through the keys newest first, revoked ones in their old place", () =>
      law(
        fc.record({
          created: fc.array(fc.nat(3), { minLength: 1, maxLength: 9 }),
          revoked: fc.array(fc.nat(), { maxLength: 4 }),
          page_size: fc.integer({ min: 1, max: 4 }),
        }),
        Effect.fnUntraced(function* ({ created, revoked, page_size }) {
          const keys = yield* KeyStore
          const organizationId = fresh("org_")
          const rows = created.map((n) => sampleKey(organizationId, { created_at: sampleEpoch + n }))
          yield* Effect.forEach(rows, putKey, { discard: true })
          for (const nth of revoked) {
            const position = nth % rows.length
            const before = rows[position]
            assert(before !== undefined)
            const row: ApiKey = {
              ...before,
              revision: before.revision + 1,
              status: "inactive",
              revoked_at: sampleEpoch,
            }
            rows[position] = row
            yield* putKey(row)
          }
          const expected = rows
            .map((row, order) => ({ row, order }))
            .sort((a, b) => b.row.created_at - a.row.created_at || b.order - a.order)
            .map(({ row }) => row)
          const items: Array<ApiKey> = []
          for (let page = 1; page <= rows.length + 1; page++) {
            const answer = yield* keys.page(organizationId, { page, page_size })
            assert.strictEqual(answer.total, rows.length)
            items.push(...answer.items)
          }
          assert.deepStrictEqual(items, expected)
        }),
        { numRuns: 25 },
      ),
    )
  })
