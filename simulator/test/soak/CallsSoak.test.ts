import { assert, describe, it } from "vitest"
import { soakCalls } from "../../soak/CallsSoak.ts"

describe("random dials, stops, faults and jumps of the clock", () => {
  it.each([1, 2, 3, 84])(
    "leave no invariant broken, no line held and no call without an end (seed %i)",
    async (seed) => {
      const report = await soakCalls(seed)
      assert.deepEqual(report.faults, [])
    },
  )

  it("come to the same answers and ends when they are run again", async () => {
    const [first, second] = [await soakCalls(5), await soakCalls(5)]
    assert.deepEqual(second, first)
  })
})
