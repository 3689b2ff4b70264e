import type { KnowledgeBase, KnowledgeUpload } from "../knowledge/KnowledgeBase.ts"
import { RowTable } from "./RowTable.ts"

/** The knowledge bases of the world with their uploads. */
export class KnowledgeTable {
  readonly bases = new RowTable<KnowledgeBase>(
    (base) => base.retrieval_id,
    (base) => base.collection,
  )
  readonly uploads = new RowTable<KnowledgeUpload>(
    (upload) => upload.document_id,
    () => null,
  )

  /** Removes a base with its uploads. */
  removeBase(organizationId: string, retrievalId: string): void {
    this.bases.remove(retrievalId)
    for (const { document_id, retrieval_id } of this.uploads.rows(organizationId)) {
      if (retrieval_id === retrievalId) this.uploads.remove(document_id)
    }
  }
}
