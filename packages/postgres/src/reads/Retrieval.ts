import { type Chunk, type PortError, RetrievalIndex } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Context, Effect, Layer, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { documentOf, rowOf } from "../Documents.ts"
import { reading } from "../Failures.ts"

/**
 * Bases whose index a process keeps, and characters of them; each organization may have half of both, so that one that asks about many bases
 * costs the others none of theirs. The one that was not asked the longest gives way.
 */
const indexedBases = 256
const indexedCharacters = 40_000_000

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
  /** With the characters of each. */
  readonly documents: Map<string, number>
}

const charactersOf = ({ documents }: Indexed): number => [...documents.values()].reduce((sum, each) => sum + each, 0)

const read = <A>(effect: Parameters<typeof reading<A>>[1]): Effect.Effect<A, PortError> =>
  reading("knowledge_index", effect)

/**
 * Chunks are rows, and every process has an index of its own over those of the bases that it is asked about. Before each search it
 * compares which documents there are, so what another process has added or removed is found and gone at once.
 */
export const makeRetrievalIndex = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const index = Context.get(yield* Layer.build(MemoryStore.layer(new MemoryTables())), RetrievalIndex)
  /** Who asks about a base waits for those who ask about the same one, and for nobody else. */
  const turns = new Map<string, { readonly turn: Semaphore.Semaphore; waiting: number }>()
  /** What is indexed, by organization and base; the base that was asked last stands at the end. */
  const known = new Map<string, Indexed>()

  const follow = Effect.fnUntraced(function* (organizationId: string, retrievalId: string) {
    const key = `${organizationId} ${retrievalId}`
    const { documents } = known.get(key) ?? { documents: new Map<string, number>() }
    const stored = yield* read(
      sql.unsafe<{ readonly id: string }>(
        "select document_id as id from carillon.knowledge_documents where retrieval_id = $1 and organization_id = $2",
        [retrievalId, organizationId],
      ),
    )
    const present = new Set(stored.map(({ id }) => id))
    for (const id of documents.keys()) {
      if (present.has(id)) continue
      yield* index.remove(organizationId, retrievalId, id)
      documents.delete(id)
    }
    const missing = [...present].filter((id) => !documents.has(id))
    for (const id of missing) {
      // One at a time: each may be as large as an upload.
      const [found] = yield* read(
        sql.unsafe<Stored>(
          "select document_id, chunks from carillon.knowledge_documents where retrieval_id = $1 and document_id = $2",
          [retrievalId, id],
        ),
      )
      if (found === undefined) continue
      const { chunks } = rowOf(found.chunks)
      yield* index.add(organizationId, retrievalId, id, chunks)
      documents.set(
        id,
        chunks.reduce((sum, { text }) => sum + text.length, 0),
      )
    }
    known.delete(key)
    if (present.size === 0) return
    const asked: Indexed = { organizationId, retrievalId, documents }
    known.set(key, asked)
    yield* makeRoom(asked)
  })

  /** Lets go of the bases that were not asked the longest: of the organization's own while it has more than half, then of all. */
  const makeRoom = Effect.fnUntraced(function* (asked: Indexed) {
    const own = (base: Indexed) => base.organizationId === asked.organizationId
    for (const [belongs, part] of [
      [own, 2],
      [() => true, 1],
    ] as const) {
      const bases = [...known].filter(([, base]) => belongs(base))
      let characters = bases.reduce((sum, [, base]) => sum + charactersOf(base), 0)
      let count = bases.length
      for (const [key, base] of bases) {
        if (count <= indexedBases / part && characters <= indexedCharacters / part) break
        // What is being asked stays, however large, and so does what others ask at this moment.
        if (turns.has(key)) continue
        known.delete(key)
        count -= 1
        characters -= charactersOf(base)
        yield* index.remove(base.organizationId, base.retrievalId, null)
      }
    }
  })

  const inTurn = <A, E>(key: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const own = turns.get(key) ?? { turn: Semaphore.makeUnsafe(1), waiting: 0 }
      turns.set(key, own)
      own.waiting += 1
      return Effect.ensuring(
        own.turn.withPermit(effect),
        Effect.sync(() => {
          own.waiting -= 1
          if (own.waiting === 0) turns.delete(key)
        }),
      )
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
    document: (organizationId, retrievalId, documentId) =>
      read(
        Effect.map(
          sql.unsafe<Pick<Stored, "chunks">>(
            "select chunks from carillon.knowledge_documents where retrieval_id = $1 and document_id = $2 and organization_id = $3",
            [retrievalId, documentId, organizationId],
          ),
          ([found]) => (found === undefined ? null : rowOf(found.chunks).chunks),
        ),
      ),
    search: (organizationId, retrievalId, query, limit) =>
      inTurn(
        `${organizationId} ${retrievalId}`,
        Effect.andThen(follow(organizationId, retrievalId), index.search(organizationId, retrievalId, query, limit)),
      ),
  })
})
