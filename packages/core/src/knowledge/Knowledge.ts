import { Context, Effect, Layer } from "effect"
import { Activity } from "../engine/Activity.ts"
import { Pieces } from "../engine/Pieces.ts"
import { Steps } from "../engine/Steps.ts"
import type { EngineError, LimitExceeded, NotFound, PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { SentFile } from "../SentFile.ts"
import type { KnowledgeBase, KnowledgeUpload } from "./rules/KnowledgeBase.ts"
import { baseOf } from "./steps/KnowledgeReads.ts"
import { KnowledgeStore } from "./ports/KnowledgeStore.ts"
import { Questions } from "./Questions.ts"
import type { RemovedKnowledge } from "./rules/KnowledgeErrand.ts"
import { giveUpKnowledgeBase } from "./steps/GiveUpKnowledgeBase.ts"
import { emptyUpload } from "./steps/RemoveUpload.ts"
import { RetrievalIndex } from "./ports/RetrievalIndex.ts"
import type { ChunkHit } from "./rules/Chunk.ts"
import { makeUploads, type NewKnowledgeBase, type UploadResult } from "./Uploads.ts"

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

/** Knowledge bases as customers fill, ask and delete them (specification, "Knowledge bases"). */
export class Knowledge extends Context.Service<Knowledge, KnowledgeShape>()("@carillon/core/knowledge/Knowledge") {
  static readonly layer = Layer.effect(
    Knowledge,
    Effect.gen(function* () {
      const store = yield* KnowledgeStore
      const index = yield* RetrievalIndex
      const steps = yield* Steps
      const uploads = yield* makeUploads
      const pieces = yield* Pieces
      const questions = new Questions(yield* Activity)

      const find: KnowledgeShape["find"] = (organizationId, collection) =>
        steps.look(() => baseOf(organizationId, collection))

      return Knowledge.of({
        ...uploads,
        // All of its agents are looked at, but what goes then takes no place from others.
        remove: (caller, collection) =>
          Effect.flatten(
            pieces.piece(caller.organization_id, steps.begin(giveUpKnowledgeBase, { caller, collection })),
          ),
        removeUpload: (caller, collection, document_id) => steps.take(emptyUpload, { caller, collection, document_id }),
        find,
        page: store.page,
        uploads: Effect.fnUntraced(function* (organizationId, collection, page) {
          const { retrieval_id } = yield* find(organizationId, collection)
          return yield* store.uploads(organizationId, retrieval_id, page)
        }),
        query: Effect.fnUntraced(function* (organizationId, collection, { query, top_k }) {
          const { retrieval_id } = yield* find(organizationId, collection)
          return yield* questions.ask(organizationId, index.search(organizationId, retrieval_id, query, top_k))
        }),
      })
    }),
  )
}
