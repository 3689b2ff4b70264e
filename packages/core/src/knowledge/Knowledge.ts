import { Context, Duration, Effect, Layer } from "effect"
import { Activity } from "../engine/Activity.ts"
import { Pieces } from "../engine/Pieces.ts"
import { Places } from "../engine/Places.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { Ids } from "../engine/Ids.ts"
import { Steps } from "../engine/Steps.ts"
import {
  DependencyTimeout,
  type EngineError,
  LimitExceeded,
  Malformed,
  type NotFound,
  type PortError,
  TooLarge,
} from "../Errors.ts"
import type { Caller } from "../keys/Caller.ts"
import { limits } from "../Limits.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { quotable } from "../phone/E164.ts"
import type { SentFile } from "../SentFile.ts"
import { addUpload } from "./AddUpload.ts"
import { type ChunkSettings, chunksOf } from "./Chunks.ts"
import { collectionNameMax, isCollectionName } from "./CollectionName.ts"
import { createKnowledgeBase, nameTaken } from "./CreateKnowledgeBase.ts"
import { giveUpKnowledgeBase } from "./GiveUpKnowledgeBase.ts"
import type { KnowledgeBase, KnowledgeUpload } from "./KnowledgeBase.ts"
import { noSuchBase, noSuchDocument } from "./KnowledgeReads.ts"
import { KnowledgeStore } from "./KnowledgeStore.ts"
import { removeKnowledgeBase } from "./RemoveKnowledgeBase.ts"
import { removeUpload } from "./RemoveUpload.ts"
import { type Chunk, type ChunkHit, RetrievalIndex } from "./RetrievalIndex.ts"
import { type SourceFile, TextExtractor } from "./TextExtractor.ts"
import { UploadPlaces } from "./UploadPlaces.ts"
import { judgeFiles } from "./UploadRules.ts"

/** A knowledge base to be made of an upload. */
export interface NewKnowledgeBase {
  readonly collection: string
  readonly description: string | null
  readonly chunk_size: number
  readonly overlapping: number
  readonly files: ReadonlyArray<SentFile>
}

/** What became of an upload (specification, "Knowledge base and uploads"). */
export interface UploadResult {
  readonly collection: string
  readonly retrieval_id: string
  readonly files_accepted: ReadonlyArray<string>
  readonly chunks_indexed: number
  /** False when the upload can be found but not listed, because its row could not be written. */
  readonly metadata_recorded: boolean
  readonly warnings: ReadonlyArray<string>
}

/** What a deletion removed. */
export interface RemovedKnowledge {
  readonly collection: string
  readonly record_id: string
  /** Null where one document was removed. */
  readonly uploads_removed: number | null
  readonly vectors_removed: number
}

/** A question to a knowledge base. */
export interface KnowledgeQuery {
  readonly query: string
  readonly top_k: number
}

interface KnowledgeShape {
  /** Runs an upload, the receiving of its files included, while it has its organization's one place; otherwise nothing runs. */
  readonly alone: <A, E>(caller: Caller, upload: Effect.Effect<A, E>) => Effect.Effect<A, E | LimitExceeded | PortError>
  /** Makes a knowledge base and takes its first files; to be run `alone`. */
  readonly create: (caller: Caller, body: NewKnowledgeBase) => Effect.Effect<UploadResult, EngineError>
  /** Adds files to a knowledge base; the same file again is a second copy. To be run `alone`. */
  readonly add: (
    caller: Caller,
    collection: string,
    files: ReadonlyArray<SentFile>,
  ) => Effect.Effect<UploadResult, EngineError>
  readonly find: (organizationId: string, collection: string) => Effect.Effect<KnowledgeBase, NotFound | PortError>
  readonly page: (organizationId: string, page: PageRequest) => Effect.Effect<Page<KnowledgeBase>, PortError>
  readonly uploads: (
    organizationId: string,
    collection: string,
    page: PageRequest,
  ) => Effect.Effect<Page<KnowledgeUpload>, NotFound | PortError>
  /** Removes a knowledge base with all its uploads, unless an agent uses it. */
  readonly remove: (caller: Caller, collection: string) => Effect.Effect<RemovedKnowledge, EngineError>
  /** Removes an upload and every chunk that it made; the base stays. */
  readonly removeUpload: (
    caller: Caller,
    collection: string,
    documentId: string,
  ) => Effect.Effect<RemovedKnowledge, EngineError>
  /** Asks a knowledge base; a few questions of an organization at once, and a number of them may wait. */
  readonly query: (
    organizationId: string,
    collection: string,
    question: KnowledgeQuery,
  ) => Effect.Effect<ReadonlyArray<ChunkHit>, NotFound | LimitExceeded | PortError>
}

const badName = () =>
  new Malformed({
    message: `A knowledge base name has 1 to ${collectionNameMax} letters, digits, hyphens and underscores.`,
  })

const badOverlap = () => new Malformed({ message: "The field 'overlapping' must be smaller than 'chunk_size'." })

const full = (collection: string) =>
  new TooLarge({
    message: `The knowledge base '${quotable(collection)}' holds ${limits.knowledgeDocuments} uploads and can take no more.`,
  })

const busy = () =>
  new LimitExceeded({
    message: "Another upload for this organization is in progress.",
    retryAfterSeconds: limits.knowledgeRetryAfterSeconds,
  })

const asked = () =>
  new LimitExceeded({
    message: `${limits.knowledgeQueries.open} questions to knowledge bases of this organization are in progress.`,
    retryAfterSeconds: limits.knowledgeRetryAfterSeconds,
  })

/** What was read from the files of an upload. */
interface Reading {
  readonly files: ReadonlyArray<string>
  readonly chunks: ReadonlyArray<Chunk>
  readonly characters: number
  readonly warnings: ReadonlyArray<string>
}

/** How files are cut for a base, and what it holds already. */
type Into = ChunkSettings & Pick<KnowledgeBase, "chunks_indexed" | "characters">

/** Knowledge bases as customers fill, ask and delete them (specification, "Knowledge bases"). */
export class Knowledge extends Context.Service<Knowledge, KnowledgeShape>()("@carillon/core/knowledge/Knowledge") {
  static readonly layer = Layer.effect(
    Knowledge,
    Effect.gen(function* () {
      const store = yield* KnowledgeStore
      const index = yield* RetrievalIndex
      const places = yield* UploadPlaces
      const extractor = yield* TextExtractor
      const steps = yield* Steps
      const pieces = yield* Pieces
      const clock = yield* DomainClock
      const ids = yield* Ids
      const questionPlaces = new Places(yield* Activity, limits.knowledgeQueries.atOnce)
      /** Questions of each organization that wait or are asked. */
      const questions = new Map<string, number>()
      /** The organizations whose uploads are in this process: their places do not lapse here, however far the clock jumps. */
      const uploading = new Set<string>()
      let nth = 0

      const find: KnowledgeShape["find"] = (organizationId, collection) =>
        Effect.flatMap(store.find(organizationId, collection), (base) =>
          base === null ? Effect.fail(noSuchBase) : Effect.succeed(base),
        )

      const alone: KnowledgeShape["alone"] = <A, E>(
        { organization_id: organizationId }: Caller,
        upload: Effect.Effect<A, E>,
      ) =>
        Effect.suspend(() => {
          if (uploading.has(organizationId)) return Effect.fail(busy())
          const now = clock.now()
          const holder = ids.mint("request", organizationId, "upload", nth++)
          return Effect.acquireUseRelease(
            Effect.map(places.take(organizationId, holder, { now, until: now + limits.knowledgePlaceMs }), (taken) => {
              if (taken) uploading.add(organizationId)
              return taken
            }),
            (taken): Effect.Effect<A, E | LimitExceeded> => (taken ? upload : Effect.fail(busy())),
            (taken) => {
              if (taken) uploading.delete(organizationId)
              // A place that cannot be given back lapses by itself.
              return Effect.ignore(places.release(organizationId, holder))
            },
          )
        })

      /** Asks in a place of its organization, unless too many wait for one. */
      const asking = <A, E>(
        organizationId: string,
        question: Effect.Effect<A, E>,
      ): Effect.Effect<A, E | LimitExceeded> =>
        Effect.suspend((): Effect.Effect<A, E | LimitExceeded> => {
          const open = questions.get(organizationId) ?? 0
          if (open >= limits.knowledgeQueries.open) return Effect.fail(asked())
          questions.set(organizationId, open + 1)
          return Effect.ensuring(
            questionPlaces.within(organizationId, question),
            Effect.sync(() => {
              const left = (questions.get(organizationId) ?? 1) - 1
              if (left === 0) questions.delete(organizationId)
              else questions.set(organizationId, left)
            }),
          )
        })

      const textOf = (file: SourceFile): Effect.Effect<string | null, EngineError> =>
        Effect.catchTag(extractor.extract(file), "UnreadableFile", () =>
          Effect.fail(new Malformed({ message: `The file '${quotable(file.name)}' cannot be read.` })),
        )

      const read = Effect.fnUntraced(function* (
        sources: ReadonlyArray<SourceFile>,
        into: Into,
      ): Effect.fn.Return<Reading, EngineError> {
        const chunks: Array<Chunk> = []
        const warnings: Array<string> = []
        const chunksMax = limits.knowledgeChunks - into.chunks_indexed
        const charactersMax = limits.knowledgeCharacters - (into.characters ?? 0)
        let characters = 0
        for (const source of sources) {
          const text = yield* textOf(source)
          const left = chunksMax - chunks.length
          const bounds = { chunks: left + 1, characters: charactersMax - characters }
          const pieces = text === null ? [] : yield* chunksOf(text, into, bounds)
          for (const { length } of pieces) characters += length
          if (pieces.length > left || characters > charactersMax) {
            const message = `The files make more than the ${limits.knowledgeChunks} chunks or ${limits.knowledgeCharacters / 1e6} million characters of one upload and of one knowledge base.`
            return yield* new TooLarge({ message })
          }
          if (text === null) warnings.push(`The text of '${source.name}' cannot be recognised here.`)
          else if (pieces.length === 0) warnings.push(`No text was found in '${source.name}'.`)
          pieces.forEach((piece, chunk) => chunks.push({ file: source.name, chunk, text: piece }))
        }
        return { files: sources.map(({ name }) => name), chunks, characters, warnings }
      })

      /** Judges the files and reads them, within the time that an upload may take. */
      const ingest = (files: ReadonlyArray<SentFile>, into: Into): Effect.Effect<Reading, EngineError> =>
        Effect.flatMap(Effect.fromResult(judgeFiles(files)), (sources) => read(sources, into)).pipe(
          Effect.timeoutOrElse({
            duration: Duration.millis(limits.knowledgeUploadMs),
            orElse: () => Effect.fail(new DependencyTimeout({ dependency: "knowledge_index" })),
          }),
        )

      const rowOf = (base: KnowledgeBase, { characters, chunks, files }: Reading): KnowledgeUpload => {
        const now = clock.now()
        return {
          document_id: ids.mint("document", base.retrieval_id, nth++),
          organization_id: base.organization_id,
          retrieval_id: base.retrieval_id,
          revision: 1,
          collection: base.collection,
          files,
          chunks_indexed: chunks.length,
          characters,
          status: chunks.length === 0 ? "failed" : "processed",
          created_at: now,
          updated_at: now,
        }
      }

      const indexed = ({ document_id, organization_id, retrieval_id }: KnowledgeUpload, chunks: ReadonlyArray<Chunk>) =>
        chunks.length === 0 ? Effect.void : index.add(organization_id, retrieval_id, document_id, chunks)

      const unindexed = ({ document_id, organization_id, retrieval_id }: KnowledgeUpload) =>
        Effect.ignore(index.remove(organization_id, retrieval_id, document_id))

      const resultOf = (row: KnowledgeUpload, { warnings }: Reading, metadata_recorded: boolean): UploadResult => ({
        collection: row.collection,
        retrieval_id: row.retrieval_id,
        files_accepted: row.files,
        chunks_indexed: row.chunks_indexed,
        metadata_recorded,
        warnings,
      })

      const create = Effect.fnUntraced(function* (
        caller: Caller,
        { chunk_size, collection, description, files, overlapping }: NewKnowledgeBase,
      ): Effect.fn.Return<UploadResult, EngineError> {
        const { organization_id } = caller
        if (!isCollectionName(collection)) return yield* badName()
        if (overlapping >= chunk_size) return yield* badOverlap()
        if ((yield* store.find(organization_id, collection)) !== null) return yield* nameTaken(collection)
        const now = clock.now()
        const empty: KnowledgeBase = {
          retrieval_id: ids.mint("knowledgeBase", organization_id, nth++),
          organization_id,
          revision: 0,
          collection,
          description,
          chunk_size,
          overlapping,
          documents: 0,
          chunks_indexed: 0,
          created_at: now,
          updated_at: now,
        }
        const reading = yield* ingest(files, empty)
        const row = rowOf(empty, reading)
        yield* indexed(row, reading.chunks)
        const recorded = steps.take(createKnowledgeBase, { caller, base: empty, upload: row })
        yield* Effect.tapError(recorded, () => unindexed(row))
        return resultOf(row, reading, true)
      })

      const add = Effect.fnUntraced(function* (
        caller: Caller,
        collection: string,
        files: ReadonlyArray<SentFile>,
      ): Effect.fn.Return<UploadResult, EngineError> {
        const found = yield* find(caller.organization_id, collection)
        if (found.removing === true) return yield* noSuchBase
        if (found.documents >= limits.knowledgeDocuments) return yield* full(collection)
        const reading = yield* ingest(files, found)
        const row = rowOf(found, reading)
        yield* indexed(row, reading.chunks)
        const recorded = steps.take(addUpload, { caller, upload: row })
        // The chunks are in the index and can be found: that their row cannot be written is told, not undone.
        const outcome = yield* Effect.catch(recorded, (error) =>
          Effect.as(Effect.logWarning("The row of an upload could not be written.", error), "unlisted" as const),
        )
        if (outcome !== "gone") return resultOf(row, reading, outcome === "recorded")
        yield* unindexed(row)
        return yield* noSuchBase
      })

      const remove: KnowledgeShape["remove"] = Effect.fnUntraced(function* (caller, collection) {
        const { organization_id } = caller
        // All of its agents are looked at.
        const givenUp = pieces.piece(organization_id, steps.take(giveUpKnowledgeBase, { caller, collection }))
        const { retrieval_id } = yield* givenUp
        // The index before the rows: when those then cannot be written, the same request again finishes the deletion.
        const vectors_removed = yield* index.remove(organization_id, retrieval_id, null)
        const removal = { caller, collection, retrieval_id, vectors_removed }
        const { documents } = yield* steps.take(removeKnowledgeBase, removal)
        return { collection, record_id: retrieval_id, uploads_removed: documents, vectors_removed }
      })

      const removeOne: KnowledgeShape["removeUpload"] = Effect.fnUntraced(function* (caller, collection, document_id) {
        const { organization_id } = caller
        const { retrieval_id } = yield* find(organization_id, collection)
        if ((yield* store.upload(organization_id, retrieval_id, document_id)) === null) return yield* noSuchDocument
        const vectors_removed = yield* index.remove(organization_id, retrieval_id, document_id)
        yield* steps.take(removeUpload, { caller, collection, retrieval_id, document_id, vectors_removed })
        return { collection, record_id: document_id, uploads_removed: null, vectors_removed }
      })

      return Knowledge.of({
        alone,
        create,
        add,
        find,
        page: store.page,
        uploads: Effect.fnUntraced(function* (organizationId, collection, page) {
          const { retrieval_id } = yield* find(organizationId, collection)
          return yield* store.uploads(organizationId, retrieval_id, page)
        }),
        remove,
        removeUpload: removeOne,
        query: Effect.fnUntraced(function* (organizationId, collection, { query, top_k }) {
          const { retrieval_id } = yield* find(organizationId, collection)
          return yield* asking(organizationId, index.search(organizationId, retrieval_id, query, top_k))
        }),
      })
    }),
  )
}
