import { type Outcome, put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { byKey } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import type { KnowledgeUpload } from "../rules/KnowledgeBase.ts"
import { tallied } from "../rules/KnowledgeTallies.ts"

/** A caller adds an upload, whose chunks are in the index already, to the base that it was read for. Replies whether that is still there. */
export const addUpload = step({
  name: "document.create",
  reads: ({ caller: { organization_id }, upload }: ByCaller & { readonly upload: KnowledgeUpload }) =>
    byKey("knowledge_base", organization_id, upload.collection),
  decide({ upload }, base, { now }): Outcome<"recorded" | "gone"> {
    if (base?.retrieval_id !== upload.retrieval_id || base.removing === true) return unchanged("gone")
    const resource = { type: "document", id: upload.document_id }
    const details = { files: upload.files.length, chunks_indexed: upload.chunks_indexed }
    return write([put("knowledge_upload", null, upload), put("knowledge_base", base, tallied(base, upload, 1, now))], {
      audit: [{ resource, details }],
      reply: "recorded",
    })
  },
})
