import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { Change } from "../engine/rules/Commit.ts"
import { Store } from "../engine/ports/Store.ts"
import type { KnowledgeBase, KnowledgeUpload } from "../knowledge/rules/KnowledgeBase.ts"
import { KnowledgeStore } from "../knowledge/ports/KnowledgeStore.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { RemovableKind } from "../Rows.ts"
import { law } from "./Law.ts"
import { fresh, sampleCommit, sampleEpoch, sampleKnowledgeBase, sampleKnowledgeUpload } from "./Samples.ts"

const committed = Effect.fnUntraced(function* (organizationId: string, ...changes: ReadonlyArray<Change>) {
  yield* (yield* Store).commit(sampleCommit(organizationId, { changes }))
})

const removal = (organization_id: string, kind: RemovableKind, id: string, revision = 1): Change => ({
  put: "removal",
  organization_id,
  kind,
  id,
  revision,
})

const everyPage = Effect.fnUntraced(function* <Row, E>(
  read: (page: PageRequest) => Effect.Effect<Page<Row>, E>,
  page_size: number,
) {
  const items: Array<Row> = []
  for (let page = 1; ; page++) {
    const answer = yield* read({ page, page_size })
    assert.isAtMost(answer.items.length, page_size)
    items.push(...answer.items)
    if (answer.items.length === 0) return { items, total: answer.total }
  }
})

/** What happens to the bases of one organization: names and moments come from small sets, so that they meet. */
const happening = fc.oneof(
  fc.record({
    kind: fc.constant("base" as const),
    name: fc.constantFrom("a", "b", "c", "A"),
    at: fc.nat(3),
  }),
  fc.record({ kind: fc.constant("upload" as const), nth: fc.nat(), at: fc.nat(3) }),
  fc.record({ kind: fc.constantFrom("remove base" as const, "remove upload" as const), nth: fc.nat() }),
)

const pick = <A>(list: ReadonlyArray<A>, nth: number): A | undefined => list[nth % Math.max(1, list.length)]

const newestFirst = <Row extends { readonly created_at: number }>(rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.toSorted((a, b) => a.created_at - b.created_at).toReversed()

/** Lays down what every adapter of `KnowledgeStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | KnowledgeStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("does what a plain list of bases and uploads does", () =>
      law(
        fc.record({ happenings: fc.array(happening, { maxLength: 25 }), page_size: fc.integer({ min: 1, max: 4 }) }),
        Effect.fnUntraced(function* ({ happenings, page_size }) {
          const store = yield* KnowledgeStore
          const organizationId = fresh("org_")
          let bases: ReadonlyArray<KnowledgeBase> = []
          let uploads: ReadonlyArray<KnowledgeUpload> = []
          for (const event of happenings) {
            if (event.kind === "base") {
              const changes = { collection: event.name, created_at: sampleEpoch + event.at }
              const row = sampleKnowledgeBase(organizationId, changes)
              const isTaken = bases.some(({ collection }) => collection === event.name)
              const exit = yield* Effect.exit(committed(organizationId, { put: "knowledge_base", row }))
              assert.strictEqual(exit._tag, isTaken ? "Failure" : "Success")
              if (!isTaken) bases = [...bases, row]
            } else if (event.kind === "upload") {
              const base = pick(bases, event.nth)
              if (base === undefined) continue
              const row = sampleKnowledgeUpload(base, { created_at: sampleEpoch + event.at })
              yield* committed(organizationId, { put: "knowledge_upload", row })
              uploads = [...uploads, row]
            } else if (event.kind === "remove base") {
              const base = pick(bases, event.nth)
              if (base === undefined) continue
              yield* committed(organizationId, removal(organizationId, "knowledge_base", base.retrieval_id))
              bases = bases.filter((other) => other !== base)
              uploads = uploads.filter(({ retrieval_id }) => retrieval_id !== base.retrieval_id)
            } else {
              const upload = pick(uploads, event.nth)
              if (upload === undefined) continue
              yield* committed(organizationId, removal(organizationId, "knowledge_upload", upload.document_id))
              uploads = uploads.filter((other) => other !== upload)
            }
          }
          const listed = yield* everyPage((page) => store.page(organizationId, page), page_size)
          assert.deepStrictEqual(listed, { items: [...newestFirst(bases)], total: bases.length })
          for (const collection of ["a", "b", "c", "A"]) {
            const expected = bases.find((base) => base.collection === collection) ?? null
            assert.deepStrictEqual(yield* store.find(organizationId, collection), expected)
          }
          for (const base of bases) {
            const own = uploads.filter(({ retrieval_id }) => retrieval_id === base.retrieval_id)
            const found = yield* everyPage((page) => store.uploads(organizationId, base.retrieval_id, page), page_size)
            assert.deepStrictEqual(found, { items: [...newestFirst(own)], total: own.length })
            for (const upload of uploads) {
              const seen = yield* store.upload(organizationId, base.retrieval_id, upload.document_id)
              assert.deepStrictEqual(seen, own.includes(upload) ? upload : null)
            }
          }
        }),
      ),
    )

    it.effect("shows nothing to another organization, which may use the same name", () =>
      Effect.gen(function* () {
        const store = yield* KnowledgeStore
        const base = sampleKnowledgeBase(fresh("org_"))
        const upload = sampleKnowledgeUpload(base)
        yield* committed(
          base.organization_id,
          { put: "knowledge_base", row: base },
          { put: "knowledge_upload", row: upload },
        )
        const stranger = fresh("org_")
        const first = { page: 1, page_size: 10 }
        assert.isNull(yield* store.find(stranger, base.collection))
        assert.isNull(yield* store.upload(stranger, base.retrieval_id, upload.document_id))
        assert.deepStrictEqual(yield* store.page(stranger, first), { items: [], total: 0 })
        assert.deepStrictEqual(yield* store.uploads(stranger, base.retrieval_id, first), { items: [], total: 0 })
        yield* committed(stranger, { put: "knowledge_base", row: sampleKnowledgeBase(stranger) })
        assert.deepStrictEqual(yield* store.find(base.organization_id, base.collection), base)
      }),
    )

    it.effect("refuses to remove a row that has changed, and what is not there", () =>
      Effect.gen(function* () {
        const store = yield* KnowledgeStore
        const base = sampleKnowledgeBase(fresh("org_"))
        const { organization_id, retrieval_id } = base
        yield* committed(organization_id, { put: "knowledge_base", row: base })
        yield* committed(organization_id, { put: "knowledge_base", row: { ...base, revision: 2, documents: 1 } })
        const removed = (revision: number) =>
          Effect.flip(committed(organization_id, removal(organization_id, "knowledge_base", retrieval_id, revision)))
        assert.strictEqual((yield* removed(1))._tag, "Conflict")
        assert.strictEqual((yield* store.find(organization_id, base.collection))?.documents, 1)
        yield* committed(organization_id, removal(organization_id, "knowledge_base", retrieval_id, 2))
        assert.isNull(yield* store.find(organization_id, base.collection))
        assert.strictEqual((yield* removed(2))._tag, "Conflict")
      }),
    )
  })
