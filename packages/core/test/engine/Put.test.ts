import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { put, raised } from "../../src/engine/rules/Put.ts"
import { sampleAgent, sampleCall } from "../../src/testing/Samples.ts"

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

  it("is the same where rows of its kind are copied in a place of their own", () => {
    const after = sampleCall("org_test", { revision: 7, call_sid: "leg" })
    expect(put("call", after, after)).toEqual({ put: "call", row: raised(after, after) })
    expect(put("call", null, after)).toEqual({ put: "call", row: raised(null, after) })
  })

  it("is the first of its revisions where none was read", () => {
    expect(put("agent", null, { ...row, revision: 7 }).row.revision).toBe(1)
  })
})
