import type { Chunk, ChunkHit } from "../knowledge/rules/Chunk.ts"
import { type WordIndex, wordsOf } from "./WordIndex.ts"

/** Some chunks of a document, and where each word of them stands. */
export interface Part {
  readonly document_id: string
  readonly chunks: ReadonlyArray<Chunk>
  readonly words: WordIndex
}

/** Different words of a question that are looked up. */
const termsMax = 24

/**
 * Places of words that are weighed for one question, over its words, and letters that are compared to find what is nearly a word: no question may
 * take longer than a moment, however much is stored.
 */
const weighedMax = 50_000
const comparedMax = 100_000_000

/**
 * What is done before others have their turn, counted in letters that are compared (some nanoseconds each); what a look-up, a place and a chunk
 * among the best count as.
 */
const workAtATime = 250_000
const work = { lookUp: 1_000, place: 125, chunk: 20 }

/** The words of a question, each once: it says nothing to repeat one. Longer words come first, being the rarer ones. */
const termsOf = (query: string): ReadonlyArray<string> =>
  [...new Set(wordsOf(query))].toSorted((a, b) => b.length - a.length).slice(0, termsMax)

/** How much a word says that so many of the chunks have (BM25). */
const rarity = (having: number, chunks: number): number => Math.log(1 + (chunks - having + 0.5) / (having + 0.5))

/** What is known of the chunks of a part: how well each answers, and how many words of the question it has. */
interface Scores {
  readonly part: Part
  readonly scores: Float64Array
  readonly terms: Uint8Array
}

/** The best of what is offered, best first; of what is equally good the first. */
class Best {
  readonly hits: Array<ChunkHit> = []
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  offer({ chunks, document_id }: Part, nth: number, score: number): void {
    const chunk = chunks[nth]
    if (chunk === undefined || (this.hits.length >= this.#limit && score <= (this.hits.at(-1)?.score ?? 0))) return
    let place = this.hits.length
    while (place > 0 && (this.hits[place - 1]?.score ?? score) < score) place--
    this.hits.splice(place, 0, { ...chunk, document_id, score })
    if (this.hits.length > this.#limit) this.hits.pop()
  }
}

/** Answers a question from the parts of a base. Yields as often as others are to have their turn. */
class Answering {
  readonly #parts: ReadonlyArray<Part>
  /** Words of a chunk, on average. */
  readonly #average: number
  readonly #scored = new Map<Part, Scores>()
  #weighed = 0
  #compared = 0
  #done = 0

  constructor(parts: ReadonlyArray<Part>, words: number, chunks: number) {
    this.#parts = parts
    this.#average = Math.max(1, words / Math.max(1, chunks))
  }

  *of(query: string, limit: number): Generator<undefined, ReadonlyArray<ChunkHit>> {
    for (const term of termsOf(query)) yield* this.#ask(term)
    const best = new Best(limit)
    for (const { part, scores, terms } of this.#scored.values()) {
      // What has more of the question's words in it answers it better.
      scores.forEach((score, nth) => score > 0 && best.offer(part, nth, score * (terms[nth] ?? 0)))
      if (this.#isTurnOver(scores.length * work.chunk)) yield
    }
    return best.hits
  }

  /** Looks a word up in each part. What counts is how rare it is in all of them that were asked. */
  *#ask(term: string): Generator<undefined, void> {
    const found: Array<readonly [Part, ReadonlyMap<number, number>]> = []
    let having = 0
    let chunks = 0
    for (const part of this.#parts) {
      if (this.#weighed >= weighedMax) break
      const lookup = part.words.find(term, this.#average, this.#compared >= comparedMax)
      having += lookup.found.size
      chunks += part.chunks.length
      if (lookup.found.size > 0) found.push([part, lookup.found])
      this.#weighed += lookup.places
      this.#compared += lookup.compared
      if (this.#isTurnOver(work.lookUp + lookup.compared + lookup.places * work.place)) yield
    }
    const says = rarity(having, chunks)
    for (const [part, values] of found) {
      this.#enter(part, values, says)
      if (this.#isTurnOver(values.size * work.place)) yield
    }
  }

  #enter(part: Part, values: ReadonlyMap<number, number>, says: number): void {
    const length = part.chunks.length
    const known = this.#scored.get(part) ?? { part, scores: new Float64Array(length), terms: new Uint8Array(length) }
    this.#scored.set(part, known)
    for (const [nth, value] of values) {
      known.scores[nth] = (known.scores[nth] ?? 0) + value * says
      known.terms[nth] = (known.terms[nth] ?? 0) + 1
    }
  }

  #isTurnOver(done: number): boolean {
    this.#done += done
    if (this.#done < workAtATime) return false
    this.#done = 0
    return true
  }
}

/** The best answers to a question, best first. Others are to have their turn whenever it yields. */
export const answering = (
  parts: ReadonlyArray<Part>,
  query: string,
  limit: number,
): Generator<undefined, ReadonlyArray<ChunkHit>> => {
  let words = 0
  let chunks = 0
  for (const part of parts) {
    words += part.words.count
    chunks += part.chunks.length
  }
  return new Answering(parts, words, chunks).of(query, limit)
}
