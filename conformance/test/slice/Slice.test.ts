import { describe, expect, it } from "vitest"
import { runConformance } from "../../src/run/Conformance.ts"
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

const judge = (defect?: Defect): Promise<Report> =>
  runConformance({
    baseUrl: "http://slice.test",
    key,
    fetch: makeSlice(defect === undefined ? { key } : { key, defect }),
    only: served,
    knownFailing: elsewhere,
  })

const failures = (report: Report): ReadonlyArray<string> =>
  report.cases.flatMap(({ id, checks }) =>
    checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn").map((check) => `${id}:${check.id}`),
  )

/** What our own choices say of an implementation that made others: allowed, and told. */
const choices =
  /^(ambient:response\/|agents\/create\/name-only:id-prefix$|agents\/status\/(editing:archived-not-edited|archive:(again-)?(result|again))$)/

describe("an implementation that shares nothing with the engine", () => {
  it("holds at what it serves, and is warned only of choices that are ours", async () => {
    const report = await judge()
    expect(failures(report).filter((id) => !choices.test(id))).toEqual([])
    expect(report.outcome).toBe("holds")
    expect(report.cases.length).toBeGreaterThan(20)
  })

  const defects: ReadonlyArray<readonly [Defect, string]> = [
    ["accepts-any-scheme", "authentication/header/no-credential:basic"],
    ["checks-routes-before-keys", "authentication/order/before-everything:unknown-route"],
    ["honours-the-organization", "organization/binding/before-the-rest:unknown-resource"],
    ["lists-archived-agents", "agents/status/archive:not-listed"],
    ["leaks-agents", "ambient:envelope/no-error-on-success"],
    ["starts-at-version-1", "agents/create/name-only:version"],
    ["never-counts", "ambient:rate-headers/remaining"],
    ["answers-405", "routing/unknown/methods:delete/v2/user/me"],
  ]

  it.each(defects)("%s is found by %s", async (defect, check) => {
    const report = await judge(defect)
    expect(failures(report)).toContain(check)
  })
})
