import { Effect, Schedule } from "effect"
import { type NextStep, nextStep } from "../engine/ErrandHandling.ts"
import type { NotFound, PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { RemovedKnowledge, RemovesChunks } from "./rules/KnowledgeErrand.ts"
import { RetrievalIndex } from "./ports/RetrievalIndex.ts"
import { removeKnowledgeBase } from "./steps/RemoveKnowledgeBase.ts"
import { removeUpload } from "./steps/RemoveUpload.ts"

/** What has begun is tried again where something was away for a moment: half of it gone would be worse than a request that takes longer. */
const surely = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, {
    schedule: Schedule.spaced(limits.knowledgeRemovalRetryMs),
    times: limits.knowledgeRemovalRetries,
    while: ({ _tag }) => _tag === "DependencyUnavailable",
  })

const surelyTaken = <Reply, Refusal extends { readonly _tag: string }>({
  takenBy,
}: NextStep<Reply, Refusal>): NextStep<Reply, Refusal> => ({ takenBy: (take) => surely(takenBy(take)) })

/** How knowledge goes: the index before the rows. When those then cannot be written, the same request again finishes the deletion. */
export const makeRemovals = Effect.map(
  RetrievalIndex,
  (index) =>
    ({
      caller,
      collection,
      document_id,
      retrieval_id,
    }: RemovesChunks): Effect.Effect<NextStep<RemovedKnowledge, NotFound>, PortError> => {
      const removing = index.remove(caller.organization_id, retrieval_id, document_id)
      // Of a document nothing is given up before.
      return Effect.map(document_id === null ? surely(removing) : removing, (vectors_removed) => {
        const removal = { caller, collection, retrieval_id, vectors_removed }
        return surelyTaken(
          document_id === null
            ? nextStep(removeKnowledgeBase, removal)
            : nextStep(removeUpload, { ...removal, document_id }),
        )
      })
    },
)
