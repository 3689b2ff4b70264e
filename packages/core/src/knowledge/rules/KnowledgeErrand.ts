import type { Caller } from "../../keys/rules/Caller.ts"

/** What a deletion removed. */
export interface RemovedKnowledge {
  readonly collection: string
  readonly record_id: string
  /** Null where one document was removed. */
  readonly uploads_removed: number | null
  readonly vectors_removed: number
}

/** What goes: a base that was given up, or one document of a base (another one may have its name meanwhile). */
interface Removing {
  readonly caller: Caller
  readonly collection: string
  readonly retrieval_id: string
  /** Null for the base with all its documents. */
  readonly document_id: string | null
}

/** The chunks of a base, or of one document, go from the index. */
export interface RemovesChunks extends Removing {
  readonly errand: "knowledge.remove_chunks"
  /** The document, or the base. */
  readonly subject: string
}

/** Has the chunks of a base or of a document removed from the index, and then its rows. */
export const removesChunks = (removing: Removing): RemovesChunks => ({
  errand: "knowledge.remove_chunks",
  subject: removing.document_id ?? removing.retrieval_id,
  ...removing,
})
