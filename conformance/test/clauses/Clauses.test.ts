import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Source } from "../../src/clauses/Clause.ts"
import { clauses, clausesByPrefix, findClause, informative } from "../../src/clauses/Clauses.ts"
import { ambiguous, blocksOf, misquoted, uncovered } from "../../src/clauses/Coverage.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

const documents: Readonly<Record<Source, string>> = {
  specification: read("../../spec/public-api-v2.md"),
  decisions: read("../../spec/decisions.md"),
}
const sources: ReadonlyArray<Source> = ["specification", "decisions"]
const entries = [...clauses, ...informative]
const entriesOf = (source: Source) => entries.filter((entry) => entry.source === source)
const duplicates = (values: ReadonlyArray<string>) => values.filter((value, index) => values.indexOf(value) !== index)

describe.each(sources)("the %s", (source) => {
  const blocks = blocksOf(documents[source])
  const claims = entriesOf(source)

  it("says what the catalogue quotes, where it quotes it", () => {
    expect(misquoted(blocks, claims)).toEqual([])
  })

  it("says it at one place only", () => {
    expect(ambiguous(blocks, claims)).toEqual([])
  })

  it("says nothing that is not a clause, a gap or marked informative", () => {
    const forgotten = uncovered(blocks, claims).map(
      ({ line, section, text, words }) => `line ${line} (${section}): ${words.join(" ")} — in: ${text}`,
    )
    expect(forgotten).toEqual([])
  })

  it("has its sections in the order of the catalogue", () => {
    const inDocument = [...new Set(blocks.map((block) => block.section))]
    const inCatalogue = [...new Set(clauses.filter((clause) => clause.source === source).map(({ section }) => section))]
    expect(inCatalogue).toEqual(inDocument.filter((section) => inCatalogue.includes(section)))
  })

  it("cannot gain a sentence unnoticed", () => {
    const lines = documents[source].split("\n")
    const headings = lines.flatMap((line, index) => (line.startsWith("#") ? [index] : []))
    fc.assert(
      fc.property(fc.constantFrom(...headings), (index) => {
        const longer = lines.toSpliced(index + 1, 0, "", "Zebras may dial.", "").join("\n")
        const found = uncovered(blocksOf(longer), claims)
        expect(found.map(({ text }) => text)).toEqual(["Zebras may dial."])
      }),
      { numRuns: 12 },
    )
  })

  it("cannot lose a quoted word unnoticed", () => {
    fc.assert(
      fc.property(fc.constantFrom(...claims), fc.nat(), (claim, at) => {
        const words = [...claim.quote.matchAll(/[\p{L}\p{N}]+/gu)]
        const word = words[at % words.length]
        if (word === undefined) return
        const changed = {
          ...claim,
          quote: claim.quote.slice(0, word.index) + "zebra" + claim.quote.slice(word.index + 1),
        }
        expect(misquoted(blocks, [changed])).toEqual([changed])
      }),
    )
  })
})

describe("the catalogue", () => {
  it("quotes the specification character by character", () => {
    const strayed = entriesOf("specification").filter(({ quote }) => !documents.specification.includes(quote))
    expect(strayed).toEqual([])
  })

  it("gives every clause an id of its own that shows its level", () => {
    const letter = { required: "", profile: "P", gap: "G" }
    const form = /^[A-Z]+(?:-[A-Z]+)*-(?<letter>[GP]?)[1-9]\d*$/
    expect(clauses.filter(({ id, level }) => form.exec(id)?.groups?.["letter"] !== letter[level])).toEqual([])
    expect(duplicates(clauses.map(({ id }) => id))).toEqual([])
  })

  it("never says the same thing twice at one place", () => {
    expect(duplicates(entries.map(({ source, section, quote }) => `${source} | ${section} | ${quote}`))).toEqual([])
  })

  it("requires only what the specification states and profiles only what we chose", () => {
    const misfiled = clauses.filter(
      ({ level, source }) => level !== "gap" && (level === "required") !== (source === "specification"),
    )
    expect(misfiled).toEqual([])
  })

  it("says why where nothing can be seen or nothing is graded although it is stated", () => {
    const needsWhy = clauses.filter(
      ({ observable, level, quote }) => observable === "no" || (level === "gap" && !quote.includes("not shown")),
    )
    expect(needsWhy.filter(({ why }) => why === undefined || !why.endsWith("."))).toEqual([])
    expect(clauses.filter(({ why }) => why !== undefined).length).toBe(needsWhy.length)
  })

  it("has a gap for everything that the specification does not show", () => {
    const marker = "not shown"
    const gaps = clauses.filter(({ level }) => level === "gap")
    const silent = blocksOf(documents.specification)
      .flatMap(({ line, section, text }) =>
        [...text.matchAll(new RegExp(marker, "g"))].map(({ index }) => ({ line, section, text, index })),
      )
      .filter(({ section, text, index }) => {
        const holds = (quote: string) => {
          const start = text.indexOf(quote)
          return start >= 0 && start <= index && index + marker.length <= start + quote.length
        }
        return !gaps.some((gap) => gap.section === section && holds(gap.quote))
      })
    expect(silent).toEqual([])
  })

  it("finds each clause by its id and nothing by a stranger's", () => {
    fc.assert(fc.property(fc.constantFrom(...clauses), (clause) => findClause(clause.id) === clause))
    expect(findClause("CALL-STOP")).toBeUndefined()
  })

  it("selects by whole words of the id, in the order of the documents", () => {
    const words = (id: string) => id.split("-")
    const prefix = fc
      .tuple(fc.constantFrom(...clauses), fc.integer({ min: 1, max: 4 }))
      .map(([{ id }, length]) => words(id).slice(0, length))
    fc.assert(
      fc.property(prefix, (wanted) => {
        const expected = clauses.filter(({ id }) => wanted.every((word, index) => words(id)[index] === word))
        expect(clausesByPrefix(wanted.join("-"))).toEqual(expected)
      }),
    )
    expect(clausesByPrefix("CALL-ST")).toEqual([])
  })

  it("is counted in its README", () => {
    const column = { required: 0, profile: 1, gap: 2 } as const
    const counts = new Map<string, [required: number, profile: number, gap: number]>()
    for (const { id, level } of clauses) {
      const topic = id.replace(/-[GP]?\d+$/, "")
      const count = counts.get(topic) ?? [0, 0, 0]
      count[column[level]]++
      counts.set(topic, count)
    }
    const rows = read("../../src/clauses/README.md").matchAll(/^\| `([A-Z-]+)` \| (\d+) \| (\d+) \| (\d+) \|/gm)
    const listed = [...rows].map(([, topic, ...numbers]) => [topic, numbers.map(Number)])
    expect(new Map(listed.map(([topic, numbers]) => [topic, numbers]))).toEqual(counts)
    expect(listed.length).toBe(counts.size)
  })
})
