import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { KnowledgeBase, KnowledgeUpload } from "./KnowledgeBase.ts"

export const knowledgeBaseRow: RowDescription<KnowledgeBase> = {
  id: (base) => base.retrieval_id,
  dependency: "knowledge_index",
  unique: (base) => base.collection,
}

export const knowledgeUploadRow: RowDescription<KnowledgeUpload> = {
  id: (upload) => upload.document_id,
  dependency: "knowledge_index",
}
