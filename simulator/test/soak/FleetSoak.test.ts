import { expect, test } from "vitest"
import { soakFleet } from "../../soak/FleetSoak.ts"

test("processes that share a world keep its laws, whichever of them is killed or stands still, and come to rest", async () => {
  for (const seed of [1, 2]) {
    const report = await soakFleet(seed, true)
    expect([seed, report.faults]).toEqual([seed, []])
    expect(report.kills + report.pauses).toBeGreaterThan(0)
  }
})

test("processes that take turns share lines as one would, and a fleet is a function of its seed", async () => {
  const [first, second] = [await soakFleet(3, false), await soakFleet(3, false)]
  expect(first.faults).toEqual([])
  expect(second).toEqual(first)
})
