import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { put, raised } from "../../src/engine/rules/Put.ts"
import { sampleAgent } from "../../src/testing/Samples.ts"

const row = sampleAgent("org_test")

describe("a row that is put", () => {
  it("is one revision after the row that was read, whatever a rule has left in it, and is otherwise as the rule left it", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.string(), (was, left, display_name) => {
        const before = { ...row, revision: was }
        const after = { ...row, revision: left, display_name }
        expect(put("agent", before, after)).toEqual({ put: "agent", row: { ...after, revision: was + 1 } })
        expect(raised(before, raised(before, after)).revision).toBe(was + 1)
      }),
    )
  })

  it("is the first of its revisions where none was read", () => {
    expect(put("agent", null, { ...row, revision: 7 }).row.revision).toBe(1)
  })
})
