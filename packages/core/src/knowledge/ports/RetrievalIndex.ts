import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Chunk, ChunkHit } from "../rules/Chunk.ts"

/** Where chunks are found again. Bases are told apart by `retrieval_id` and seen by their own organization only. */
export class RetrievalIndex extends Context.Service<
  RetrievalIndex,
  {
    /** Adds the chunks of a document, all or none; the same document again changes nothing. */
    readonly add: (
      organizationId: string,
      retrievalId: string,
      documentId: string,
      chunks: ReadonlyArray<Chunk>,
    ) => Effect.Effect<void, PortError>
    /** Removes a document, or every document of the base where it is null. Returns how many chunks that were; none is no error. */
    readonly remove: (
      organizationId: string,
      retrievalId: string,
      documentId: string | null,
    ) => Effect.Effect<number, PortError>
    /** The chunks of a document in their order, as they were added; null where there are none, or the index keeps none. */
    readonly document: (
      organizationId: string,
      retrievalId: string,
      documentId: string,
    ) => Effect.Effect<ReadonlyArray<Chunk> | null, PortError>
    /** The best answers to a question, best first; only what has something to do with it. */
    readonly search: (
      organizationId: string,
      retrievalId: string,
      query: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<ChunkHit>, PortError>
  }
>()("@carillon/core/knowledge/RetrievalIndex") {}
