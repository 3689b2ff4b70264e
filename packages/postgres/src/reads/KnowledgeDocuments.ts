import { DependencyTimeout, limits, type PortError } from "@carillon/core"
import { type Chunk, nextTurn, type RetrievalIndex } from "@carillon/core/ports"
import { Effect, Semaphore } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { noted, portError, reading } from "../Failures.ts"
import { chunksOfPiece, piecesOf } from "./ChunkPieces.ts"

/** A document without its chunks: what the release before this one reads of it, and finds nothing in. */
const insertDocument = `
  insert into carillon.knowledge_documents (retrieval_id, document_id, organization_id, chunk_count, chunks)
  values ($1, $2, $3, $4::integer, '{"chunks":[]}') on conflict (retrieval_id, document_id) do nothing
  returning 1`

const insertPiece = `
  insert into carillon.knowledge_pieces (retrieval_id, document_id, piece, characters, chunks)
  values ($1, $2, $3::integer, $4::integer, $5::text::json)`

const documentsOf =
  "select document_id as id from carillon.knowledge_documents where retrieval_id = $1 and organization_id = $2"

/** Of all documents of a base: to look for each of a thousand takes a hundred times as long. */
const piecesOfBase = `
  select document_id as id, piece, characters from carillon.knowledge_pieces where retrieval_id = $1 order by document_id, piece`

const piecesOfDocument = `
  select p.document_id as id, p.piece, p.characters from carillon.knowledge_pieces p
  where p.retrieval_id = $1 and p.document_id = $2 and exists (
    select 1 from carillon.knowledge_documents d where d.retrieval_id = $1 and d.document_id = $2 and d.organization_id = $3)
  order by p.piece`

const pieceText = `
  select chunks::text as text from carillon.knowledge_pieces where retrieval_id = $1 and document_id = $2 and piece = $3::integer`

/** What goes takes its pieces with it (`knowledge_pieces_at_delete`). */
const removeDocuments = `
  delete from carillon.knowledge_documents
  where retrieval_id = $1 and organization_id = $2 and ($3::text is null or document_id = $3)
  returning chunk_count`

/** Where a piece of a document lies. */
interface Place {
  readonly id: string
  readonly piece: number
  readonly characters: number
}

const dependency = "knowledge_index"

const read = <A>(effect: Parameters<typeof reading<A>>[1]): Effect.Effect<A, PortError> => reading(dependency, effect)

/** What a transaction is told of that fails between its statements. */
const told = <A>(transaction: Effect.Effect<A, PortError | SqlError.SqlError>): Effect.Effect<A, PortError> =>
  transaction.pipe(
    // Where even the rollback finds no connection, the client gives up with a defect.
    Effect.catchDefect((defect) => (defect instanceof SqlError.SqlError ? Effect.fail(defect) : Effect.die(defect))),
    Effect.catchTag("SqlError", (error) =>
      Effect.andThen(noted(dependency, error), Effect.fail(portError(dependency, error))),
    ),
    Effect.timeoutOrElse({
      duration: limits.knowledgeStoreMs,
      orElse: () => Effect.fail(new DependencyTimeout({ dependency })),
    }),
  )

/** Documents that are written at once, of all organizations: each has a connection until its last piece is written. */
const addedAtOnce = 2

/** Documents in pieces: they are written, read and removed, and each piece has a turn of its own. */
export const makeKnowledgeDocuments = (sql: SqlClient.SqlClient) => {
  const adding = Semaphore.makeUnsafe(addedAtOnce)

  /** The chunks that lie in some pieces of a document; null where it is gone meanwhile. */
  const chunks = Effect.fnUntraced(function* (retrievalId: string, places: ReadonlyArray<Place>) {
    const all: Array<Chunk> = []
    for (const { id, piece } of places) {
      const [found] = yield* read(sql.unsafe<{ readonly text: string }>(pieceText, [retrievalId, id, piece]))
      if (found === undefined) return null
      yield* nextTurn
      for (const chunk of chunksOfPiece(found.text)) all.push(chunk)
    }
    return all
  })

  const add: RetrievalIndex["Service"]["add"] = (organizationId, retrievalId, documentId, added) =>
    told(
      sql
        .withTransaction(
          Effect.gen(function* () {
            const entered = yield* read(
              sql.unsafe(insertDocument, [retrievalId, documentId, organizationId, added.length]),
            )
            if (entered.length === 0) return
            let nth = 0
            // Whoever rests between two pieces would keep a connection meanwhile: each has its turn by the answer that is waited for.
            for (const { characters, text } of piecesOf(added)) {
              yield* read(sql.unsafe(insertPiece, [retrievalId, documentId, nth++, characters, text]))
            }
          }),
        )
        .pipe((writing) => adding.withPermit(writing)),
    )

  const remove: RetrievalIndex["Service"]["remove"] = (organizationId, retrievalId, documentId) =>
    read(
      Effect.map(
        sql.unsafe<{ readonly chunk_count: number }>(removeDocuments, [retrievalId, organizationId, documentId]),
        (gone) => gone.reduce((sum, { chunk_count }) => sum + chunk_count, 0),
      ),
    )

  const document: RetrievalIndex["Service"]["document"] = (organizationId, retrievalId, documentId) =>
    Effect.flatMap(read(sql.unsafe<Place>(piecesOfDocument, [retrievalId, documentId, organizationId])), (found) =>
      found.length === 0 ? Effect.succeed(null) : chunks(retrievalId, found),
    )

  return {
    add,
    remove,
    document,
    chunks,
    /** Where the pieces of all documents of a base lie, by document. */
    places: (retrievalId: string) =>
      Effect.map(read(sql.unsafe<Place>(piecesOfBase, [retrievalId])), (found) => Map.groupBy(found, ({ id }) => id)),
    ids: (organizationId: string, retrievalId: string) =>
      Effect.map(
        read(sql.unsafe<{ readonly id: string }>(documentsOf, [retrievalId, organizationId])),
        (found): ReadonlySet<string> => new Set(found.map(({ id }) => id)),
      ),
  }
}
