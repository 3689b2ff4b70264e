import { asks, type Outcome, put, refused, remove, write } from "../../engine/rules/Outcome.ts"
import { all, byKey, glance, refuse, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { NotFound } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { type RemovedKnowledge, removesChunks } from "../rules/KnowledgeErrand.ts"
import { noSuchBase, noSuchDocument, uploadOf } from "./KnowledgeReads.ts"
import { tallied } from "../rules/KnowledgeTallies.ts"

interface Removal extends ByCaller {
  readonly collection: string
  readonly retrieval_id: string
  readonly document_id: string
  readonly vectors_removed: number
}

/** A caller has an upload removed: its chunks go first. Where the rest fails, whoever asks again finishes it. */
export const emptyUpload = step({
  name: "document.empty",
  *reads({
    caller: { organization_id },
    collection,
    document_id,
  }: Pick<Removal, "caller" | "collection" | "document_id">) {
    const base = yield* glance(
      "again",
      "Who removes the upload reads it again.",
      byKey("knowledge_base", organization_id, collection),
    )
    if (base === null) return yield* refuse(noSuchBase)
    const upload = yield* glance(
      "again",
      "Who removes it reads it again.",
      row("knowledge_upload", document_id, { of: organization_id }),
    )
    return upload?.retrieval_id === base.retrieval_id ? upload : yield* refuse(noSuchDocument)
  },
  decide: ({ caller, collection, document_id }, { retrieval_id }) =>
    asks(removesChunks({ caller, collection, retrieval_id, document_id })),
})

/** A caller removes an upload, whose chunks are gone already, from its base. */
export const removeUpload = step({
  name: "document.delete",
  reads: ({ caller: { organization_id }, collection, document_id, retrieval_id }: Removal) =>
    all(byKey("knowledge_base", organization_id, collection), uploadOf(organization_id, retrieval_id, document_id)),
  decide({ collection, document_id, vectors_removed }, [base, upload], { now }): Outcome<RemovedKnowledge, NotFound> {
    if (base === null) return refused(noSuchDocument)
    return write([remove("knowledge_upload", upload), put("knowledge_base", base, tallied(base, upload, -1, now))], {
      audit: [{ resource: { type: "document", id: document_id }, details: { vectors_removed } }],
      reply: { collection, record_id: document_id, uploads_removed: null, vectors_removed },
    })
  },
})
