import { type Chunk, type PortError, RetrievalIndex } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Context, Effect, Layer, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { documentOf, rowOf } from "../Documents.ts"
import { reading } from "../Failures.ts"

/** Bases whose index a process keeps; the one that was not asked the longest gives way. */
const indexedBases = 256

const insert = `
  insert into carillon.knowledge_documents (retrieval_id, document_id, organization_id, chunk_count, chunks)
  values ($1, $2, $3, $4::integer, $5::text::json) on conflict (retrieval_id, document_id) do nothing`

/** A document's chunks, wrapped so that they are an object like every other document. */
interface Stored {
  readonly document_id: string
  readonly chunks: { readonly chunks: ReadonlyArray<Chunk> }
}

/** A base of which this process has an index, and the documents in it. */
interface Indexed {
  readonly organizationId: string
  readonly retrievalId: string
  readonly documents: Set<string>
}

const read = <A>(effect: Parameters<typeof reading<A>>[1]): Effect.Effect<A, PortError> =>
  reading("knowledge_index", effect)

/**
 * Chunks are rows, and every process has an index of its own over those of the bases that it is asked about. Before each search it
 * compares which documents there are, so what another process has added or removed is found and gone at once.
 */
export const makeRetrievalIndex = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const index = Context.get(yield* Layer.build(MemoryStore.layer(new MemoryTables())), RetrievalIndex)
  const turn = Semaphore.makeUnsafe(1)
  /** What is indexed, by organization and base; the base that was asked last stands at the end. */
  const known = new Map<string, Indexed>()

  const follow = Effect.fnUntraced(function* (organizationId: string, retrievalId: string) {
    const key = `${organizationId} ${retrievalId}`
    const { documents } = known.get(key) ?? { documents: new Set<string>() }
    const stored = yield* read(
      sql.unsafe<{ readonly id: string }>(
        "select document_id as id from carillon.knowledge_documents where retrieval_id = $1 and organization_id = $2",
        [retrievalId, organizationId],
      ),
    )
    const present = new Set(stored.map(({ id }) => id))
    for (const id of documents) {
      if (present.has(id)) continue
      yield* index.remove(organizationId, retrievalId, id)
      documents.delete(id)
    }
    const missing = [...present].filter((id) => !documents.has(id))
    const found =
      missing.length === 0
        ? []
        : yield* read(
            sql.unsafe<Stored>(
              "select document_id, chunks from carillon.knowledge_documents where retrieval_id = $1 and document_id = any($2::text[])",
              [retrievalId, missing],
            ),
          )
    for (const { document_id, chunks } of found) {
      yield* index.add(organizationId, retrievalId, document_id, rowOf(chunks).chunks)
      documents.add(document_id)
    }
    known.delete(key)
    if (present.size === 0) return
    known.set(key, { organizationId, retrievalId, documents })
    const [oldest] = known
    if (known.size <= indexedBases || oldest === undefined) return
    known.delete(oldest[0])
    yield* index.remove(oldest[1].organizationId, oldest[1].retrievalId, null)
  })

  return RetrievalIndex.of({
    add: (organizationId, retrievalId, documentId, chunks) =>
      read(
        Effect.asVoid(
          sql.unsafe(insert, [retrievalId, documentId, organizationId, chunks.length, documentOf({ chunks })]),
        ),
      ),
    remove: (organizationId, retrievalId, documentId) =>
      read(
        Effect.map(
          sql.unsafe<{ readonly chunk_count: number }>(
            `delete from carillon.knowledge_documents
             where retrieval_id = $1 and organization_id = $2 and ($3::text is null or document_id = $3)
             returning chunk_count`,
            [retrievalId, organizationId, documentId],
          ),
          (gone) => gone.reduce((sum, { chunk_count }) => sum + chunk_count, 0),
        ),
      ),
    search: (organizationId, retrievalId, query, limit) =>
      turn.withPermit(
        Effect.andThen(follow(organizationId, retrievalId), index.search(organizationId, retrievalId, query, limit)),
      ),
  })
})
