import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Clause, Source } from "../../conformance/src/clauses/Clause.ts"
import { clauses } from "../../conformance/src/clauses/Clauses.ts"
import { type Block, blocksOf } from "../../conformance/src/clauses/Coverage.ts"

const spec = join(import.meta.dirname, "../../conformance/spec")

const documents: Readonly<Record<Source, string>> = {
  specification: readFileSync(join(spec, "public-api-v2.md"), "utf8"),
  decisions: readFileSync(join(spec, "decisions.md"), "utf8"),
}

/** The page of each document in `docs/reference`. */
const files: Readonly<Record<Source, string>> = { specification: "specification.md", decisions: "decisions.md" }

/** What a document says at one place: a line of it, and the clauses that are cut from there. */
interface Place extends Block {
  readonly clauses: ReadonlyArray<Clause>
}

const placesOf = (source: Source): ReadonlyArray<Place> => {
  const blocks = blocksOf(documents[source])
  const found = new Map<Block, Array<Clause>>(blocks.map((block) => [block, []]))
  for (const clause of clauses) {
    if (clause.source !== source) continue
    const block = blocks.find(({ section, text }) => section === clause.section && text.includes(clause.quote))
    if (block === undefined) throw new Error(`${clause.id} quotes what ${files[source]} does not say`)
    found.get(block)?.push(clause)
  }
  return blocks.map((block) => ({ ...block, clauses: found.get(block) ?? [] }))
}

/** `CALL-STOP` for `CALL-STOP-3` and `CALL-STOP-P1`: a reading has the topic of the sentences that it reads. */
const topicOf = ({ id }: Clause): string => id.replace(/-[GP]?\d+$/, "")

const anchorOf = ({ id }: Clause): string => `clause-${id.toLowerCase()}`

const linkTo = (clause: Clause, text: string): string => `[${text}](${files[clause.source]}#${anchorOf(clause)})`

const anchors = (cut: ReadonlyArray<Clause>): string => cut.map((clause) => `<a id="${anchorOf(clause)}"></a>`).join("")

/** Text that means the same where tags and attributes have a meaning. Code stays as it is. */
const escaped = (text: string): string =>
  text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[<{}]/g, "\\$&") : part))
    .join("`")

/** A quote that stands alone: a row reads as a line, and what was cut within code loses its marks. */
const quoted = ({ quote }: Clause): string => {
  const line = quote.startsWith("| ") ? quote.replaceAll(/^\| | \|$/g, "").replace(" | ", ": ") : quote
  return escaped(line.split("`").length % 2 === 1 ? line : line.replaceAll("`", ""))
}

/** The first line of each run of lines without a blank one, with its last. */
const runsOf = (lines: ReadonlyArray<string>): ReadonlyArray<{ readonly first: number; readonly last: number }> =>
  lines.flatMap((line, first) => {
    if (line.trim() === "" || (lines[first - 1] ?? "").trim() !== "") return []
    const end = lines.findIndex((other, index) => index > first && other.trim() === "")
    return [{ first, last: (end === -1 ? lines.length : end) - 1 }]
  })

/** A line with the anchors of what is cut from it: above a heading, behind the mark of an item, in the first cell of a row. */
const withAnchors = (line: string, cut: ReadonlyArray<Clause>): string => {
  if (cut.length === 0) return line
  if (line.startsWith("#")) return `${anchors(cut)}\n\n${line}`
  const mark = /^(?:\| |\s*(?:[-*] |\d+\. )?)/.exec(line)?.[0] ?? ""
  return `${mark}${anchors(cut)}${line.slice(mark.length)}`
}

/** What we say in a document: at the end of a place, and after a run of lines. */
interface Notes {
  readonly beside: (place: Place) => string
  readonly after: (places: ReadonlyArray<Place>) => string
}

/** A document with anchors for its clauses, and our notes. */
const annotated = (source: Source, { beside, after }: Notes): string => {
  const lines = documents[source].trimEnd().split("\n")
  const places = placesOf(source)
  return runsOf(lines)
    .map(({ first, last }) => {
      const inside = places.filter(({ line }) => first < line && line <= last + 1)
      const text = escaped(lines.slice(first, last + 1).join("\n"))
        .split("\n")
        .map((line, index) => {
          const begun = inside.find((place) => place.line === first + index + 1)
          const next = first + index + 2
          const ended =
            next > last + 1 || inside.some((place) => place.line === next)
              ? inside.findLast((place) => place.line < next)
              : undefined
          return `${withAnchors(line, begun?.clauses ?? [])}${ended === undefined ? "" : beside(ended)}`
        })
        .join("\n")
      const notes = after(inside)
      return notes === "" ? text : `${text}\n\n${notes}`
    })
    .join("\n\n")
}

/** A document with a remark of ours below its title. */
const withRemark = (page: string, remark: string): string => page.replace(/^# .+$/m, (title) => `${title}\n\n${remark}`)

const byTopic = (source: Source): ReadonlyMap<string, ReadonlyArray<Clause>> =>
  Map.groupBy(
    clauses.filter((clause) => clause.source === source),
    topicOf,
  )

/** The last clause of a topic in the section that says most of it; the first such section where two say as much. */
const lastOf = (cut: ReadonlyArray<Clause>): Clause | undefined =>
  [...Map.groupBy(cut, ({ section }) => section).values()]
    .toSorted((one, other) => other.length - one.length)[0]
    ?.at(-1)

/** The specification, and below each passage how it is read where it is silent or can be read in two ways. */
export const specificationPage = (): string => {
  const readings = byTopic("decisions")
  const last = new Set([...byTopic("specification").values()].map(lastOf))
  const readAs = (places: ReadonlyArray<Place>): string => {
    const topics = places.flatMap((place) => place.clauses.filter((clause) => last.has(clause)).map(topicOf))
    const list = topics.flatMap((topic) => readings.get(topic) ?? [])
    if (list.length === 0) return ""
    const items = list.map((clause) => `> - ${linkTo(clause, clause.id)}: ${quoted(clause)}`)
    return `> **Read as**\n>\n${items.join("\n")}`
  }
  const page = annotated("specification", { beside: () => "", after: readAs })
  return `${withRemark(
    page,
    `> The text is the specification's own. “Read as” says what Carillon chose where the text is silent or can be read in two ways: the sentences of [the readings](decisions.md) on a topic stand below the last passage of the section that says most of it.`,
  )}\n`
}

/** The readings, and at each the passages that it reads. */
export const decisionsPage = (): string => {
  const stated = byTopic("specification")
  const linksOf = (places: ReadonlyArray<Place>): string => {
    const topics = [...new Set(places.flatMap((place) => place.clauses.map(topicOf)))]
    const links = topics.flatMap((topic) => (stated.get(topic) ?? []).slice(0, 1).map((first) => linkTo(first, topic)))
    return links.length === 0 ? "" : `→ ${links.join(", ")}`
  }
  const isRow = ({ text }: Place): boolean => text.startsWith("|")
  const page = annotated("decisions", {
    beside: (place) => (isRow(place) ? "" : ` ${linksOf([place])}`.trimEnd()),
    after: (places) => linksOf(places.filter(isRow)),
  })
  return `${withRemark(
    page.replace("`public-api-v2.md` beside this file", "[The specification](specification.md)"),
    `> Comments and typings cite this page as \`decisions.md\`. An arrow leads to the passages of [the specification](specification.md) that are on the same topic; a reading without one is on a topic of its own.`,
  )}\n`
}
