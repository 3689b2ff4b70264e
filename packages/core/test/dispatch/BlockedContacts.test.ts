import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { heldReasons, lineReasons } from "../../src/dispatch/rules/BlockedContacts.ts"

const sum = (some: ReadonlyArray<{ readonly contacts: number }>) =>
  some.reduce((all, { contacts }) => all + contacts, 0)

describe("why those who were held back are not dialled yet", () => {
  it("enters each of them once, whatever their batches count", () => {
    const figures = fc.record({ contacts: fc.nat(50), ofAgents: fc.nat(60), beforeDial: fc.nat(60) })
    fc.assert(
      fc.property(figures, (counted) => {
        const reasons = heldReasons({ ...counted, next_due: 9 })
        assert.strictEqual(sum(reasons), counted.contacts)
        assert.isTrue(reasons.every(({ contacts, until }) => contacts >= 0 && until === 9))
      }),
    )
  })

  it("is the agent of follow-ups first, then what they lacked before a dial, then the carrier", () => {
    const reasons = heldReasons({ contacts: 10, ofAgents: 3, beforeDial: 7, next_due: null })
    assert.deepStrictEqual(
      reasons.map(({ contacts, reason }) => [reason, contacts]),
      [
        ["agent_inactive", 3],
        ["cooldown", 4],
        ["carrier", 3],
      ],
    )
  })
})

describe("why those who could be dialled have no line", () => {
  const verdicts = ["floor", "borrow", "empty", "ceiling", "lines_full", "fair_share"] as const

  it("enters none of them twice", () => {
    const without = fc.nat(50).chain((dialable) =>
      fc.record({
        dialable: fc.constant(dialable),
        ofAgents: fc.nat(dialable),
        isPlatformFull: fc.boolean(),
        heldUntil: fc.constant(null),
      }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...verdicts), without, (verdict, given) => {
        const reasons = lineReasons(verdict, given)
        assert.isAtMost(sum(reasons), given.dialable)
        assert.isTrue(reasons.every(({ contacts }) => contacts >= 0))
      }),
    )
  })

  it("judges the platform's ceiling before the organization's, and an agent's first of all", () => {
    const entered = (verdict: (typeof verdicts)[number], isPlatformFull: boolean) =>
      lineReasons(verdict, { dialable: 5, ofAgents: 2, isPlatformFull, heldUntil: 9 })
        .filter(({ contacts }) => contacts > 0)
        .map(({ contacts, reason, until }) => [reason, contacts, until])
    assert.deepStrictEqual(entered("lines_full", true), [["platform_lines_full", 5, null]])
    assert.deepStrictEqual(entered("lines_full", false), [["organization_lines_full", 5, null]])
    assert.deepStrictEqual(entered("floor", false), [["agent_ceiling", 2, null]])
    assert.deepStrictEqual(entered("borrow", true), [
      ["agent_ceiling", 2, null],
      ["platform_lines_full", 3, null],
    ])
    assert.deepStrictEqual(entered("empty", true), [["carrier", 5, 9]])
  })
})
