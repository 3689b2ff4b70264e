import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Store } from "../engine/ports/Store.ts"
import type { Provider } from "../providers/rules/Provider.ts"
import { ProviderStore } from "../providers/ports/ProviderStore.ts"
import { refusalOf } from "./Refusals.ts"
import { fresh, sampleCommit, sampleProvider } from "./Samples.ts"
import { walkLaw } from "./WalkLaw.ts"

const put = Effect.fnUntraced(function* (row: Provider) {
  yield* (yield* Store).commit(sampleCommit(row.organization_id, { changes: [{ put: "provider", row }] }))
})

/** Lays down what every adapter of `ProviderStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | ProviderStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("finds by name within the organization, pages newest first, and takes a name once", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const providers = yield* ProviderStore
        const [own, other] = [fresh("org_"), fresh("org_")]
        const first = sampleProvider(own, { provider_name: "voice" })
        const second = sampleProvider(own, { provider_name: "Voice" })
        const foreign = sampleProvider(other, { provider_name: "voice" })
        for (const row of [first, second, foreign]) yield* put(row)
        assert.deepStrictEqual(yield* providers.find(own, "voice"), first)
        assert.deepStrictEqual(yield* providers.find(own, "Voice"), second)
        assert.deepStrictEqual(yield* providers.find(other, "voice"), foreign)
        assert.isNull(yield* providers.find(other, "Voice"))
        const request = { page: 1, page_size: 10 }
        assert.deepStrictEqual(yield* providers.page(own, request), { items: [second, first], total: 2 })
        const again = sampleProvider(own, { provider_name: "voice" })
        assert.strictEqual((yield* refusalOf(put(again)))?._tag, "Conflict")
        const { organization_id, provider_id: id, revision } = first
        yield* store.commit(
          sampleCommit(own, { changes: [{ put: "removal", organization_id, kind: "provider", id, revision }] }),
        )
        assert.isNull(yield* providers.find(own, "voice"))
        yield* put(again)
        assert.deepStrictEqual(yield* providers.find(own, "voice"), again)
      }),
    )

    it.effect("is walked by ids: a row that is there all the while is met once, whatever goes and comes", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const providers = yield* ProviderStore
        yield* walkLaw({
          sample: (organizationId) => sampleProvider(organizationId, { provider_name: fresh("walked ") }),
          idOf: ({ provider_id }) => provider_id,
          after: (organizationId) => (after, limit) => providers.after(organizationId, after, limit),
          find: ({ organization_id, provider_name }) => providers.find(organization_id, provider_name),
          put,
          remove: ({ organization_id, provider_id: id, revision }) =>
            store.commit(
              sampleCommit(organization_id, {
                changes: [{ put: "removal", organization_id, kind: "provider", id, revision }],
              }),
            ),
          renewed: (row) => ({ ...row, revision: row.revision + 1, provider_value: "renewed" }),
        })
      }),
    )
  })
