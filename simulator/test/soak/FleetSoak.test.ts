import { expect, test } from "vitest"
import { soakFleet } from "../../soak/FleetSoak.ts"

test("processes that share a world keep its laws, whichever of them is killed or stands still, and come to rest", async () => {
  for (const stutter of [true, false]) {
    const report = await soakFleet(1, { accidents: true, stutter })
    expect([stutter, report.faults]).toEqual([stutter, []])
    expect(report.kills + report.pauses).toBeGreaterThan(0)
  }
})

const interleaved = { accidents: false, stutter: true }

test("processes that take turns share lines as one would, and a fleet is a function of its seed", async () => {
  const [first, second] = [await soakFleet(3, interleaved), await soakFleet(3, interleaved)]
  expect(first.faults).toEqual([])
  expect(second).toEqual(first)
})
