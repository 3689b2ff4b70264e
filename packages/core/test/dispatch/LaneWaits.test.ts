import { assert, describe, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import { LaneWaits } from "../../src/dispatch/rules/LaneWaits.ts"

const now = 1_000

/** The carrier refuses so many contacts of the lane, each of them another one. */
const refuse = (waits: LaneWaits, contacts: number, at: number) => {
  for (let row = 0; row < contacts; row++) waits.refused("lane", { batch_id: "bat", row }, at)
}

describe("a lane whose contacts the carrier refuses", () => {
  it("waits once enough of them were refused, and not for one that always is", () => {
    const waits = new LaneWaits()
    for (let time = 0; time < 10; time++) waits.refused("lane", { batch_id: "bat", row: 0 }, now)
    assert.isUndefined(waits.paused.get("lane"))
    refuse(waits, limits.refusalsBeforeLaneWaits, now)
    assert.deepStrictEqual(waits.paused.get("lane"), { until: now + limits.holdMs, because: "carrier" })
  })

  it("waits longer each time, up to a bound, and starts anew once a call was taken", () => {
    const waits = new LaneWaits()
    const waited: Array<number> = []
    for (let time = 0; time < 12; time++) {
      refuse(waits, limits.refusalsBeforeLaneWaits, now)
      waited.push((waits.paused.get("lane")?.until ?? 0) - now)
      waits.goesOn("lane")
    }
    assert.deepStrictEqual(
      waited,
      waited.map((_, time) => Math.min(limits.holdMs * 2 ** time, limits.holdMaxMs)),
    )
    waits.accepted("lane")
    refuse(waits, limits.refusalsBeforeLaneWaits, now)
    assert.strictEqual(waits.paused.get("lane")?.until, now + limits.holdMs)
  })

  it("tries somebody first who is not held back, every other time and once", () => {
    const waits = new LaneWaits()
    const tries: Array<boolean> = []
    for (let time = 0; time < 4; time++) {
      refuse(waits, limits.refusalsBeforeLaneWaits, now)
      waits.goesOn("lane")
      tries.push(waits.triesUnheld("lane"))
      waits.tried("lane")
      assert.isFalse(waits.triesUnheld("lane"))
    }
    assert.deepStrictEqual(tries, [true, false, true, false])
  })
})
