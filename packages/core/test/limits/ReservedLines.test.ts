import { limits } from "@carillon/core"
import { assert, it } from "@effect/vitest"
import { reservedLine } from "../../src/limits/ReservedLines.ts"

const levels = [{ level: "platform", key: "platform", ceiling: 3 }] as const
const askedAt = Date.UTC(2026, 0, 5, 9)

it("a reservation lasts from the moment at which it was asked for, and holds at what was asked", () => {
  assert.deepStrictEqual(reservedLine({ _tag: "Acquired", fence: 7 }, levels, askedAt), {
    _tag: "Reserved",
    fence: 7,
    levels,
    until: askedAt + limits.reservationMs,
  })
})

it("a level that is full says how full it is, more than it may be as well", () => {
  const blocked = { _tag: "Blocked", level: "platform", used: 5, max: 3 } as const
  assert.deepStrictEqual(reservedLine(blocked, levels, askedAt), {
    _tag: "Full",
    level: "platform",
    figures: { used: 5, max: 3 },
  })
})
