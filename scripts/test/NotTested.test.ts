import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { closingOf } from "../NotTested.ts"

const root = dirname(dirname(import.meta.dirname))

const file = "packages/redis/test/Link.test.ts"
const titled = { file, title: "cannot be run: links (no redis-server can be had here)" }
const reasoned = { file, title: "finds what is there", reason: "cannot be run: there is no PostgreSQL server" }
const filtered = { file, title: "of another name" }

describe("what was skipped", () => {
  it("is told at the end of a run where it needs what is not there, and the run is green", () => {
    const { isFailure, lines } = closingOf([titled, reasoned, filtered], null)
    expect(isFailure).toBe(false)
    expect(lines).toEqual([
      `NOT TESTED  ${file} ${titled.title}`,
      `NOT TESTED  ${file} ${reasoned.title}: ${reasoned.reason}`,
      expect.stringMatching(/^2 NOT TESTED: what they need/),
    ])
    expect(closingOf([filtered], null)).toEqual({ lines: [], isFailure: false })
  })

  it("is a failure where one part alone may be missing, whatever it says", () => {
    for (const mayBeMissing of ["", "a document of nobody"]) {
      expect(closingOf([], mayBeMissing)).toEqual({ lines: [], isFailure: false })
      for (const each of [titled, reasoned, filtered]) {
        const { isFailure, lines } = closingOf([each], mayBeMissing)
        expect(isFailure).toBe(true)
        expect(lines.at(-1)).toMatch(/^1 NOT TESTED, and that is a failure/)
      }
    }
  })

  it("is told and no failure where it is the part that may be missing", () => {
    const { isFailure, lines } = closingOf([titled], "redis-server")
    expect([isFailure, lines.length]).toEqual([false, 2])
    expect(closingOf([titled, filtered], "redis-server").isFailure).toBe(true)
    expect(closingOf([{ file, title: "starts redis-server" }], "redis-server").isFailure).toBe(true)
  })
})

describe("tests", () => {
  it("that may be skipped say so in one way: one of the file cannot be run then, and says why", () => {
    const silent = globSync("{packages/*,simulator,conformance,benchmarks,docs,scripts}/test/**/*.ts", {
      cwd: root,
      exclude: ["**/node_modules/**"],
    }).filter((path) => {
      const content = readFileSync(join(root, path), "utf8")
      return /\b(?:skipIf|runIf)\(|\b(?:it|test|describe)\.skip\b/.test(content) && !content.includes("cannot be run: ")
    })
    expect(silent).toEqual([])
  })
})

describe("CI", () => {
  it("installs what tests need first, and takes no run for green in which something was not tested", () => {
    for (const name of ["ci", "release"]) {
      const workflow = readFileSync(join(root, `.github/workflows/${name}.yml`), "utf8")
      expect(workflow).toContain(`      CARILLON_MAY_BE_MISSING: "Telnyx's API document"\n`)
      const parts = workflow.indexOf("run: bash .ci/parts")
      expect(parts).toBeGreaterThan(0)
      expect(parts).toBeLessThan(workflow.indexOf("run: bash .ci/run"))
    }
  })
})
