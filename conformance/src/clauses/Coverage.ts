/**
 * Holds a catalogue of quotes against the markdown that it was cut from: every quote is found where it claims to be, and
 * every word of the document is in some quote.
 */

/** A stretch of text that stands alone: a paragraph, a list item, a table row, or what a heading says in parentheses. */
export interface Block {
  /** Headings below the title, joined by ` > `; the title itself for what precedes the first of them. */
  readonly section: string
  /** First line in the document, from 1. */
  readonly line: number
  /** The text on one line, without list marker. */
  readonly text: string
}

/** A sentence of a paragraph or list item, or a whole table row. */
export interface Unit {
  readonly start: number
  readonly end: number
}

/** Words claimed for a section. */
export interface Claim {
  readonly section: string
  readonly quote: string
}

/** A unit with words that nothing claims. */
export interface Uncovered {
  readonly section: string
  readonly line: number
  readonly text: string
  readonly words: ReadonlyArray<string>
}

const heading = /^(#{1,6}) (.*)$/
const item = /^\s*(?:[-*]|\d+\.) (.*)$/
const delimiterRow = /^\|[-:| ]+\|$/
const stop = /[.!?]$/
const quotedStop = /[.!?]"$/
const sentenceStart = /^ [^\p{Ll}(]/u
const abbreviation = /\b(?:e\.g|i\.e)\.$/
const word = /[\p{L}\p{N}]+/gu

/** The blocks of a markdown document, in order. Header rows of tables name columns and state nothing. */
export const blocksOf = (markdown: string): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  const path: Array<string> = []
  const lines = markdown.split("\n")
  let open: { section: string; line: number; text: string } | undefined

  const section = () => (path.length > 1 ? path.slice(1) : path).join(" > ")
  const close = () => {
    if (open !== undefined) blocks.push(open)
    open = undefined
  }

  for (const [index, raw] of lines.entries()) {
    const text = raw.trim()
    const line = index + 1
    const title = heading.exec(text)
    if (title !== null) {
      close()
      path.length = (title[1] ?? "").length - 1
      path.push(title[2] ?? "")
      const aside = /\(.*\)/.exec(text)
      if (aside !== null && path.length > 1) blocks.push({ section: section(), line, text: aside[0] })
    } else if (text === "") {
      close()
    } else if (text.startsWith("|")) {
      close()
      const names = delimiterRow.test(text) || delimiterRow.test((lines[index + 1] ?? "").trim())
      if (!names) blocks.push({ section: section(), line, text })
    } else {
      const listed = item.exec(raw)
      if (listed !== null || open === undefined) {
        close()
        open = { section: section(), line, text: listed?.[1] ?? text }
      } else {
        open.text += ` ${text}`
      }
    }
  }
  close()
  return blocks
}

/** The sentences of a text as half-open ranges. Code, quoted messages and parentheses are never cut. */
export const sentencesOf = (text: string): ReadonlyArray<Unit> => {
  const units: Array<Unit> = []
  let start = 0
  let depth = 0
  let code = false
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === "`" && !quoted) code = !code
    else if (character === '"' && !code) quoted = !quoted
    else if (!code && !quoted && character === "(") depth++
    else if (!code && !quoted && character === ")") depth--
    const end = at + 1
    if (text[end] !== " " || code || quoted || depth > 0) continue
    const sentence = text.slice(start, end)
    const stops = stop.test(sentence) && !abbreviation.test(sentence)
    const stopsInQuotes = quotedStop.test(sentence) && sentenceStart.test(text.slice(end))
    if (!stops && !stopsInQuotes) continue
    units.push({ start, end })
    start = end + 1
  }
  if (start < text.length) units.push({ start, end: text.length })
  return units
}

/** The units of a block: a table row is one, any other block its sentences. */
const unitsOf = (block: Block): ReadonlyArray<Unit> =>
  block.text.startsWith("|") ? [{ start: 0, end: block.text.length }] : sentencesOf(block.text)

const occurrences = (text: string, quote: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) found.push(at)
  return found
}

/** The claims whose words stand nowhere in their section. */
export const misquoted = <C extends Claim>(blocks: ReadonlyArray<Block>, claims: ReadonlyArray<C>): ReadonlyArray<C> =>
  claims.filter(
    ({ section, quote }) => !blocks.some((block) => block.section === section && block.text.includes(quote)),
  )

/** The claims whose words stand at more than one place of their section, so that a reader could not tell which is meant. */
export const ambiguous = <C extends Claim>(blocks: ReadonlyArray<Block>, claims: ReadonlyArray<C>): ReadonlyArray<C> =>
  claims.filter(({ section, quote }) => {
    const places = blocks
      .filter((block) => block.section === section)
      .flatMap((block) => occurrences(block.text, quote).map((start) => ({ block, start })))
    const repeated = places.every(({ block, start }) =>
      unitsOf(block).some((unit) => unit.start === start && unit.end === start + quote.length),
    )
    return places.length > 1 && !repeated
  })

/** The units with words that no claim of their section quotes. */
export const uncovered = (blocks: ReadonlyArray<Block>, claims: ReadonlyArray<Claim>): ReadonlyArray<Uncovered> => {
  const quotes = new Map<string, Array<string>>()
  for (const { section, quote } of claims) {
    const known = quotes.get(section)
    if (known === undefined) quotes.set(section, [quote])
    else known.push(quote)
  }
  return blocks.flatMap((block) => {
    const { section, line, text } = block
    const claimed = (quotes.get(section) ?? []).flatMap((quote) =>
      occurrences(text, quote).map((start) => ({ start, end: start + quote.length })),
    )
    return unitsOf(block).flatMap((unit) => {
      const sentence = text.slice(unit.start, unit.end)
      const words = [...sentence.matchAll(word)].filter((match) => {
        const start = unit.start + match.index
        const end = start + match[0].length
        return !claimed.some((range) => range.start <= start && end <= range.end)
      })
      return words.length === 0 ? [] : [{ section, line, text: sentence, words: words.map((match) => match[0]) }]
    })
  })
}
