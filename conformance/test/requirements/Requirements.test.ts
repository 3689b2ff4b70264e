import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { cases } from "../../src/cases/Cases.ts"
import type { CaseResult } from "../../src/run/CaseResult.ts"
import type { CheckResult } from "../../src/run/Checks.ts"
import { ambientCaseId } from "../../src/run/Report.ts"
import type { RequirementSet } from "../../src/requirements/RequirementSet.ts"
import { gradedBy } from "../../src/requirements/Requirements.ts"
import { set202611 } from "../../src/requirements/Set202611.ts"
import { changelog } from "./Changelog.ts"

const failed = (id: string): CheckResult => ({ id, verdict: "fail", clauses: [], expected: "a", got: "b" })

const resultOf = (id: string, checks: ReadonlyArray<CheckResult>, reason?: string): CaseResult => ({
  id,
  title: id,
  level: 0,
  requires: ["http"],
  clauses: [],
  verdict: reason === undefined ? "fail" : "error",
  ...(reason === undefined ? {} : { reason }),
  durationMs: 0,
  seed: 1,
  checks,
  trace: [],
})

const set: RequirementSet = { old: "one two" }
const graded = (result: CaseResult) => gradedBy("2026-11", [result], set)[0]

describe("a frozen set of requirements", () => {
  it("fails for what it asks", () => {
    expect(graded(resultOf("old", [failed("one")]))).toMatchObject({ verdict: "fail" })
  })

  it("notes what was added later: a check, or a whole case", () => {
    const noted = { verdict: "note", message: "newer than the requirements 2026-11, which this run is held to" }
    expect(graded(resultOf("old", [failed("three")]))).toMatchObject({ verdict: "note", checks: [noted] })
    expect(graded(resultOf("new", [failed("one")]))).toMatchObject({ verdict: "note", checks: [noted] })
    expect(graded(resultOf("old", [failed("two"), failed("three")]))).toMatchObject({
      verdict: "fail",
      checks: [{ verdict: "fail" }, noted],
    })
  })

  it("fails for a step that an old case cannot take, and for a fault of the harness", () => {
    const step: CheckResult = { id: "setup", verdict: "fail", clauses: [], message: "expected HTTP 201, got HTTP 500" }
    expect(graded(resultOf("old", [step]))).toMatchObject({ verdict: "fail" })
    expect(graded(resultOf("new", [step]))).toMatchObject({ verdict: "note" })
    expect(graded(resultOf("new", [failed("one")], "it threw"))).toMatchObject({ verdict: "error" })
  })

  it("says nothing of extensions: who asks for them is told all of them", () => {
    const requires = ["fixtures", "extension:call-caps"] as const
    expect(graded({ ...resultOf("extensions/call-caps/kept", [failed("one")]), requires })).toMatchObject({
      verdict: "fail",
    })
  })

  it("has a changelog that names what came later", () => {
    const written = readFileSync(new URL("../../src/requirements/CHANGELOG.md", import.meta.url), "utf8")
    expect(written).toBe(changelog())
  })

  it("names only cases that are still there", () => {
    const known = new Set([ambientCaseId, ...cases.map(({ id }) => id)])
    expect(Object.keys(set202611).filter((id) => !known.has(id))).toEqual([])
  })
})
