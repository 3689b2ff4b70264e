/**
 * A large JSON object is read in pieces, so that nobody else waits long for it. The lists of its first level are where it is large;
 * they are cut between their elements and each piece is parsed for itself. What is left once their contents are taken out, the
 * outline, is small and is parsed whole.
 */

/** The contents of a list, and where they are cut: the offsets of the commas at which a new piece begins. */
export interface JsonList {
  readonly start: number
  end: number
  readonly cuts: Array<number>
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Looks through the bytes of a JSON document once, as far as it is told at a time. UTF-8 never hides brackets inside another character. */
export class JsonScan {
  readonly lists: Array<JsonList> = []
  /** Brackets do not pair, as far as it was looked at; the rest is left to the parser. */
  isBroken = false
  isTooDeep = false
  /** Some key is spelled with an escape. */
  hasEscapedKey = false
  readonly #bytes: Uint8Array
  readonly #levels: number
  readonly #pieceBytes: number
  #at = 0
  #depth = 0
  #isInText = false
  /** The text that was opened last holds an escape. */
  #isEscaped = false
  #list: JsonList | null = null
  #pieceStart = 0

  constructor(bytes: Uint8Array, options: { readonly levels: number; readonly pieceBytes: number }) {
    this.#bytes = bytes
    this.#levels = options.levels
    this.#pieceBytes = options.pieceBytes
  }

  /** Goes on for about so many bytes; false once there is nothing left to look at. */
  advance(count: number): boolean {
    const bytes = this.#bytes
    const until = Math.min(bytes.length, this.#at + count)
    let isInText = this.#isInText
    let at = this.#at
    for (; at < until; at++) {
      const byte = bytes[at]
      if (isInText) {
        if (byte === backslash) {
          this.#isEscaped = true
          at++
        } else if (byte === quote) isInText = false
      } else if (byte === quote) {
        isInText = true
        this.#isEscaped = false
      } else if (byte === openBrace || byte === openBracket) this.#open(byte, at)
      else if (byte === closeBrace || byte === closeBracket) this.#close(byte, at)
      else if (byte === comma) this.#separate(at)
      else if (byte === colon && this.#isEscaped) this.hasEscapedKey = true
      if (this.isTooDeep) return false
    }
    this.#isInText = isInText
    this.#at = at
    if (at < bytes.length) return true
    if (this.#list !== null) this.isBroken = true
    return false
  }

  #open(byte: number, at: number): void {
    this.#depth++
    if (this.#depth > this.#levels) this.isTooDeep = true
    if (this.#depth !== 2 || byte !== openBracket) return
    this.#pieceStart = at + 1
    this.#list = { start: at + 1, end: at + 1, cuts: [] }
  }

  #close(byte: number, at: number): void {
    if (this.#depth === 2 && this.#list !== null) {
      if (byte !== closeBracket) this.isBroken = true
      this.#list.end = at
      this.lists.push(this.#list)
      this.#list = null
    }
    this.#depth--
  }

  #separate(at: number): void {
    if (this.#depth !== 2 || this.#list === null || at - this.#pieceStart < this.#pieceBytes) return
    this.#list.cuts.push(at)
    this.#pieceStart = at + 1
  }
}

/** Where the pieces of a list lie: from, to. */
export const piecesOf = ({ start, end, cuts }: JsonList): ReadonlyArray<readonly [number, number]> => {
  const pieces: Array<readonly [number, number]> = []
  let from = start
  for (const cut of cuts) {
    pieces.push([from, cut])
    from = cut + 1
  }
  pieces.push([from, end])
  return pieces
}
