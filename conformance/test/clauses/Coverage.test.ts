import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ambiguous, blocksOf, misquoted, sentencesOf, uncovered } from "../../src/clauses/Coverage.ts"

const word = fc.stringMatching(/^[a-z]{1,6}$/)
const phrase = fc
  .array(
    fc.oneof(
      { arbitrary: word, weight: 4 },
      fc.tuple(word, word).map(([a, b]) => `\`${a}. ${b}("\``),
      fc.tuple(word, word, word).map(([a, b, c]) => `"${a}. ${b}." ${c}`),
      fc.tuple(word, word).map(([a, b]) => `(${a}. ${b})`),
      fc.constant("e.g."),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((words) => words.join(" "))
const sentence = fc
  .tuple(fc.constantFrom("A ", "a ", "`x` ", '"q" ', "5 "), phrase, word, fc.constantFrom(".", "!", "?", '."'))
  .map(([first, middle, last, stop]) =>
    stop === '."' ? `${first}${middle} "${last}."` : `${first}${middle} ${last}${stop}`,
  )
// After a quoted message only a capital, code or a figure tells that a new sentence begins.
const sentences = fc
  .array(sentence, { minLength: 1, maxLength: 4 })
  .map((list) => list.map((text, index) => (list[index - 1]?.endsWith('"') ? text.replace(/^a /, "A ") : text)))

const paragraph = sentences.map((list) => ({ text: list.join(" "), lead: "" }))
const item = fc
  .tuple(fc.constantFrom("- ", "* ", "3. ", "  - "), sentences)
  .map(([lead, list]) => ({ text: list.join(" "), lead }))
const row = fc
  .array(word, { minLength: 2, maxLength: 3 })
  .map((cells) => ({ text: `| ${cells.join(" | ")} |`, lead: "|" }))

const section = fc.record({
  title: fc.uuid(),
  blocks: fc.array(fc.oneof(paragraph, item, row), { minLength: 1, maxLength: 5 }),
})

/** Paragraphs and items wrapped at every `width`-th space, with the indent of a continuation. */
const wrapped = (text: string, width: number) => {
  let spaces = 0
  return text.replaceAll(" ", () => (++spaces % width === 0 ? "\n  " : " "))
}

const render = (
  sections: ReadonlyArray<{ title: string; blocks: ReadonlyArray<{ text: string; lead: string }> }>,
  width: number,
) =>
  [
    "# Title",
    ...sections.flatMap(({ title, blocks }) => [
      `## ${title}`,
      ...blocks.flatMap(({ text, lead }) =>
        lead === "|" ? ["", "| name | type |", "|---|---|", text] : ["", lead + wrapped(text, width)],
      ),
    ]),
  ].join("\n")

// A wrapped line that begins with a dash, a number and a full stop, or a bar would be markdown of another kind.
const documents = fc
  .tuple(
    fc.uniqueArray(section, { selector: ({ title }) => title, minLength: 1, maxLength: 3 }),
    fc.integer({ min: 2, max: 9 }),
  )
  .map(([sections, width]) => ({ sections, markdown: render(sections, width) }))

describe("blocksOf", () => {
  it("finds every paragraph, item and row under its heading, however it is wrapped", () => {
    fc.assert(
      fc.property(documents, ({ sections, markdown }) => {
        expect(blocksOf(markdown).map(({ section: path, text }) => [path, text])).toEqual(
          sections.flatMap(({ title, blocks }) => blocks.map(({ text }) => [title, text])),
        )
      }),
    )
  })

  it("joins the headings below the title, and reads what a heading says in parentheses", () => {
    const markdown = "# Title\nBefore.\n## Big\n### Small (15 values)\n- One\n  more\n- Two\n## Next\nLast."
    expect(blocksOf(markdown)).toEqual([
      { section: "Title", line: 2, text: "Before." },
      { section: "Big > Small (15 values)", line: 4, text: "(15 values)" },
      { section: "Big > Small (15 values)", line: 5, text: "One more" },
      { section: "Big > Small (15 values)", line: 7, text: "Two" },
      { section: "Next", line: 9, text: "Last." },
    ])
  })
})

describe("sentencesOf", () => {
  it("cuts after each sentence, never inside code, quoted messages or parentheses", () => {
    fc.assert(
      fc.property(sentences, (list) => {
        const text = list.join(" ")
        expect(sentencesOf(text).map(({ start, end }) => text.slice(start, end))).toEqual(list)
      }),
    )
  })

  it("keeps every character of any text but the spaces between sentences", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 60, unit: fc.constantFrom("a", " ", ".", "`", '"', "(", ")", "?") }),
        (text) => {
          const kept = sentencesOf(text).map(({ start, end }) => text.slice(start, end))
          expect(kept.join(" ").trimEnd()).toBe(text.trimEnd())
        },
      ),
    )
  })
})

describe("coverage", () => {
  const whole = (markdown: string) =>
    blocksOf(markdown).map(({ section: path, text }) => ({ section: path, quote: text }))

  it("is complete when every block is quoted", () => {
    fc.assert(fc.property(documents, ({ markdown }) => uncovered(blocksOf(markdown), whole(markdown)).length === 0))
  })

  it("names exactly the words that no quote of the section holds", () => {
    const blocks = blocksOf(
      "# T\n## A\nIt dials. It stops; it waits.\n\n| code | 1 |\n|---|---|\n| b | 409 |\n## B\nIt dials.",
    )
    const claims = [
      { section: "A", quote: "It dials." },
      { section: "A", quote: "It stops" },
      { section: "A", quote: "| b |" },
      { section: "B", quote: "dials." },
    ]
    expect(uncovered(blocks, claims)).toEqual([
      { section: "A", line: 3, text: "It stops; it waits.", words: ["it", "waits"] },
      { section: "A", line: 7, text: "| b | 409 |", words: ["409"] },
      { section: "B", line: 9, text: "It dials.", words: ["It"] },
    ])
  })

  it("does not take half a word for the word", () => {
    const blocks = blocksOf("# T\n## A\nIt redials.")
    expect(uncovered(blocks, [{ section: "A", quote: "It re" }]).map(({ words }) => words)).toEqual([["redials"]])
  })

  it("tells a quote from another section or with another word", () => {
    const blocks = blocksOf("# T\n## A\nIt dials.\n## B\nIt stops.")
    const strangers = [
      { section: "B", quote: "It dials." },
      { section: "A", quote: "It dialled." },
    ]
    expect(misquoted(blocks, [...strangers, { section: "A", quote: "dials" }])).toEqual(strangers)
  })

  it("calls a fragment ambiguous that stands twice, but not a repeated sentence", () => {
    const blocks = blocksOf("# T\n## A\nIt dials. It stops. It dials.\n## B\nIt dials.")
    const fragment = { section: "A", quote: "dials" }
    const claims = [
      fragment,
      { section: "A", quote: "It dials." },
      { section: "A", quote: "It stops" },
      { section: "B", quote: "It" },
    ]
    expect(ambiguous(blocks, claims)).toEqual([fragment])
  })
})
