/** A named set of uploaded documents that agents answer from. */
export interface KnowledgeBase {
  /** Names the base in the retrieval index; given to an agent's `rag_config`. */
  readonly retrieval_id: string
  readonly organization_id: string
  readonly revision: number
  /** Its name, unique within the organization. */
  readonly collection: string
  readonly description: string | null
  /** How its documents are cut: characters of a chunk, and characters that it shares with the chunk before. */
  readonly chunk_size: number
  readonly overlapping: number
  /** Tallies over its uploads, kept by the commits that change them. */
  readonly documents: number
  readonly chunks_indexed: number
  /** Of all its chunks; none were counted in rows from before there was a bound. */
  readonly characters?: number
  /** It is being removed: no agent used it, and its documents are going or gone. Left out otherwise. */
  readonly removing?: true
  readonly created_at: number
  readonly updated_at: number
}

/** `failed` means that nothing could be extracted from any of the files. */
export type UploadStatus = "processed" | "failed"

/** One upload into a knowledge base, which may hold several files. */
export interface KnowledgeUpload {
  readonly document_id: string
  readonly organization_id: string
  readonly retrieval_id: string
  readonly revision: number
  readonly collection: string
  /** The names of the files, without folders. */
  readonly files: ReadonlyArray<string>
  readonly chunks_indexed: number
  readonly characters?: number
  readonly status: UploadStatus
  readonly created_at: number
  readonly updated_at: number
}
