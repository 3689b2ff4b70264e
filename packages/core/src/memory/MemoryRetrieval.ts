import { Effect, Layer } from "effect"
import MiniSearch from "minisearch"
import { type Chunk, type ChunkHit, RetrievalIndex } from "../knowledge/RetrievalIndex.ts"

/** Chunks that are indexed at a time, before others get their turn. */
const indexedAtATime = 200

interface IndexedChunk extends Chunk {
  readonly document_id: string
}

interface Base {
  readonly organizationId: string
  readonly search: MiniSearch
  readonly chunks: Map<number, IndexedChunk>
  /** The numbers of each document's chunks. */
  readonly documents: Map<string, ReadonlyArray<number>>
  next: number
}

const searchOptions = {
  combineWith: "OR",
  prefix: (term: string) => term.length > 3,
  fuzzy: (term: string) => (term.length > 5 ? 0.2 : false),
} as const

/** Lexical retrieval by BM25, one index for each base. */
export class RetrievalTable {
  readonly #bases = new Map<string, Base>()

  find(organizationId: string, retrievalId: string): Base | undefined {
    const base = this.#bases.get(retrievalId)
    return base?.organizationId === organizationId ? base : undefined
  }

  open(organizationId: string, retrievalId: string): Base {
    const known = this.find(organizationId, retrievalId)
    if (known !== undefined) return known
    const search = new MiniSearch({ fields: ["text"], searchOptions })
    const base: Base = { organizationId, search, chunks: new Map(), documents: new Map(), next: 0 }
    this.#bases.set(retrievalId, base)
    return base
  }

  remove(organizationId: string, retrievalId: string, documentId: string | null): number {
    const base = this.find(organizationId, retrievalId)
    if (base === undefined) return 0
    if (documentId === null) {
      this.#bases.delete(retrievalId)
      return base.chunks.size
    }
    const numbers = base.documents.get(documentId) ?? []
    base.documents.delete(documentId)
    for (const number of numbers) {
      base.search.discard(number)
      base.chunks.delete(number)
    }
    return numbers.length
  }
}

const add = Effect.fnUntraced(function* (base: Base, documentId: string, chunks: ReadonlyArray<Chunk>) {
  const first = base.next
  // Numbers are taken before anybody else has a turn; the document can be found once all of it is there.
  base.next += chunks.length
  const numbers = chunks.map((_, nth) => first + nth)
  for (let from = 0; from < chunks.length; from += indexedAtATime) {
    const slice = chunks.slice(from, from + indexedAtATime)
    base.search.addAll(slice.map(({ text }, nth) => ({ id: first + from + nth, text })))
    yield* Effect.yieldNow
  }
  chunks.forEach((chunk, nth) => base.chunks.set(first + nth, { ...chunk, document_id: documentId }))
  base.documents.set(documentId, numbers)
})

const search = (base: Base, query: string, limit: number): ReadonlyArray<ChunkHit> => {
  const hits: Array<ChunkHit> = []
  for (const { id, score } of base.search.search(query)) {
    const chunk = base.chunks.get(Number(id))
    if (chunk !== undefined) hits.push({ ...chunk, score })
    if (hits.length === limit) break
  }
  return hits
}

export const retrievalLayer = (table: RetrievalTable) =>
  Layer.succeed(RetrievalIndex, {
    add: (organizationId, retrievalId, documentId, chunks) =>
      Effect.suspend(() => {
        const base = table.open(organizationId, retrievalId)
        return base.documents.has(documentId) ? Effect.void : add(base, documentId, chunks)
      }),
    remove: (organizationId, retrievalId, documentId) =>
      Effect.sync(() => table.remove(organizationId, retrievalId, documentId)),
    search: (organizationId, retrievalId, query, limit) =>
      Effect.sync(() => {
        const base = table.find(organizationId, retrievalId)
        return base === undefined ? [] : search(base, query, limit)
      }),
  })
