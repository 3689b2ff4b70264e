import { Effect, Schedule } from "effect"
import { Pieces } from "../engine/Pieces.ts"
import { Steps } from "../engine/Steps.ts"
import type { EngineError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import { giveUpKnowledgeBase } from "./steps/GiveUpKnowledgeBase.ts"
import { baseOf, uploadOf } from "./steps/KnowledgeReads.ts"
import { removeKnowledgeBase } from "./steps/RemoveKnowledgeBase.ts"
import { removeUpload } from "./steps/RemoveUpload.ts"
import { RetrievalIndex } from "./ports/RetrievalIndex.ts"

/** What a deletion removed. */
export interface RemovedKnowledge {
  readonly collection: string
  readonly record_id: string
  /** Null where one document was removed. */
  readonly uploads_removed: number | null
  readonly vectors_removed: number
}

/** What has begun is tried again where something was away for a moment: half of it gone would be worse than a request that takes longer. */
const surely = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, {
    schedule: Schedule.spaced(limits.knowledgeRemovalRetryMs),
    times: limits.knowledgeRemovalRetries,
    while: ({ _tag }) => _tag === "DependencyUnavailable",
  })

/** How knowledge goes: the index before the rows. When those then cannot be written, the same request again finishes the deletion. */
export const makeRemovals = Effect.gen(function* () {
  const index = yield* RetrievalIndex
  const steps = yield* Steps
  const pieces = yield* Pieces

  return {
    remove: Effect.fnUntraced(function* (
      caller: Caller,
      collection: string,
    ): Effect.fn.Return<RemovedKnowledge, EngineError> {
      const { organization_id } = caller
      // All of its agents are looked at.
      const givenUp = pieces.piece(organization_id, steps.take(giveUpKnowledgeBase, { caller, collection }))
      const { retrieval_id } = yield* givenUp
      const vectors_removed = yield* surely(index.remove(organization_id, retrieval_id, null))
      const removal = { caller, collection, retrieval_id, vectors_removed }
      const { documents } = yield* surely(steps.take(removeKnowledgeBase, removal))
      return { collection, record_id: retrieval_id, uploads_removed: documents, vectors_removed }
    }),
    removeUpload: Effect.fnUntraced(function* (
      caller: Caller,
      collection: string,
      document_id: string,
    ): Effect.fn.Return<RemovedKnowledge, EngineError> {
      const { organization_id } = caller
      const { retrieval_id } = yield* steps.look(function* () {
        const base = yield* baseOf(organization_id, collection)
        return yield* uploadOf(organization_id, base.retrieval_id, document_id)
      })
      const vectors_removed = yield* index.remove(organization_id, retrieval_id, document_id)
      yield* surely(steps.take(removeUpload, { caller, collection, retrieval_id, document_id, vectors_removed }))
      return { collection, record_id: document_id, uploads_removed: null, vectors_removed }
    }),
  }
})
