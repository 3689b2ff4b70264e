import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { extensionCases } from "../../src/cases/Cases.ts"
import { clauses, findClause } from "../../src/clauses/Clauses.ts"
import { ambiguous, blocksOf, misquoted, uncovered } from "../../src/clauses/Coverage.ts"
import { extensionClauses, extensionSections } from "../../src/clauses/Extensions.ts"
import { extensionOf, extensions, levelOf } from "../../src/run/Capabilities.ts"

const root = new URL("../../../", import.meta.url)

/** A page without its blocks of code, which are examples. */
const pageAt = (path: string) => readFileSync(new URL(path, root), "utf8").replace(/^```.*?^```$/gms, "")

const pagePaths = [...new Set(extensionClauses.map(({ address }) => address.split("#")[0] ?? ""))]

const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-")

const ofPage = (path: string) =>
  extensionSections
    .filter((section) => section.clauses.some(({ address }) => address.split("#")[0] === path))
    .flatMap((section) => [...section.clauses, ...section.informative])

/** Remarks of sections that promise nothing stand in no clause's page: their words are looked for in all of them. */
const remarks = extensionSections
  .filter((section) => section.clauses.length === 0)
  .flatMap(({ informative }) => informative)

describe.each(pagePaths)("%s", (path) => {
  const blocks = blocksOf(pageAt(path))
  const claims = ofPage(path)

  it("says what the catalogue quotes, where it quotes it, and at one place only", () => {
    expect(misquoted(blocks, claims)).toEqual([])
    expect(ambiguous(blocks, claims)).toEqual([])
  })

  it("says nothing that is not a clause or marked informative", () => {
    const forgotten = uncovered(blocks, [...claims, ...remarks])
    expect(forgotten.map(({ line, words, text }) => `line ${line}: ${words.join(" ")} — in: ${text}`)).toEqual([])
  })
})

describe("the clauses of extensions", () => {
  it("have addresses that lead to a heading of a page", () => {
    const lost = extensionClauses.filter(({ address }) => {
      const [path = "", anchor] = address.split("#")
      const url = new URL(path, root)
      if (!existsSync(url)) return true
      const headings = [...readFileSync(url, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) => slugOf(text))
      return anchor !== undefined && !headings.includes(anchor)
    })
    expect(lost).toEqual([])
  })

  it("are of each extension, with ids of their own that show their level", () => {
    expect(new Set(extensionClauses.map(({ extension }) => extension))).toEqual(new Set(extensions))
    const ids = extensionClauses.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^(SUPPRESSION|HOURS|CAPS|LOG|BREAKER|ORDER)-E[1-9]\d*$/.test(id))).toEqual([])
    expect(ids.filter((id) => findClause(id) === undefined)).toEqual([])
  })

  it("stand apart from those of the contract", () => {
    const contract = new Set(clauses.map(({ id }) => id))
    expect(extensionClauses.filter(({ id }) => contract.has(id))).toEqual([])
  })

  it("say why where nothing can be seen, and have a case where something can", () => {
    const cited = new Set(extensionCases.flatMap((each) => each.clauses))
    const seen = extensionClauses.filter(({ observable }) => observable !== "no")
    expect(seen.filter(({ id }) => !cited.has(id)).map(({ id }) => id)).toEqual([])
    expect(extensionClauses.filter(({ observable, why }) => (observable === "no") !== (why !== undefined))).toEqual([])
  })

  it("are counted in the README of clauses", () => {
    const readme = readFileSync(new URL("../../src/clauses/README.md", import.meta.url), "utf8")
    const rows = [...readme.matchAll(/^\| `([A-Z]+)-E` \| (\d+) \| (\d+) \|/gm)].map(([, topic, seen, unseen]) => [
      topic,
      Number(seen),
      Number(unseen),
    ])
    const counted = ["SUPPRESSION", "HOURS", "CAPS", "LOG", "BREAKER", "ORDER"].map((topic) => {
      const own = extensionClauses.filter(({ id }) => id.startsWith(`${topic}-`))
      const unseen = own.filter(({ observable }) => observable === "no").length
      return [topic, own.length - unseen, unseen]
    })
    expect(rows).toEqual(counted)
  })
})

describe("the cases of extensions", () => {
  it("are each about one extension, whose clauses they cite, in organizations of their own", () => {
    const strayed = extensionCases.filter((each) => {
      const extension = extensionOf(each.requires)
      const isOwn = each.clauses.every((id) =>
        extensionClauses.some((one) => one.id === id && one.extension === extension),
      )
      return (
        extension === undefined ||
        !isOwn ||
        !each.requires.includes("fixtures") ||
        !each.id.startsWith(`extensions/${extension}/`)
      )
    })
    expect(strayed.map(({ id }) => id)).toEqual([])
    expect(new Set(extensionCases.map(({ id }) => id)).size).toBe(extensionCases.length)
  })

  it("have the level of what else they need", () => {
    expect(levelOf(["fixtures", "extension:call-caps"])).toBe(1)
  })
})
