import { type RemovedKnowledge, Timestamp } from "@carillon/core/domain"
import type { ChunkHit, KnowledgeBase as DomainBase, KnowledgeUpload } from "@carillon/core/ports"
import type { KnowledgeBase, KnowledgeDeletion, KnowledgeDocument, KnowledgeHit } from "../Knowledge.ts"

/** A knowledge base as it is answered. */
export const toWireKnowledgeBase = (base: DomainBase): KnowledgeBase => ({
  collection: base.collection,
  description: base.description,
  retrieval_id: base.retrieval_id,
  documents: base.documents,
  chunks_indexed: base.chunks_indexed,
  created_at: Timestamp.formatUtc(base.created_at),
  updated_at: Timestamp.formatUtc(base.updated_at),
})

/** An upload as it is listed. */
export const toWireDocument = (upload: KnowledgeUpload): KnowledgeDocument => ({
  document_id: upload.document_id,
  collection: upload.collection,
  files: upload.files,
  chunks_indexed: upload.chunks_indexed,
  status: upload.status,
  created_at: Timestamp.formatUtc(upload.created_at),
  updated_at: Timestamp.formatUtc(upload.updated_at),
})

/** What a deletion removed; the count of uploads only where a whole base went. */
export const toWireDeletion = ({
  collection,
  record_id,
  uploads_removed,
  vectors_removed,
}: RemovedKnowledge): KnowledgeDeletion => ({
  deleted: true,
  collection,
  record_id,
  ...(uploads_removed === null ? {} : { uploads_removed }),
  vectors_removed,
})

/** A chunk that answers a query. */
export const toWireHit = ({ chunk, document_id, file, score, text }: ChunkHit): KnowledgeHit => ({
  document_id,
  file,
  chunk,
  score,
  text,
})
