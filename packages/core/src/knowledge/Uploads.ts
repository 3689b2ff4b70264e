import { Effect } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { byKey } from "../engine/steps/Reading.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, Malformed, TooLarge } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import { quotable } from "../phone/E164.ts"
import type { SentFile } from "../SentFile.ts"
import { addUpload } from "./steps/AddUpload.ts"
import { collectionNameMax, isCollectionName } from "./rules/CollectionName.ts"
import { createKnowledgeBase, nameTaken } from "./steps/CreateKnowledgeBase.ts"
import { type FilesRead, readFiles } from "./FilesRead.ts"
import type { KnowledgeBase, KnowledgeUpload } from "./rules/KnowledgeBase.ts"
import { baseOf, isBeingRemoved, noSuchBase } from "./steps/KnowledgeReads.ts"
import { RetrievalIndex } from "./ports/RetrievalIndex.ts"
import type { Chunk } from "./rules/Chunk.ts"
import { TextExtractor } from "./ports/TextExtractor.ts"
import { UploadPlaces } from "./ports/UploadPlaces.ts"
import { UploadTurns } from "./UploadTurns.ts"

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

const badName = () =>
  new Malformed({
    message: `A knowledge base name has 1 to ${collectionNameMax} letters, digits, hyphens and underscores.`,
  })

const badOverlap = () => new Malformed({ message: "The field 'overlapping' must be smaller than 'chunk_size'." })

const full = (collection: string) =>
  new TooLarge({
    message: `The knowledge base '${quotable(collection)}' holds ${limits.knowledgeDocuments} uploads and can take no more.`,
  })

const resultOf = (upload: KnowledgeUpload, { warnings }: FilesRead, metadata_recorded: boolean): UploadResult => ({
  collection: upload.collection,
  retrieval_id: upload.retrieval_id,
  files_accepted: upload.files,
  chunks_indexed: upload.chunks_indexed,
  metadata_recorded,
  warnings,
})

/** How uploads come in: their files are read, their chunks go into the index, and then their rows are written. */
export const makeUploads = Effect.gen(function* () {
  const index = yield* RetrievalIndex
  const extractor = yield* TextExtractor
  const steps = yield* Steps
  const clock = yield* DomainClock
  const ids = yield* Ids
  const turns = new UploadTurns(yield* UploadPlaces, clock)
  let nth = 0

  const emptyBase = (organization_id: string, body: NewKnowledgeBase): KnowledgeBase => {
    const now = clock.now()
    return {
      retrieval_id: ids.mint("knowledgeBase", organization_id, nth++),
      organization_id,
      revision: 0,
      collection: body.collection,
      description: body.description,
      chunk_size: body.chunk_size,
      overlapping: body.overlapping,
      documents: 0,
      chunks_indexed: 0,
      created_at: now,
      updated_at: now,
    }
  }

  const uploadInto = (base: KnowledgeBase, { characters, chunks, files }: FilesRead): KnowledgeUpload => {
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

  return {
    alone: <A, E>({ organization_id }: Caller, upload: Effect.Effect<A, E>) =>
      turns.within(organization_id, () => ids.mint("request", organization_id, "upload", nth++), upload),
    create: Effect.fnUntraced(function* (
      caller: Caller,
      body: NewKnowledgeBase,
    ): Effect.fn.Return<UploadResult, EngineError> {
      const { organization_id } = caller
      const { collection } = body
      if (!isCollectionName(collection)) return yield* badName()
      if (body.overlapping >= body.chunk_size) return yield* badOverlap()
      const other = yield* steps.look(() => byKey("knowledge_base", organization_id, collection))
      if (other !== null) return yield* nameTaken(collection)
      const base = emptyBase(organization_id, body)
      const read = yield* readFiles(extractor, body.files, base)
      const upload = uploadInto(base, read)
      yield* indexed(upload, read.chunks)
      yield* Effect.tapError(steps.take(createKnowledgeBase, { caller, base, upload }), () => unindexed(upload))
      return resultOf(upload, read, true)
    }),
    add: Effect.fnUntraced(function* (
      caller: Caller,
      collection: string,
      files: ReadonlyArray<SentFile>,
    ): Effect.fn.Return<UploadResult, EngineError> {
      const base = yield* steps.look(() => baseOf(caller.organization_id, collection))
      if (base.removing === true) return yield* isBeingRemoved
      if (base.documents >= limits.knowledgeDocuments) return yield* full(collection)
      const read = yield* readFiles(extractor, files, base)
      const upload = uploadInto(base, read)
      yield* indexed(upload, read.chunks)
      // The chunks are in the index and can be found: that their row cannot be written is told, not undone.
      const became = yield* Effect.catch(steps.take(addUpload, { caller, upload }), (error) =>
        Effect.as(Effect.logWarning("The row of an upload could not be written.", error), "unlisted" as const),
      )
      if (became !== "gone") return resultOf(upload, read, became === "recorded")
      yield* unindexed(upload)
      return yield* noSuchBase
    }),
  }
})
