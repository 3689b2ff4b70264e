import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { findClause } from "../../src/clauses/Clauses.ts"
import { streamOf } from "../../src/run/Seed.ts"
import { idleOf, staleReasons } from "./Idle.ts"
import { canary, type Fate, fateOf, judgedWithoutProfile } from "./Measure.ts"
import { mutants } from "./Mutants.ts"
import { falseFailures, readings, readingsSummaryOf, rightlyFailing, staleClauses } from "./Readings.ts"
import { readingsWritten } from "./Summary.ts"

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
  /** Those whose checks of sentences once demanded our reading, and some of each kind. */
  const harmless = [
    "RETRY-P4.1",
    "CALL-DUE-P1.1",
    "CALL-DUE-P1.2",
    "CALL-WINDOW-P6.1",
    "AGENT-STATUS-P5.2",
    "AGENT-STATUS-P3.1",
    "DECODE-P1.1",
    "DECODE-P8.1",
    "DECODE-P9.1",
    "FOLLOW-UP-P3.1",
    "AGENT-UPDATE-P4.2",
    "AGENT-UPDATE-P5.1",
    "AGENT-CLONE-P4.1",
    "KEY-MINT-P5.1",
    "EXPERIMENT-STATUS-P3.1",
    "EXPERIMENT-ASSIGN-P4.1",
    "FOLLOW-UP-P6.1",
    "DECODE-P3.1",
    "EVENT-ROUTING-P3.1",
    "WEBHOOK-TEST-P1.1",
  ]

  /** Some that break a sentence as well, which a few cases show. */
  const breaking = ["PIPELINE-P3.3", "KEY-REVOKE-P2.1"]

  it.each([...harmless, ...breaking])("fails only what it breaks where no profile is named: %s", async (id) => {
    const mutant = readings.find((each) => each.id === id)
    expect(mutant).toBeDefined()
    if (mutant === undefined) return
    const judgement = await judgedWithoutProfile(mutant, "clause")
    expect(judgement.whole).toBe(true)
    expect(falseFailures(judgement)).toEqual([])
    expect(staleClauses(judgement)).toEqual([])
  })

  it("is listed once where it rightly fails, with required clauses and a sentence", () => {
    const ids = rightlyFailing.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const known = new Set(readings.map(({ id }) => id))
    expect(ids.filter((id) => !known.has(id))).toEqual([])
    const cited = rightlyFailing.flatMap(({ clauses }) => clauses)
    expect(cited.filter((clause) => findClause(clause)?.level !== "required")).toEqual([])
    expect(rightlyFailing.filter(({ why }) => !/^[A-Z4].*\.$/.test(why))).toEqual([])
  })
})

describe("the judgement of a reading without a profile", () => {
  const [listed] = rightlyFailing
  const judgement = (id: string, ...clauses: ReadonlyArray<string>) => ({
    id,
    breaks: "Something.",
    failures: clauses.map((clause) => ({ at: "a/case:check", clauses: [clause] })),
    whole: true,
  })

  it("calls a failure false that is not listed, and an entry stale that nothing fails", () => {
    const { clauses = [], id = "" } = listed ?? {}
    expect(falseFailures(judgement("CALL-LIST-P1.1", "CALL-LIST-1"))).toHaveLength(1)
    expect(falseFailures(judgement(id, ...clauses))).toEqual([])
    expect(falseFailures(judgement(id, ...clauses, "CALL-LIST-1"))).toHaveLength(1)
    expect(staleClauses(judgement(id, ...clauses))).toEqual([])
    expect(staleClauses(judgement(id))).toHaveLength(clauses.length)
    const none = { id, breaks: "Something.", failures: [{ at: "a/case:case", clauses: [] }], whole: true }
    expect(falseFailures(none)).toHaveLength(1)
  })

  it("counts as judged what was judged whole, and names the rest", () => {
    const cut = { ...judgement("B"), whole: false }
    const found = readingsSummaryOf([{ id: "A" }, { id: "B" }, { id: "C" }], [judgement("A"), cut], 1)
    expect(found).toMatchObject({ judged: 1, rightly: 0, falseFailures: [], stale: [], cut: ["B", "C"] })
    expect(readingsWritten(found)).toContain("readings judged without a profile: 1, false failures: 0")
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
