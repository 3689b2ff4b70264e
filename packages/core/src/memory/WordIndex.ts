/** What stands between words. */
const betweenWords = /[\n\r\p{Z}\p{P}]+/u

/** The words of a text in their order, as they are compared. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(betweenWords)
    .filter((word) => word !== "")
    // Each for itself: how a letter is written in small may depend on what follows it.
    .map((word) => word.toLowerCase())

type Numbers = Uint16Array | Uint32Array

const most16 = 0xffff

const numbers = (values: ReadonlyArray<number>): Numbers =>
  values.every((value) => value <= most16) ? Uint16Array.from(values) : Uint32Array.from(values)

/** How much a word counts that begins with the one that is looked for, or is it but for some letters. */
const prefixWeight = 0.375
const nearWeight = 0.45

/** A word that has so many letters stands for all that begin with it; one that has more is found where some of its letters are wrong. */
const prefixLetters = 4
const nearLetters = { min: 6, max: 32 }
const wrongLetters = { part: 0.2, max: 2 }

/** How much it counts that a word stands several times in a text, and how long the text is (BM25+). */
const bm25 = { often: 1.2, length: 0.7, once: 0.5 }

/** What is found of a word, and what it took: letters that were compared, and places in which the found words stand. */
interface Lookup {
  /** How well each text answers that has it, by its place. */
  readonly found: ReadonlyMap<number, number>
  readonly places: number
  readonly compared: number
}

/**
 * Where words stand in some texts. It takes few bytes for each word, and its time to be made grows with the length of the texts alone, whatever they
 * consist of.
 */
export class WordIndex {
  /** Words in all texts. */
  readonly count: number
  /** Words of each text. */
  readonly #lengths: Numbers
  /** All words in the order of their units, one behind the other, and where each begins and the last one ends. */
  readonly #letters: string
  readonly #begins: Numbers
  /** Where the places of each word begin and those of the last one end; the text of each place, and how often the word stands there. */
  readonly #firsts: Numbers
  readonly #texts: Numbers
  readonly #counts: Numbers

  constructor(texts: ReadonlyArray<string>) {
    const lengths: Array<number> = []
    /** Of each word a text and a count, the next text and its count, and so on. */
    const standing = new Map<string, Array<number>>()
    texts.forEach((text, nth) => {
      const words = wordsOf(text)
      lengths.push(words.length)
      for (const word of words) {
        const places = standing.get(word)
        if (places === undefined) standing.set(word, [nth, 1])
        else if (places.at(-2) === nth) places.push((places.pop() ?? 0) + 1)
        else places.push(nth, 1)
      }
    })
    const words = [...standing.keys()].toSorted()
    const begins = [0]
    const firsts = [0]
    const places: Array<number> = []
    let letters = 0
    for (const word of words) {
      for (const number of standing.get(word) ?? []) places.push(number)
      begins.push((letters += word.length))
      firsts.push(places.length / 2)
    }
    this.count = lengths.reduce((sum, length) => sum + length, 0)
    this.#lengths = numbers(lengths)
    this.#letters = words.join("")
    this.#begins = numbers(begins)
    this.#firsts = numbers(firsts)
    this.#texts = numbers(places.filter((_, nth) => nth % 2 === 0))
    this.#counts = numbers(places.filter((_, nth) => nth % 2 === 1))
  }

  /** Looks for a word; `average` is how many words a text has. Words that are nearly it are passed over where it shall take little. */
  find(word: string, average: number, isBrief: boolean): Lookup {
    const found = new Map<number, number>()
    let places = 0
    const take = (nth: number, weight: number) => {
      places += this.#weigh(nth, weight, average, found)
    }
    for (let nth = this.#firstFrom(word); this.#startsWith(nth, word); nth++) {
      const length = this.#begin(nth + 1) - this.#begin(nth)
      if (length === word.length) take(nth, 1)
      else if (word.length < prefixLetters) break
      else take(nth, (prefixWeight * length) / (length + 0.3 * (length - word.length)))
    }
    const isLong = word.length >= nearLetters.min && word.length <= nearLetters.max
    const compared = isLong && !isBrief ? this.#near(word, take) : 0
    return { found, places, compared }
  }

  #begin(nth: number): number {
    return this.#begins[nth] ?? this.#letters.length
  }

  #startsWith(nth: number, start: string): boolean {
    const begin = this.#begin(nth)
    return this.#begin(nth + 1) - begin >= start.length && this.#letters.startsWith(start, begin)
  }

  /** The first word that does not come before the given one. */
  #firstFrom(word: string): number {
    let [from, to] = [0, this.#begins.length - 1]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#letters.slice(this.#begin(middle), this.#begin(middle + 1)) < word) from = middle + 1
      else to = middle
    }
    return from
  }

  /** Enters the texts that have a word, and returns how many they are. */
  #weigh(nth: number, weight: number, average: number, found: Map<number, number>): number {
    const first = this.#firsts[nth] ?? 0
    const end = this.#firsts[nth + 1] ?? first
    for (let place = first; place < end; place++) {
      const text = this.#texts[place] ?? 0
      const count = this.#counts[place] ?? 0
      const length = 1 - bm25.length + (bm25.length * (this.#lengths[text] ?? 0)) / average
      const value = weight * (bm25.once + (count * (bm25.often + 1)) / (count + bm25.often * length))
      found.set(text, (found.get(text) ?? 0) + value)
    }
    return end - first
  }

  /**
   * Visits the words that differ from the given one in few letters, and do not begin with it. Words that begin alike are compared together: a row of
   * distances (Levenshtein) is kept for each letter of the word before. Returns how many distances were calculated.
   */
  #near(word: string, take: (nth: number, weight: number) => void): number {
    const most = Math.min(wrongLetters.max, Math.round(word.length * wrongLetters.part))
    const rows = new Distances(word, most)
    const words = this.#begins.length - 1
    let before = 0
    for (let nth = 0; nth < words; nth++) {
      const begin = this.#begin(nth)
      const length = this.#begin(nth + 1) - begin
      if (Math.abs(length - word.length) > most) continue
      let shared = 0
      while (shared < rows.depth && this.#letters[before + shared] === this.#letters[begin + shared]) shared++
      // As far as the word before is too far away this one is.
      if (rows.isTooFar && shared === rows.depth) continue
      rows.back(shared)
      before = begin
      while (rows.depth < length && !rows.isTooFar) rows.next(this.#letters.charCodeAt(begin + rows.depth))
      if (rows.isTooFar || rows.distance > most || this.#startsWith(nth, word)) continue
      take(nth, (nearWeight * length) / (length + rows.distance))
    }
    return rows.calculated + words
  }
}

/** How far a word is from the beginnings of another one, which comes letter by letter. */
class Distances {
  /** Letters that have come. */
  depth = 0
  /** Whether no letter that may come brings it near enough. */
  isTooFar = false
  calculated = 0
  readonly #word: string
  readonly #most: number
  readonly #width: number
  readonly #cells: Uint8Array

  constructor(word: string, most: number) {
    this.#word = word
    this.#most = most
    this.#width = word.length + 1
    this.#cells = new Uint8Array((word.length + most + 1) * this.#width)
    for (let at = 0; at < this.#width; at++) this.#cells[at] = at
  }

  /** The distance to all letters that have come. */
  get distance(): number {
    return this.#cells[(this.depth + 1) * this.#width - 1] ?? 0
  }

  /** Only so many letters have come. */
  back(depth: number): void {
    if (depth < this.depth) this.isTooFar = false
    this.depth = depth
  }

  next(letter: number): void {
    const above = this.depth * this.#width
    this.depth += 1
    const row = above + this.#width
    this.#cells[row] = this.depth
    let left = this.depth
    let least = left
    for (let at = 1; at < this.#width; at++) {
      const changed = (this.#cells[above + at - 1] ?? 0) + (this.#word.charCodeAt(at - 1) === letter ? 0 : 1)
      left = Math.min(changed, left + 1, (this.#cells[above + at] ?? 0) + 1)
      this.#cells[row + at] = left
      if (left < least) least = left
    }
    this.isTooFar = least > this.#most
    this.calculated += this.#width
  }
}
