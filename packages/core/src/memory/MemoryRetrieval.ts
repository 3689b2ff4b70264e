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

/** Different words of a question that are looked up. */
const termsMax = 24

/** Chunks that are weighed for one question, over its words: no question may take longer than a moment, however much is stored. */
const weighedMax = 50_000

/** Longer words are looked up as they are written. */
const fuzzyCharactersMax = 32

const searchOptions = {
  combineWith: "OR",
  prefix: (term: string) => term.length > 3,
  fuzzy: (term: string) => (term.length > 5 && term.length <= fuzzyCharactersMax ? 0.2 : false),
  maxFuzzy: 2,
} as const

/** What stands between words, as in the index. */
const betweenWords = /[\n\r\p{Z}\p{P}]+/u

/** The words of a question, each once: it says nothing to repeat one. Longer words come first, being the rarer ones. */
const termsOf = (query: string): ReadonlyArray<string> =>
  [...new Set(query.toLowerCase().split(betweenWords))]
    .filter((term) => term !== "")
    .toSorted((a, b) => b.length - a.length)
    .slice(0, termsMax)

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

const search = Effect.fnUntraced(function* (base: Base, query: string, limit: number) {
  const found = new Map<number, { score: number; terms: number }>()
  let weighed = 0
  for (const term of termsOf(query)) {
    const matches = base.search.search(term)
    for (const { id, score } of matches) {
      const known = found.get(Number(id))
      if (known === undefined) found.set(Number(id), { score, terms: 1 })
      else {
        known.score += score
        known.terms += 1
      }
    }
    weighed += matches.length
    if (weighed >= weighedMax) break
    // Others get their turn.
    yield* Effect.yieldNow
  }
  // What has more of the question's words in it answers it better.
  const ranked = [...found]
    .map(([number, { score, terms }]) => ({ number, score: score * terms }))
    .toSorted((a, b) => b.score - a.score)
  const hits: Array<ChunkHit> = []
  for (const { number, score } of ranked) {
    if (hits.length === limit) break
    const chunk = base.chunks.get(number)
    if (chunk !== undefined) hits.push({ ...chunk, score })
  }
  return hits
})

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
      Effect.suspend(() => {
        const base = table.find(organizationId, retrievalId)
        return base === undefined ? Effect.succeed([]) : search(base, query, limit)
      }),
  })
