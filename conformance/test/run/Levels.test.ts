import { describe, expect, it } from "vitest"
import type { Clause } from "../../src/clauses/Clause.ts"
import { levelOf, readCapabilities, type ReachLevel } from "../../src/run/Capabilities.ts"
import type { Case } from "../../src/run/Case.ts"
import type { CaseResult } from "../../src/run/CaseResult.ts"
import { type ClauseState, levelsByClause, levelsOf, reachedOf, statesOf } from "../../src/run/ClauseCount.ts"
import type { Verdict } from "../../src/run/Verdict.ts"

const clause = (
  id: string,
  level: Clause["level"] = "required",
  observable: Clause["observable"] = "http",
): Clause => ({
  id,
  level,
  observable,
  section: "x",
  quote: "x",
  source: "specification",
})

const about = (id: string, requires: Case["requires"]): Case => ({
  id,
  title: id,
  clauses: [id],
  requires,
  run: async () => {},
})

const found = (...checks: ReadonlyArray<readonly [clause: string, verdict: Verdict]>): CaseResult => ({
  id: "x",
  title: "x",
  level: 0,
  requires: [],
  clauses: [],
  verdict: "pass",
  durationMs: 0,
  seed: 1,
  checks: checks.map(([each, verdict], nth) => ({ id: `${nth}`, verdict, clauses: [each] })),
  trace: [],
})

describe("levels", () => {
  it("of a case follow from what it needs", () => {
    expect(levelOf(["http"])).toBe(0)
    expect(levelOf(["http", "fixtures"])).toBe(1)
    expect(levelOf(["clock", "fixtures"])).toBe(2)
    expect(levelOf(["fixtures", "faults:call_store"])).toBe(3)
  })

  it("of a clause are the least at which a case is about it, or else the least at which it can be seen", () => {
    const catalogue = [clause("A-1"), clause("B-1"), clause("C-1", "required", "clock")]
    const cases = [about("A-1", ["clock"]), about("A-1", ["fixtures"]), about("B-1", ["telephony"])]
    expect([...levelsByClause(catalogue, cases)]).toEqual([
      ["A-1", 1],
      ["B-1", 3],
      ["C-1", 2],
    ])
  })

  it("are reached only when every clause at and below them was judged and held", () => {
    const catalogue = [
      clause("A-0"),
      clause("A-1"),
      clause("A-2"),
      clause("A-P", "profile"),
      clause("A-G", "gap"),
      clause("A-N", "required", "no"),
    ]
    const cases = [about("A-0", ["http"]), about("A-1", ["fixtures"]), about("A-2", ["clock"])]
    const reached = (...states: ReadonlyArray<readonly [string, ClauseState]>): ReachLevel | null =>
      reachedOf(levelsOf(catalogue, cases, new Map(states)))
    expect(reached(["A-0", "held"], ["A-1", "held"], ["A-2", "held"], ["A-P", "broken"])).toBe(2)
    expect(reached(["A-0", "held"], ["A-2", "held"])).toBe(0)
    expect(reached(["A-0", "broken"], ["A-1", "held"])).toBe(null)
    expect(reached()).toBe(null)
    const [plain] = levelsOf(catalogue, cases, new Map([["A-0", "broken"]]))
    expect(plain).toEqual({ level: 0, held: 0, broken: 1, notJudged: 0, of: 1 })
  })

  it("see a clause as broken when one of its checks is, whatever the others say", () => {
    const find = (id: string) => clause(id, id.includes("P") ? "profile" : "required")
    const states = statesOf([found(["A-1", "pass"], ["A-1", "fail"], ["B-1", "pass"]), found(["B-1", "xfail"])], find)
    expect([...states]).toEqual([
      ["A-1", "broken"],
      ["B-1", "broken"],
    ])
    expect([...statesOf([found(["P-1", "pass"], ["P-1", "note"], ["C-1", "note"])], find)]).toEqual([
      ["P-1", "read-otherwise"],
    ])
  })
})

describe("capabilities", () => {
  it("are read from the contract's own words", () => {
    const body = {
      contract: 1,
      clock: true,
      organizations: true,
      telephony: false,
      faults: { call_store: ["timeout"], telephony: [] },
    }
    expect([...(readCapabilities(body) ?? [])].sort()).toEqual(["clock", "faults:call_store", "fixtures", "http"])
  })

  it("are unknown in another version", () => {
    expect(readCapabilities({ contract: 2, clock: true })).toBe(undefined)
    expect(readCapabilities(null)).toBe(undefined)
  })
})
