import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { RetrievalIndex } from "../knowledge/ports/RetrievalIndex.ts"
import type { Chunk } from "../knowledge/rules/Chunk.ts"
import { law } from "./Law.ts"
import { fresh } from "./Samples.ts"

/** Words that no index could confuse. */
const words = ["aardvark", "bicycle", "chandelier", "dromedary", "elephant", "fjord"]

const texts = fc.array(fc.shuffledSubarray(words, { minLength: 1 }), { minLength: 1, maxLength: 5 })

const chunksOf = (file: string, lists: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<Chunk> =>
  lists.map((list, chunk) => ({ file, chunk, text: list.join(" ") }))

/** Lays down what every adapter of `RetrievalIndex` must do. */
export const suite = <E>(name: string, layer: Layer.Layer<RetrievalIndex, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("finds the chunks that have a word, of the documents that are there", () =>
      law(
        fc.record({
          documents: fc.array(texts, { minLength: 1, maxLength: 4 }),
          removed: fc.nat(),
          word: fc.constantFrom(...words),
        }),
        Effect.fnUntraced(function* ({ documents, removed, word }) {
          const index = yield* RetrievalIndex
          const [organizationId, retrievalId] = [fresh("org_"), fresh("kb_")]
          const stored = documents.map((lists, nth) => ({ id: fresh("doc_"), chunks: chunksOf(`${nth}.pdf`, lists) }))
          for (const { id, chunks } of stored) yield* index.add(organizationId, retrievalId, id, chunks)
          const gone = stored[removed % stored.length]
          assert(gone !== undefined)
          assert.strictEqual(yield* index.remove(organizationId, retrievalId, gone.id), gone.chunks.length)
          assert.strictEqual(yield* index.remove(organizationId, retrievalId, gone.id), 0)
          const expected = stored
            .filter((one) => one !== gone)
            .flatMap(({ chunks, id }) =>
              chunks.filter(({ text }) => text.includes(word)).map((chunk) => `${id} ${chunk.chunk}`),
            )
          const hits = yield* index.search(organizationId, retrievalId, word.toUpperCase(), 100)
          assert.sameMembers(
            hits.map(({ chunk, document_id }) => `${document_id} ${chunk}`),
            expected,
          )
          const scores = hits.map(({ score }) => score)
          assert.deepStrictEqual(
            scores,
            scores.toSorted((a, b) => b - a),
          )
          const left = stored.reduce((sum, { chunks }) => sum + chunks.length, -gone.chunks.length)
          assert.strictEqual(yield* index.remove(organizationId, retrievalId, null), left)
          assert.deepStrictEqual(yield* index.search(organizationId, retrievalId, word, 100), [])
        }),
      ),
    )

    it.effect("keeps what is of one organization from another, whatever its base is called", () =>
      Effect.gen(function* () {
        const index = yield* RetrievalIndex
        const retrievalId = fresh("kb_")
        const [one, other] = [fresh("org_"), fresh("org_")]
        const [mine, theirs] = [fresh("doc_"), fresh("doc_")]
        yield* index.add(one, retrievalId, mine, [{ file: "a.pdf", chunk: 0, text: "Parking is free." }])
        yield* index.add(other, retrievalId, theirs, [{ file: "b.pdf", chunk: 0, text: "Parking is dear." }])
        for (const [who, document] of [
          [one, mine],
          [other, theirs],
        ] as const) {
          const hits = yield* index.search(who, retrievalId, "parking", 5)
          assert.deepStrictEqual(
            hits.map(({ document_id }) => document_id),
            [document],
          )
        }
        assert.isNull(yield* index.document(one, retrievalId, theirs))
        assert.strictEqual(yield* index.remove(one, retrievalId, null), 1)
        assert.lengthOf(yield* index.search(other, retrievalId, "parking", 5), 1)
      }),
    )

    it.effect("gives the best answers first, whole, and no more than asked for", () =>
      Effect.gen(function* () {
        const index = yield* RetrievalIndex
        const [organizationId, retrievalId, documentId] = [fresh("org_"), fresh("kb_"), fresh("doc_")]
        const chunks = [
          { file: "a.pdf", chunk: 0, text: "The refund policy: a refund is paid within ten days." },
          { file: "a.pdf", chunk: 1, text: "Opening hours are from nine to five, and a refund can be asked for then." },
          { file: "a.pdf", chunk: 2, text: "Parking is free." },
        ]
        yield* index.add(organizationId, retrievalId, documentId, chunks)
        const hits = yield* index.search(organizationId, retrievalId, "refund policy", 5)
        assert.deepStrictEqual(
          hits.map(({ chunk }) => chunk),
          [0, 1],
        )
        const [{ score, ...best } = { score: 0 }] = hits
        assert.isAbove(score, 0)
        assert.deepStrictEqual(best, { ...chunks[0], document_id: documentId })
        assert.lengthOf(yield* index.search(organizationId, retrievalId, "refund policy", 1), 1)
        assert.deepStrictEqual(yield* index.search(organizationId, retrievalId, "...", 5), [])
      }),
    )

    it.effect("gives a document back as it was added, to its own organization", () =>
      Effect.gen(function* () {
        const index = yield* RetrievalIndex
        const [organizationId, retrievalId, documentId] = [fresh("org_"), fresh("kb_"), fresh("doc_")]
        const chunks = Array.from({ length: 30 }, (_, chunk) => ({
          file: `${chunk % 2}.pdf`,
          chunk,
          text: `${words[chunk % words.length]} `.repeat(200),
        }))
        yield* index.add(organizationId, retrievalId, documentId, chunks)
        const given = yield* index.document(organizationId, retrievalId, documentId)
        // An index may keep no documents.
        if (given !== null) assert.deepStrictEqual(given, chunks)
        assert.isNull(yield* index.document(fresh("org_"), retrievalId, documentId))
        assert.isNull(yield* index.document(organizationId, retrievalId, fresh("doc_")))
        yield* index.remove(organizationId, retrievalId, documentId)
        assert.isNull(yield* index.document(organizationId, retrievalId, documentId))
      }),
    )

    it.effect("gives a long document back whole, whatever its files are called and its texts consist of", () =>
      Effect.gen(function* () {
        const index = yield* RetrievalIndex
        const [organizationId, retrievalId, documentId] = [fresh("org_"), fresh("kb_"), fresh("doc_")]
        const names = ["\u{1f600}".repeat(255), "\u{1f601}".repeat(255), 'a "quoted" name.pdf']
        // Texts of three bytes a letter, each letter escaped, and of one byte: some MiB as they are stored.
        const texts = ["\u5b57".repeat(8_000), '"\\'.repeat(4_000), `${"fjord ".repeat(20)}bicycle`]
        const chunks = Array.from({ length: 600 }, (_, chunk) => ({
          file: names[chunk < 300 ? 0 : chunk < 400 ? chunk % 3 : 2] ?? "",
          chunk,
          text: texts[chunk % texts.length] ?? "",
        }))
        yield* index.add(organizationId, retrievalId, documentId, chunks)
        const given = yield* index.document(organizationId, retrievalId, documentId)
        if (given !== null) assert.deepStrictEqual(given, chunks)
        const hits = yield* index.search(organizationId, retrievalId, "bicycle", 1_000)
        assert.sameMembers(
          hits.map(({ chunk }) => chunk),
          chunks.flatMap(({ chunk, text }) => (text.includes("bicycle") ? [chunk] : [])),
        )
        for (const { chunk, file, text } of hits) assert.deepStrictEqual({ chunk, file, text }, chunks[chunk])
        assert.strictEqual(yield* index.remove(organizationId, retrievalId, documentId), chunks.length)
        assert.isNull(yield* index.document(organizationId, retrievalId, documentId))
        assert.deepStrictEqual(yield* index.search(organizationId, retrievalId, "bicycle", 10), [])
      }),
    )

    it.effect("adds a document once, however often it is sent", () =>
      Effect.gen(function* () {
        const index = yield* RetrievalIndex
        const [organizationId, retrievalId, documentId] = [fresh("org_"), fresh("kb_"), fresh("doc_")]
        const chunks = chunksOf("a.pdf", [["fjord"], ["fjord"]])
        yield* index.add(organizationId, retrievalId, documentId, chunks)
        yield* index.add(organizationId, retrievalId, documentId, chunks)
        assert.lengthOf(yield* index.search(organizationId, retrievalId, "fjord", 10), 2)
        assert.strictEqual(yield* index.remove(organizationId, retrievalId, null), 2)
      }),
    )

    it.effect("keeps bases and organizations apart", () =>
      Effect.gen(function* () {
        const index = yield* RetrievalIndex
        const [organizationId, retrievalId] = [fresh("org_"), fresh("kb_")]
        yield* index.add(organizationId, retrievalId, fresh("doc_"), chunksOf("a.pdf", [["fjord"]]))
        const stranger = fresh("org_")
        assert.deepStrictEqual(yield* index.search(stranger, retrievalId, "fjord", 10), [])
        assert.deepStrictEqual(yield* index.search(organizationId, fresh("kb_"), "fjord", 10), [])
        assert.strictEqual(yield* index.remove(stranger, retrievalId, null), 0)
        assert.lengthOf(yield* index.search(organizationId, retrievalId, "fjord", 10), 1)
      }),
    )
  })
