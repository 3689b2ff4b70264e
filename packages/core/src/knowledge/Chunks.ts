import { Effect } from "effect"
import { nextTurn } from "../engine/ports/Pacing.ts"

/** How a text is cut: characters of a chunk at most, and characters that it may share with the one before. */
export interface ChunkSettings {
  readonly chunk_size: number
  readonly overlapping: number
}

/** How many chunks are made at most; and none after those that have more characters together: what is repeated can be many times the text. */
interface ChunkBounds {
  readonly chunks: number
  readonly characters: number
}

/** Characters of a text that are cut before others have their turn. */
const pieceCharacters = 32 * 1024

const isSpace = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code === 0x20 || code === 0x0a
}

const isHighSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800

const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00

/** Where the piece of a text ends that begins at an offset: not within a character. */
const endOfPiece = (text: string, from: number, size: number): number => {
  const end = from + size
  if (end >= text.length) return text.length
  return isHighSurrogate(text, end - 1) && isLowSurrogate(text, end) ? end + 1 : end
}

/** Makes one space or line break of every run of white space, and leaves out control characters: of a text that comes in pieces. */
class PlainText {
  /** White space at the end of the last piece, of which it is not known whether it goes on, or whether anything follows it. */
  #space = ""
  #hasBegun = false

  /** What can be said of the text with this piece. */
  next(piece: string): string {
    const visible = piece.replace(/(?!\s)[\p{Cc}\p{Cs}]/gu, "")
    // Most white space is as it shall be, and a text may have millions.
    const plain = (this.#space + visible).replace(/\s{2,}|[^\S \n]/g, (space) => (space.includes("\n") ? "\n" : " "))
    const begin = !this.#hasBegun && isSpace(plain, 0) ? 1 : 0
    const end = Math.max(begin, isSpace(plain, plain.length - 1) ? plain.length - 1 : plain.length)
    if (end > begin) this.#hasBegun = true
    this.#space = plain.slice(end)
    return plain.slice(begin, end)
  }
}

/** Where a chunk that begins at `start` ends: at the last white space that fits, inside a word only where the word fills it. */
const endOf = (text: string, start: number, size: number): number => {
  const limit = start + size
  if (limit >= text.length) return text.length
  for (let at = limit; at > start; at--) if (isSpace(text, at)) return at
  return isLowSurrogate(text, limit) ? limit - 1 : limit
}

/** The first beginning of a word at or after `from`, before `end`; `end` where there is none. */
const wordStart = (text: string, from: number, end: number): number => {
  for (let at = from; at < end; at++) if (at > 0 && isSpace(text, at - 1)) return at
  return end
}

/**
 * Cuts a text into chunks, a piece of it at a time. Every word is in a chunk, none is cut unless it is longer than a chunk, each chunk goes on where
 * the one before ended, and repeats the whole words at its end that fit into `overlapping`.
 */
export class Cutting {
  readonly chunks: Array<string> = []
  readonly #text: string
  readonly #settings: ChunkSettings
  readonly #bounds: ChunkBounds
  readonly #size: number
  readonly #plainText = new PlainText()
  #from = 0
  #taken = 0
  /** What is in no chunk yet, and before it what the next chunk may repeat. */
  #plain = ""
  /** Where in it the last chunk ended. */
  #covered = 0

  constructor(text: string, settings: ChunkSettings, bounds: ChunkBounds, size = pieceCharacters) {
    this.#text = text
    this.#settings = settings
    this.#bounds = bounds
    this.#size = size
  }

  /** Cuts the next piece. Returns whether there is another one. */
  advance(): boolean {
    const end = endOfPiece(this.#text, this.#from, this.#size)
    const isLast = end === this.#text.length
    this.#plain += this.#plainText.next(this.#text.slice(this.#from, end))
    this.#from = end
    this.#cut(isLast)
    return !isLast && !this.#isFull
  }

  get #isFull(): boolean {
    return this.chunks.length >= this.#bounds.chunks || this.#taken > this.#bounds.characters
  }

  #cut(isLast: boolean): void {
    const { chunk_size, overlapping } = this.#settings
    const plain = this.#plain
    // Before its end a text ends no chunk: what comes behind a chunk has to be there.
    const until = isLast ? plain.length : plain.length - chunk_size - 1
    let covered = this.#covered
    while (covered < until && !this.#isFull) {
      const next = isSpace(plain, covered) ? covered + 1 : covered
      const repeated = this.chunks.length === 0 ? next : wordStart(plain, Math.max(0, covered - overlapping), covered)
      // A repetition that leaves no room for anything new would be a chunk of its own for nothing.
      const start = repeated < covered && endOf(plain, repeated, chunk_size) > next ? repeated : next
      covered = endOf(plain, start, chunk_size)
      this.chunks.push(plain.slice(start, covered))
      this.#taken += covered - start
    }
    // One character more says whether a word begins there.
    const kept = Math.max(0, covered - overlapping - 1)
    this.#plain = plain.slice(kept)
    this.#covered = covered - kept
  }
}

/** The chunks of a text, which is cut in pieces between which others have their turn. */
export const chunksOf = Effect.fnUntraced(function* (text: string, settings: ChunkSettings, bounds: ChunkBounds) {
  const cutting = new Cutting(text, settings, bounds)
  while (cutting.advance()) yield* nextTurn
  return cutting.chunks
})
