import { describe, expect, it } from "vitest"
import { ambientRules } from "../../src/ambient/Ambient.ts"
import { cases } from "../../src/cases/Cases.ts"
import { findClause } from "../../src/clauses/Clauses.ts"
import { stepClauses } from "../../src/clauses/Steps.ts"
import { levelOf } from "../../src/run/Capabilities.ts"

describe("the cases", () => {
  it("have ids of their own that are paths", () => {
    const ids = cases.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z0-9.-]+(\/[a-z0-9._-]+)+$/)
  })

  it("are no folder of one another, so that an id selects one case", () => {
    const ids = cases.map(({ id }) => id)
    expect(ids.filter((id) => ids.some((other) => other.startsWith(`${id}/`)))).toEqual([])
  })

  it.each(cases)("$id cites clauses that exist, each once", ({ clauses }) => {
    expect(clauses.filter((id) => findClause(id) === undefined)).toEqual([])
    expect(new Set(clauses).size).toBe(clauses.length)
    expect(clauses.length).toBeGreaterThan(0)
  })

  it("exist on every level", () => {
    for (const level of [0, 1, 2, 3]) {
      expect(cases.filter(({ requires }) => levelOf(requires) === level).length).toBeGreaterThan(10)
    }
  })

  it("that can wait in real time wait for minutes at most", () => {
    const waits = cases.flatMap(({ realTimeMs }) => realTimeMs ?? [])
    expect(waits.length).toBeGreaterThan(0)
    expect(Math.max(...waits)).toBeLessThanOrEqual(180_000)
  })
})

describe("grading", () => {
  it("is plain for every ambient rule: its clauses are of one level", () => {
    const levels = ambientRules.map(({ clauses }) => new Set(clauses.map((id) => findClause(id)?.level)))
    expect(levels.filter((each) => each.size !== 1 || each.has(undefined))).toEqual([])
  })

  it("knows the clause that each step is blamed on", () => {
    expect(stepClauses.filter((id) => findClause(id) === undefined)).toEqual([])
  })
})
