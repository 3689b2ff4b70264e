import { Effect, Layer } from "effect"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { RetrievalIndex } from "../knowledge/ports/RetrievalIndex.ts"
import type { Chunk } from "../knowledge/rules/Chunk.ts"
import { answering, type Part } from "./Answering.ts"
import { WordIndex } from "./WordIndex.ts"

/** Characters of one part of an index: so many are indexed in one turn, and looked through at once. */
const partCharacters = 5_000

interface Base {
  readonly documents: Map<string, ReadonlyArray<Part>>
}

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
function* inParts(chunks: ReadonlyArray<Chunk>): Generator<ReadonlyArray<Chunk>> {
  let part: Array<Chunk> = []
  let room = partCharacters
  for (const chunk of chunks) {
    const taken = Math.max(1, chunk.text.length)
    if (part.length > 0 && taken > room) {
      yield part
      part = []
      room = partCharacters
    }
    part.push(chunk)
    room -= taken
  }
  if (part.length > 0) yield part
}

const add = Effect.fnUntraced(function* (base: Base, document_id: string, chunks: ReadonlyArray<Chunk>) {
  const parts: Array<Part> = []
  for (const part of inParts(chunks)) {
    yield* nextTurn
    parts.push({ document_id, chunks: part, words: new WordIndex(part.map(({ text }) => text)) })
  }
  // The document can be found once all of it is there.
  base.documents.set(document_id, parts)
})

const search = Effect.fnUntraced(function* ({ documents }: Base, query: string, limit: number) {
  const answer = answering([...documents.values()].flat(), query, limit)
  for (;;) {
    yield* nextTurn
    const step = answer.next()
    if (step.done === true) return step.value
  }
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
        return parts?.flatMap(({ chunks }) => chunks) ?? null
      }),
    search: (organizationId, retrievalId, query, limit) =>
      Effect.suspend(() => {
        const base = table.find(organizationId, retrievalId)
        return base === undefined ? Effect.succeed([]) : search(base, query, limit)
      }),
  })
