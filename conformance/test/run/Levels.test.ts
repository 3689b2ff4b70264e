import { describe, expect, it } from "vitest"
import { levelOf, readCapabilities } from "../../src/run/Capabilities.ts"
import type { CaseResult } from "../../src/run/CaseResult.ts"
import { levelsOf, reachedOf } from "../../src/run/Report.ts"
import type { Verdict } from "../../src/run/Verdict.ts"

const result = (level: 0 | 1 | 2 | 3, verdict: Verdict): CaseResult => ({
  id: "x",
  title: "x",
  level,
  requires: [],
  clauses: [],
  verdict,
  durationMs: 0,
  seed: 1,
  checks: [],
  trace: [],
})

describe("levels", () => {
  it("of a case follow from what it needs", () => {
    expect(levelOf(["http"])).toBe(0)
    expect(levelOf(["http", "fixtures"])).toBe(1)
    expect(levelOf(["clock", "fixtures"])).toBe(2)
    expect(levelOf(["fixtures", "faults:call_store"])).toBe(3)
  })

  it("are reached only when everything at and below them holds", () => {
    const reached = (...results: ReadonlyArray<CaseResult>) => reachedOf(levelsOf(results))
    expect(reached(result(0, "pass"), result(1, "pass"), result(2, "warn"))).toBe(2)
    expect(reached(result(0, "pass"), result(1, "n/a"), result(2, "pass"))).toBe(0)
    expect(reached(result(0, "fail"), result(1, "pass"))).toBe(null)
    expect(reached(result(0, "xfail"), result(3, "pass"))).toBe(3)
    expect(reached()).toBe(null)
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
