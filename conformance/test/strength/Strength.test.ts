import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { streamOf } from "../../src/run/Seed.ts"
import { idleOf, staleReasons } from "./Idle.ts"
import { blamedFor, canary, type Fate, fateOf } from "./Measure.ts"
import { mutants } from "./Mutants.ts"

/** So many mutants are tried in every run of the tests, always the same. */
const sampled = 25

/** The seed of the sample. */
const seed = 16

/** Cases of the healthy server that the canary runs: it is judged whole elsewhere. */
const folders = ["identity", "agents/create", "organization", "errors"]

const measured: { readonly fates: ReadonlyArray<Fate> } = JSON.parse(
  readFileSync(new URL("results/strength.json", import.meta.url), "utf8"),
)

/** What the last measurement did not kill is listed there, and is not asked of every run. */
const killed = new Set(measured.fates.filter(({ fate }) => fate === "killed").map(({ id }) => id))

const sample = () => {
  const random = streamOf(seed)
  return mutants
    .filter(({ id }) => killed.has(id))
    .map((mutant) => ({ mutant, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, sampled)
    .map(({ mutant }) => mutant)
}

describe("the suite", () => {
  it("blames a healthy server for nothing", async () => {
    expect(await canary(folders)).toEqual([])
  })

  it.each(sample())("sees $id: $breaks", async (mutant) => {
    const { fate } = await fateOf(mutant, { everyCase: false, wholeSuite: false })
    expect(fate).toBe("killed")
  })
})

describe("a mistake against a published reading alone", () => {
  /** Two whose checks of sentences once demanded our reading, and some of each kind. */
  const readings = [
    "RETRY-P4.1",
    "CALL-DUE-P1.2",
    "CALL-WINDOW-P6.1",
    "AGENT-STATUS-P5.2",
    "DECODE-P8.1",
    "CALL-LIST-P1.1",
  ]

  it.each(readings)("fails nothing where no profile is named: %s", async (id) => {
    const mutant = mutants.find((each) => each.id === id)
    expect(mutant).toBeDefined()
    expect(mutant === undefined ? [] : await blamedFor(mutant)).toEqual([])
  })
})

describe("the last measurement", () => {
  it("is of mutants that there are, and blames most of them on their own clause", () => {
    const ids = new Set(mutants.map(({ id }) => id))
    expect(measured.fates.filter(({ id }) => !ids.has(id))).toEqual([])
    expect(killed.size / mutants.length).toBeGreaterThan(0.8)
  })

  it("has a mutant that each case sees, or a reason why there is none", () => {
    const idle = idleOf(measured.fates)
    expect(idle.filter(({ reason }) => reason === null)).toEqual([])
    expect(staleReasons(idle)).toEqual([])
  })
})
