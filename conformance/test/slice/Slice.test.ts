import { describe, expect, it } from "vitest"
import { runConformance } from "../../src/run/Conformance.ts"
import type { Profile } from "../../src/run/Grading.ts"
import type { Report } from "../../src/run/Report.ts"
import { type Defect, makeSlice } from "./Slice.ts"

const key = "gat_c2xpY2Utc2xpY2Utc2xpY2Utc2xpY2Utc2xpY2U"

/** What the slice claims to serve. */
const served = [
  "authentication/header",
  "authentication/order/before-everything",
  "organization/binding/before-the-rest",
  "routing/unknown",
  "identity/user-me",
  "identity/key",
  "identity/scopes/taxonomy",
  "decoding/body/malformed",
  "decoding/body/content-type",
  "decoding/body/depth",
  "agents/create/name-only",
  "agents/create/names",
  "agents/read/one",
  "agents/status/moves",
  "agents/status/editing",
  "agents/status/archive",
]

/** Checks of these cases that are about routes which the slice does not have. */
const elsewhere = ["decoding/body/malformed:call-*", "decoding/body/depth:depth-2000"]

const judge = (defect?: Defect, profile?: Profile): Promise<Report> =>
  runConformance({
    ...(profile === undefined ? {} : { profile }),
    baseUrl: "http://slice.test",
    key,
    fetch: makeSlice(defect === undefined ? { key } : { key, defect }),
    only: served,
    knownFailing: elsewhere,
  })

const failures = (report: Report): ReadonlyArray<string> =>
  report.cases.flatMap(({ id, checks }) =>
    checks.filter(({ verdict }) => verdict === "fail").map((check) => `${id}:${check.id}`),
  )

describe("an implementation that shares nothing with the engine", () => {
  it("holds at what it serves, and is told where its readings are not ours", async () => {
    const report = await judge()
    expect(failures(report)).toEqual([])
    expect(report.outcome).toBe("holds")
    expect(Object.values(report.clauseStates)).toContain("read-otherwise")
    expect(report.cases.length).toBeGreaterThan(20)
  })

  const defects: ReadonlyArray<readonly [Defect, string, Profile | undefined]> = [
    ["accepts-any-scheme", "authentication/header/no-credential:basic", undefined],
    ["checks-routes-before-keys", "authentication/order/before-everything:unknown-route", "carillon"],
    ["honours-the-organization", "organization/binding/before-the-rest:unknown-resource", undefined],
    ["lists-archived-agents", "agents/status/archive:not-listed", undefined],
    ["leaks-agents", "ambient:envelope/no-error-on-success", undefined],
    ["starts-at-version-1", "agents/create/name-only:version", undefined],
    ["never-counts", "ambient:rate-headers/remaining", undefined],
    ["answers-405", "ambient:transport/known-status", undefined],
  ]

  it.each(defects)("%s is found by %s", async (defect, check, profile) => {
    const report = await judge(defect, profile)
    expect(failures(report)).toContain(check)
  })
})
