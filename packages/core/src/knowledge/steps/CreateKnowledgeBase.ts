import { put, refused, write } from "../../engine/rules/Outcome.ts"
import { byKey } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { StateConflict } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { quotable } from "../../phone/E164.ts"
import type { KnowledgeBase, KnowledgeUpload } from "../rules/KnowledgeBase.ts"
import { tallied } from "../rules/KnowledgeTallies.ts"

/** Why a knowledge base cannot be made. */
export const nameTaken = (collection: string): StateConflict =>
  new StateConflict({ message: `A knowledge base named '${quotable(collection)}' already exists.` })

interface Creation extends ByCaller {
  /** The base before it has its first upload. */
  readonly base: KnowledgeBase
  /** Its first upload, whose chunks are in the index already. */
  readonly upload: KnowledgeUpload
}

/** A caller makes a knowledge base with its first upload, under a name that is not taken. */
export const createKnowledgeBase = step({
  name: "knowledge_base.create",
  reads: ({ base: { collection }, caller: { organization_id } }: Creation) =>
    byKey("knowledge_base", organization_id, collection),
  decide({ base, upload }, other) {
    if (other !== null) return refused(nameTaken(base.collection))
    const filled = tallied(base, upload, 1, upload.created_at)
    const resource = { type: "knowledge_base", id: base.retrieval_id }
    const details = { files: upload.files.length, chunks_indexed: upload.chunks_indexed }
    return write([put("knowledge_base", null, filled), put("knowledge_upload", null, upload)], {
      audit: [{ resource, details }],
      reply: undefined,
    })
  },
})
