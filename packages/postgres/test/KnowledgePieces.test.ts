import { limits } from "@carillon/core"
import { type Chunk, Pacing, RetrievalIndex } from "@carillon/core/ports"
import { Postgres } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"
import { beforeKnowledgePieces } from "./EarlierSchema.ts"

const embedded = await newPglite()
afterAll(() => embedded.remove())

const layer = Layer.provideMerge(Postgres.layerNoDeps, Pglite.layerClient(embedded.directory))

const run = <A, E>(effect: Effect.Effect<A, E, RetrievalIndex | SqlClient.SqlClient>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layer))

const name = "\u{1f600}".repeat(255)

const document = (chunks: number, text: (nth: number) => string): ReadonlyArray<Chunk> =>
  Array.from({ length: chunks }, (_, chunk) => ({
    file: chunk < chunks / 2 ? name : "b.pdf",
    chunk,
    text: text(chunk),
  }))

/** What the release before writes. */
const writeWhole = (retrievalId: string, documentId: string, chunks: ReadonlyArray<Chunk>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(
      `insert into carillon.knowledge_documents (retrieval_id, document_id, organization_id, chunk_count, chunks)
       values ($1, $2, 'org_a', $3::integer, $4::text::json) on conflict (retrieval_id, document_id) do nothing`,
      [retrievalId, documentId, chunks.length, JSON.stringify({ chunks })],
    ),
  )

const pieces = (retrievalId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<{ readonly bytes: number; readonly characters: number; readonly names: number }>(
      `select octet_length(chunks::text) as bytes, characters,
         (length(chunks::text) - length(replace(chunks::text, '"file"', ''))) / length('"file"') as names
       from carillon.knowledge_pieces where retrieval_id = $1 order by document_id, piece`,
      [retrievalId],
    ),
  )

/** One of its texts speaks of half a letter, and has none. */
const long = document(
  4_000,
  (nth) => `${"\u5b57".repeat(300)} ${nth === 3_999 ? "fjord" : nth === 77 ? "\\ud800" : nth}`,
)

it("the chunks of an upload lie in rows that have a bound, with the name of a file once in each", async () => {
  await run(
    Effect.gen(function* () {
      const index = yield* RetrievalIndex
      const sql = yield* SqlClient.SqlClient
      yield* index.add("org_a", "kb_rows", "doc_1", long)
      const rows = yield* pieces("kb_rows")
      assert.isAbove(rows.length, 4)
      for (const { bytes, names } of rows) {
        assert.isAtMost(bytes, limits.knowledgePieceBytes + 20)
        assert.isAtMost(names, 2)
      }
      assert.strictEqual(
        rows.reduce((sum, { characters }) => sum + characters, 0),
        long.reduce((sum, { text }) => sum + text.length, 0),
      )
      const [whole] = yield* sql.unsafe<{ readonly bytes: number }>(
        "select octet_length(chunks::text) as bytes from carillon.knowledge_documents where retrieval_id = 'kb_rows'",
      )
      assert.isAtMost(whole?.bytes ?? 0, 20)
    }),
  )
})

it("what the release before has written, and writes, is found, read and removed", { timeout: 120_000 }, async () => {
  await run(
    Effect.gen(function* () {
      const index = yield* RetrievalIndex
      const odd: ReadonlyArray<Chunk> = [{ file: "a.pdf", chunk: 0, text: 'half \ud800 "of" a letter, aardvark' }]
      const written = new Map([
        ["doc_long", long],
        ["doc_none", []],
        ["doc_odd", odd],
        ["doc_short", document(3, (nth) => `dromedary\n"${nth}"`)],
      ])
      const write = (retrievalId: string) =>
        Effect.forEach(written, ([id, chunks]) => writeWhole(retrievalId, id, chunks), { discard: true })
      yield* beforeKnowledgePieces(write("kb_before"))
      yield* write("kb_beside")
      for (const retrievalId of ["kb_before", "kb_beside"]) {
        for (const [id, chunks] of written) {
          const given = yield* index.document("org_a", retrievalId, id)
          assert.deepStrictEqual(given, chunks.length === 0 ? null : chunks)
        }
        for (const { bytes } of yield* pieces(retrievalId)) assert.isAtMost(bytes, 2 * limits.knowledgePieceBytes)
        const found = Effect.fnUntraced(function* (word: string) {
          const hits = yield* index.search("org_a", retrievalId, word, 10)
          return hits.map(({ chunk, document_id }) => `${document_id} ${chunk}`)
        })
        assert.deepStrictEqual(yield* found("fjord"), ["doc_long 3999"])
        assert.deepStrictEqual(yield* found("aardvark"), ["doc_odd 0"])
        assert.lengthOf(yield* found("dromedary"), 3)
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe("delete from carillon.knowledge_documents where retrieval_id = $1 and document_id = $2", [
          retrievalId,
          "doc_long",
        ])
        assert.lengthOf(yield* pieces(retrievalId), 2)
        assert.deepStrictEqual(yield* found("fjord"), [])
        assert.strictEqual(yield* index.remove("org_a", retrievalId, null), 4)
        assert.lengthOf(yield* pieces(retrievalId), 0)
      }
    }),
  )
})

it("a few bases are indexed at a time, each of another organization, and the others wait", async () => {
  await run(
    Effect.gen(function* () {
      const index = yield* RetrievalIndex
      const asked = [
        ...Array.from({ length: 4 }, (_, nth) => ["org_noisy", `kb_noisy_${nth}`] as const),
        ...Array.from({ length: 6 }, (_, nth) => [`org_${nth}`, `kb_of_${nth}`] as const),
      ]
      for (const [organizationId, retrievalId] of asked) {
        yield* index.add(organizationId, retrievalId, "doc_1", [{ file: "a.pdf", chunk: 0, text: "fjord" }])
      }
      const open = yield* Deferred.make<void>()
      const indexed = new Map<string, number>()
      let all = 0
      const question = ([organizationId, retrievalId]: readonly [string, string]) => {
        let isBegun = false
        const begin = Effect.suspend(() => {
          if (!isBegun) {
            all += 1
            indexed.set(organizationId, (indexed.get(organizationId) ?? 0) + 1)
          }
          isBegun = true
          return Deferred.await(open)
        })
        return Effect.provideService(index.search(organizationId, retrievalId, "fjord", 5), Pacing, begin)
      }
      const questions = yield* Effect.forkChild(Effect.forEach(asked, question, { concurrency: "unbounded" }))
      // Whoever is indexed stands before its first piece; time enough for the others to come there as well, if they did.
      while (all < limits.knowledgeIndexings) yield* Effect.yieldNow
      for (let nth = 0; nth < 20; nth++) yield* index.document("org_0", "kb_none", "doc_none")
      assert.strictEqual(all, limits.knowledgeIndexings)
      assert.strictEqual(Math.max(...indexed.values()), 1)
      yield* Deferred.succeed(open, undefined)
      for (const hits of yield* Fiber.join(questions)) assert.lengthOf(hits, 1)
      assert.strictEqual(all, asked.length)
    }),
  )
})
