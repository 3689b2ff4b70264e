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
  /** Where the member begins whose value it is. */
  readonly member: number
  /** How many values are in it, as far as it was looked at; see `values` of the scan. */
  values: number
  /** How many names the objects in it have. */
  names: number
  /** How many elements it has. */
  elements: number
  /** Its first element that has more bytes than an element may have; null where there is none. */
  oversize: number | null
  /** Its first element that has more values than an element may have; null where there is none. */
  crowded: number | null
}

/** What a document may have. What is more ends the look at it. */
export interface JsonBounds {
  readonly levels: number
  readonly pieceBytes: number
  /** Values outside of the lists of the first level, and names of the members of objects there. */
  readonly values: number
  readonly names: number
  /** Values in one such list; values and bytes of one of its elements. */
  readonly listValues: number
  readonly elementValues: number
  readonly elementBytes: number
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
  /** It has more values than its bounds say; the rest was not looked at. */
  isTooWide = false
  /** Values outside of the lists of the first level: each list, object and comma counts as one, which is never more than there are. */
  values = 0
  /** Names outside of the lists of the first level. */
  names = 0
  /** Where the member of the first level begins that was looked at last. */
  member = 0
  /** Where the member begins with which there are more names outside of the lists than there may be; null where there are not. */
  crowdedMember: number | null = null
  /** Some key is spelled with an escape. */
  hasEscapedKey = false
  readonly #bytes: Uint8Array
  readonly #bounds: JsonBounds
  #at = 0
  #depth = 0
  #isInText = false
  /** The text that was opened last holds an escape. */
  #isEscaped = false
  #list: JsonList | null = null
  #pieceStart = 0
  #elementStart = 0
  /** How many values the list had before the element, the comma before it counted. */
  #valuesBefore = 0

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes
    this.#bounds = bounds
  }

  /** All the values that were counted. */
  get allValues(): number {
    return this.lists.reduce((sum, { values }) => sum + values, this.values)
  }

  /** All the names that were counted. */
  get allNames(): number {
    return this.lists.reduce((sum, { names }) => sum + names, this.names)
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
      else if (byte === colon) this.#name()
      if (this.isTooDeep || this.isTooWide) return false
    }
    this.#isInText = isInText
    this.#at = at
    if (at < bytes.length) return true
    if (this.#list !== null) this.isBroken = true
    return false
  }

  #open(byte: number, at: number): void {
    this.#count()
    this.#depth++
    if (this.#depth > this.#bounds.levels) this.isTooDeep = true
    if (this.#depth === 1) this.member = at + 1
    if (this.#depth !== 2 || byte !== openBracket) return
    this.#pieceStart = at + 1
    this.#elementStart = at + 1
    this.#valuesBefore = 0
    const { member } = this
    const [start, end] = [at + 1, at + 1]
    this.#list = { start, end, cuts: [], member, values: 0, names: 0, elements: 0, oversize: null, crowded: null }
  }

  #close(byte: number, at: number): void {
    if (this.#depth === 2 && this.#list !== null) {
      if (byte !== closeBracket) this.isBroken = true
      this.#endElement(this.#list, at)
      this.#list.end = at
      this.lists.push(this.#list)
      this.#list = null
    }
    this.#depth--
  }

  #separate(at: number): void {
    const list = this.#depth === 2 ? this.#list : null
    if (list !== null) this.#endElement(list, at)
    this.#count()
    if (this.#depth === 1) this.member = at + 1
    if (list === null) return
    this.#valuesBefore = list.values
    if (at - this.#pieceStart < this.#bounds.pieceBytes) return
    list.cuts.push(at)
    this.#pieceStart = at + 1
  }

  #endElement(list: JsonList, at: number): void {
    if (at - this.#elementStart > this.#bounds.elementBytes) list.oversize ??= list.elements
    if (list.values - this.#valuesBefore > this.#bounds.elementValues) list.crowded ??= list.elements
    list.elements++
    this.#elementStart = at + 1
  }

  #name(): void {
    if (this.#isEscaped) this.hasEscapedKey = true
    if (this.#list !== null) this.#list.names++
    else if (++this.names > this.#bounds.names) this.crowdedMember ??= this.member
  }

  #count(): void {
    if (this.#list === null) this.isTooWide ||= ++this.values > this.#bounds.values
    else this.isTooWide ||= ++this.#list.values > this.#bounds.listValues
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
