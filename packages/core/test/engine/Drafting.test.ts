import { describe, expect, it } from "vitest"
import type { WakeupChange } from "../../src/engine/rules/Wakeup.ts"
import { draftOf } from "../../src/engine/steps/Drafting.ts"
import { Grounds } from "../../src/engine/steps/Grounds.ts"

const lookedAt = (looks: ReadonlyArray<WakeupChange>) => draftOf("org_test", [], new Grounds(), 0, looks).wakeups

describe("looks of one commit", () => {
  const looks: ReadonlyArray<WakeupChange> = [
    { set: { kind: "call", subject: "exec_one", at: 1 } },
    { set: { kind: "call", subject: "exec_one", at: 2 } },
    { set: { kind: "processing", subject: "exec_one", at: 1 } },
    { clear: { kind: "call", subject: "exec_one" } },
    { clear: { kind: "processing", subject: "exec_one" } },
    { set: { kind: "call", subject: "exec_two", at: 1 } },
  ]

  it("are all there where they differ by their kind, their subject, their time or what becomes of them, in their order", () => {
    expect(lookedAt(looks)).toEqual(looks)
  })

  it("are there once where several rows want the same one", () => {
    expect(lookedAt([...looks, ...looks.toReversed()])).toEqual(looks)
  })
})
