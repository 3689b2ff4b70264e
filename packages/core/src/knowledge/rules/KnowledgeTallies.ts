import type { KnowledgeBase, KnowledgeUpload } from "./KnowledgeBase.ts"

/** A base with its tallies after an upload came (1) or went (-1). */
export const tallied = (base: KnowledgeBase, upload: KnowledgeUpload, sign: 1 | -1, now: number): KnowledgeBase => ({
  ...base,
  documents: base.documents + sign,
  chunks_indexed: base.chunks_indexed + sign * upload.chunks_indexed,
  characters: (base.characters ?? 0) + sign * (upload.characters ?? 0),
  updated_at: now,
})
