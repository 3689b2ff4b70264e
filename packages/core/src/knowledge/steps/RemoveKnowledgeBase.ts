import { type Outcome, refused, remove, write } from "../../engine/rules/Outcome.ts"
import { byKey } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { NotFound } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import type { RemovedKnowledge } from "../rules/KnowledgeErrand.ts"
import { noSuchBase } from "./KnowledgeReads.ts"

interface Removal extends ByCaller {
  readonly collection: string
  /** The base that was given up, and whose chunks are gone: another one may have its name meanwhile. */
  readonly retrieval_id: string
  readonly vectors_removed: number
}

/** A caller removes a base that was given up, with its uploads. */
export const removeKnowledgeBase = step({
  name: "knowledge_base.delete",
  reads: ({ caller: { organization_id }, collection }: Removal) => byKey("knowledge_base", organization_id, collection),
  decide({ collection, retrieval_id, vectors_removed }, base): Outcome<RemovedKnowledge, NotFound> {
    if (base?.retrieval_id !== retrieval_id) return refused(noSuchBase)
    const resource = { type: "knowledge_base", id: retrieval_id }
    const details = { uploads_removed: base.documents, vectors_removed }
    const reply = { collection, record_id: retrieval_id, ...details }
    return write([remove("knowledge_base", base)], { audit: [{ resource, details }], reply })
  },
})
