import { asks, type Outcome, put, refused } from "../../engine/rules/Outcome.ts"
import { set } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { type NotFound, StateConflict } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { type RemovedKnowledge, removesChunks } from "../rules/KnowledgeErrand.ts"
import { baseOf, knowledgeUsers } from "./KnowledgeReads.ts"

/**
 * Of a base that no agent uses it is written that it is being removed, before anything of it goes. An agent that is given it later is given
 * one that is not there any more, and keeps nobody from finishing the deletion. Then its chunks go, and the base.
 */
export const giveUpKnowledgeBase = step({
  name: "knowledge_base.give_up",
  *reads({ caller: { organization_id }, collection }: ByCaller & { readonly collection: string }) {
    const base = yield* baseOf(organization_id, collection)
    return { base, isUsed: base.removing !== true && (yield* set(knowledgeUsers, base)) }
  },
  decide({ caller, collection }, { base, isUsed }, { now }): Outcome<RemovedKnowledge, NotFound | StateConflict> {
    if (isUsed) {
      return refused(new StateConflict({ message: "This knowledge base is used by an agent and cannot be deleted." }))
    }
    const removing = removesChunks({ caller, collection, retrieval_id: base.retrieval_id, document_id: null })
    if (base.removing === true) return asks(removing)
    return asks(removing, [put("knowledge_base", base, { ...base, removing: true, updated_at: now })])
  },
})
