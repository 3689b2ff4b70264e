/** A piece of a document that can be found. */
export interface Chunk {
  readonly file: string
  /** Its place within the file, from 0. */
  readonly chunk: number
  readonly text: string
}

/** A chunk that answers a question. Scores compare within one answer only; higher is better. */
export interface ChunkHit extends Chunk {
  readonly document_id: string
  readonly score: number
}
