import { put, refused, remove, write } from "../../engine/rules/Outcome.ts"
import { all, byKey } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { noSuchDocument, uploadOf } from "./KnowledgeReads.ts"
import { tallied } from "../rules/KnowledgeTallies.ts"

interface Removal extends ByCaller {
  readonly collection: string
  readonly retrieval_id: string
  readonly document_id: string
  readonly vectors_removed: number
}

/** A caller removes an upload, whose chunks are gone already, from its base. */
export const removeUpload = step({
  name: "document.delete",
  reads: ({ caller: { organization_id }, collection, document_id, retrieval_id }: Removal) =>
    all(byKey("knowledge_base", organization_id, collection), uploadOf(organization_id, retrieval_id, document_id)),
  decide({ document_id, vectors_removed }, [base, upload], { now }) {
    if (base === null) return refused(noSuchDocument)
    return write([remove("knowledge_upload", upload), put("knowledge_base", base, tallied(base, upload, -1, now))], {
      audit: [{ resource: { type: "document", id: document_id }, details: { vectors_removed } }],
      reply: undefined,
    })
  },
})
