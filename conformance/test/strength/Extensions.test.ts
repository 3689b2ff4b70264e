import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { extensionCases } from "../../src/cases/Cases.ts"
import { findClause } from "../../src/clauses/Clauses.ts"
import { extensionClauses } from "../../src/clauses/Extensions.ts"
import { streamOf } from "../../src/run/Seed.ts"
import { extensionMutants } from "./ExtensionMutants.ts"
import { type Fate, fateOf } from "./Measure.ts"

/** So many mutants are tried in every run of the tests, always the same. */
const sampled = 12

const measured: { readonly fates: ReadonlyArray<Pick<Fate, "id" | "fate" | "by">> } = JSON.parse(
  readFileSync(new URL("results/extensions.json", import.meta.url), "utf8"),
)

const sample = () => {
  const random = streamOf(sampled)
  return extensionMutants
    .map((mutant) => ({ mutant, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, sampled)
    .map(({ mutant }) => mutant)
}

describe("the mutants of extensions", () => {
  it("break promises that can be seen, each of them at least once", () => {
    const broken = new Set(extensionMutants.map(({ clause }) => clause))
    expect([...broken].filter((id) => findClause(id)?.level !== "extension")).toEqual([])
    const seen = extensionClauses.filter(({ observable }) => observable !== "no").map(({ id }) => id)
    expect([...broken].sort()).toEqual([...seen].sort())
  })

  it("were all tried and killed, and each case sees one", () => {
    const fates = new Map(measured.fates.map((fate) => [fate.id, fate.fate]))
    const alive = extensionMutants.filter(({ id }) => fates.get(id) !== "killed")
    expect(alive.map(({ id }) => id)).toEqual([])
    expect(fates.size).toBe(extensionMutants.length)
    const seeing = new Set(measured.fates.flatMap(({ by }) => by))
    expect(extensionCases.filter(({ id }) => !seeing.has(id)).map(({ id }) => id)).toEqual([])
  })

  it.each(sample())("are seen: $id: $breaks", async (mutant) => {
    const { fate } = await fateOf(mutant, { everyCase: false, wholeSuite: false })
    expect(fate).toBe("killed")
  })
})
