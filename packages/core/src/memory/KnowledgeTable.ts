import { descriptions } from "../Rows.ts"
import { RowTable } from "./RowTable.ts"

/** The knowledge bases of the world with their uploads. */
export class KnowledgeTable {
  readonly bases = new RowTable(descriptions.knowledge_base)
  readonly uploads = new RowTable(descriptions.knowledge_upload)

  /** Removes a base with its uploads. */
  removeBase(organizationId: string, retrievalId: string): void {
    this.bases.remove(retrievalId)
    for (const { document_id, retrieval_id } of this.uploads.rows(organizationId)) {
      if (retrieval_id === retrievalId) this.uploads.remove(document_id)
    }
  }
}
