import { Effect, Layer } from "effect"
import MiniSearch, { type SearchResult } from "minisearch"
import { type Chunk, RetrievalIndex } from "../knowledge/RetrievalIndex.ts"

/**
 * Characters of one part of an index. A question is asked part by part, and others have their turn in between: what one look-up costs follows the
 * places in which words stand, of which a part has some thousands.
 */
const partCharacters = 20_000

/** Characters that are indexed at a time, and places that are weighed, before others get their turn. */
const indexedAtATime = 10_000
const weighedAtATime = 2_000

/** Look-ups that find nothing are cheap, and are many where a base has many parts. */
const lookUpsAtATime = 50

interface IndexedChunk extends Chunk {
  readonly document_id: string
}

/** Some chunks of a document, and where each word of them stands. */
interface Part {
  readonly search: MiniSearch
  readonly chunks: ReadonlyArray<IndexedChunk>
}

interface Base {
  readonly documents: Map<string, ReadonlyArray<Part>>
}

/** Different words of a question that are looked up. */
const termsMax = 24

/** Places of words that are weighed for one question, over its words: no question may take longer than a moment, however much is stored. */
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

const keyOf = (organizationId: string, retrievalId: string): string => `${organizationId} ${retrievalId}`

/** Lexical retrieval by BM25, an index for each part of each document. */
export class RetrievalTable {
  /** By organization and base. */
  readonly #bases = new Map<string, Base>()

  find(organizationId: string, retrievalId: string): Base | undefined {
    return this.#bases.get(keyOf(organizationId, retrievalId))
  }

  open(organizationId: string, retrievalId: string): Base {
    const known = this.find(organizationId, retrievalId)
    if (known !== undefined) return known
    const base: Base = { documents: new Map() }
    this.#bases.set(keyOf(organizationId, retrievalId), base)
    return base
  }

  remove(organizationId: string, retrievalId: string, documentId: string | null): number {
    const base = this.find(organizationId, retrievalId)
    if (base === undefined) return 0
    const parts = documentId === null ? [...base.documents.values()].flat() : (base.documents.get(documentId) ?? [])
    if (documentId === null) this.#bases.delete(keyOf(organizationId, retrievalId))
    else base.documents.delete(documentId)
    return parts.reduce((sum, { chunks }) => sum + chunks.length, 0)
  }
}

/** The chunks in pieces that have no more than so many characters, or one chunk, each. */
const inPieces = <A extends Chunk>(chunks: ReadonlyArray<A>, characters: number): ReadonlyArray<ReadonlyArray<A>> => {
  const pieces: Array<Array<A>> = []
  let room = 0
  for (const chunk of chunks) {
    room -= chunk.text.length
    const last = pieces.at(-1)
    if (last !== undefined && room >= 0) last.push(chunk)
    else {
      pieces.push([chunk])
      room = characters - chunk.text.length
    }
  }
  return pieces
}

const add = Effect.fnUntraced(function* (base: Base, document_id: string, chunks: ReadonlyArray<Chunk>) {
  const parts: Array<Part> = []
  for (const part of inPieces(chunks, partCharacters)) {
    const search = new MiniSearch({ fields: ["text"], searchOptions })
    let id = 0
    for (const piece of inPieces(part, indexedAtATime)) {
      search.addAll(piece.map(({ text }) => ({ id: id++, text })))
      yield* Effect.yieldNow
    }
    parts.push({ search, chunks: part.map((chunk) => ({ ...chunk, document_id })) })
  }
  // The document can be found once all of it is there.
  base.documents.set(document_id, parts)
})

/** A chunk that has words of the question. */
interface Found {
  readonly chunk: IndexedChunk
  score: number
  terms: number
}

/** The chunks of a part that have a word. */
interface Matches {
  readonly part: Part
  readonly results: ReadonlyArray<SearchResult>
}

/** How much a word says that so many of the chunks have (BM25). */
const rarity = (having: number, chunks: number): number => Math.log(1 + (chunks - having + 0.5) / (having + 0.5))

/** Enters what was found of one word. A part knows how rare the word is in it; what counts is how rare it is in all of them. */
const enter = (found: Map<IndexedChunk, Found>, matches: ReadonlyArray<Matches>): void => {
  let having = 0
  let chunks = 0
  for (const { part, results } of matches) {
    having += results.length
    chunks += part.chunks.length
  }
  for (const { part, results } of matches) {
    const scale = rarity(having, chunks) / rarity(results.length, part.chunks.length)
    for (const { id, score } of results) {
      const chunk = part.chunks[Number(id)]
      if (chunk === undefined) continue
      const known = found.get(chunk)
      if (known === undefined) found.set(chunk, { chunk, score: score * scale, terms: 1 })
      else {
        known.score += score * scale
        known.terms += 1
      }
    }
  }
}

const search = Effect.fnUntraced(function* (base: Base, query: string, limit: number) {
  const parts = [...base.documents.values()].flat()
  const found = new Map<IndexedChunk, Found>()
  let weighed = 0
  let turnEndsAt = weighedAtATime
  let lookUps = 0
  for (const term of termsOf(query)) {
    const matches: Array<Matches> = []
    for (const part of parts) {
      if (weighed >= weighedMax) break
      const results = part.search.search(term)
      matches.push({ part, results })
      for (const { terms } of results) weighed += terms.length
      lookUps += 1
      if (weighed < turnEndsAt && lookUps % lookUpsAtATime !== 0) continue
      turnEndsAt = weighed + weighedAtATime
      yield* Effect.yieldNow
    }
    enter(found, matches)
  }
  // What has more of the question's words in it answers it better.
  return [...found.values()]
    .map(({ chunk, score, terms }) => ({ ...chunk, score: score * terms }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
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
    document: (organizationId, retrievalId, documentId) =>
      Effect.sync(() => {
        const parts = table.find(organizationId, retrievalId)?.documents.get(documentId)
        return parts?.flatMap(({ chunks }) => chunks.map(({ chunk, file, text }) => ({ file, chunk, text }))) ?? null
      }),
    search: (organizationId, retrievalId, query, limit) =>
      Effect.suspend(() => {
        const base = table.find(organizationId, retrievalId)
        return base === undefined ? Effect.succeed([]) : search(base, query, limit)
      }),
  })
