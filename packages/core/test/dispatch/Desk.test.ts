import { assert, describe, it } from "@effect/vitest"
import { Desk, type OpenLane } from "../../src/dispatch/Desk.ts"

const lane = (dialable: number): OpenLane => ({
  lane_id: "lane",
  campaign: null,
  batches: new Map(),
  in_hours: true,
  hours: { setting: null, expect: [] },
  marks: null,
  ceiling: null,
  used: 0,
  dialable,
})

/** A lane that waited for an agent, which has a line again. */
const waited = () => {
  const desk = new Desk()
  const known = lane(1)
  desk.setLines(10, 0)
  desk.set(known)
  desk.agents.fill("agent", 1)
  desk.agents.waitFor(known, ["agent"])
  assert.isNull(desk.next())
  desk.agents.unblock("agent")
  assert.strictEqual(desk.next()?.id, "lane")
  return desk
}

describe("a lane that waited for an agent", () => {
  it("waits again when others have taken its line", () => {
    const desk = waited()
    desk.agents.fill("agent", 1)
    assert.isNull(desk.next())
  })

  it("asks where it has changed since: a contact may have come due for another agent", () => {
    const desk = waited()
    desk.set(lane(2))
    desk.agents.fill("agent", 1)
    assert.strictEqual(desk.next()?.id, "lane")
  })
})

describe("a contact that is passed over", () => {
  it("counts once, however often its agent had a line in vain", () => {
    const desk = new Desk()
    const known = lane(3)
    desk.setLines(10, 0)
    desk.set(known)
    for (let look = 0; look < 5; look++) {
      desk.agents.fill("agent", 1)
      desk.agents.passOver(known, { batch_id: "bat", row: 0 }, "agent")
      desk.agents.passOver(known, { batch_id: "bat", row: 1 }, "agent")
      desk.agents.unblock("agent")
      assert.isEmpty(desk.agents.passedOver("lane"))
    }
    desk.agents.fill("agent", 1)
    assert.deepStrictEqual(
      desk.agents.passedOver("lane").map(({ row }) => row),
      [0, 1],
    )
  })

  it("is asked for anew once the lane's calls are routed otherwise, though its agent has no line yet", () => {
    const desk = new Desk()
    const known = lane(3)
    desk.setLines(10, 0)
    desk.set(known)
    desk.agents.fill("agent", 1)
    desk.agents.routed(known, "1")
    desk.agents.passOver(known, { batch_id: "bat", row: 0 }, "agent")
    desk.agents.waitFor(known, ["agent"])
    desk.agents.routed(known, "1")
    assert.isNull(desk.next())
    assert.lengthOf(desk.agents.passedOver("lane"), 1)
    desk.agents.routed(known, "2")
    assert.strictEqual(desk.next()?.id, "lane")
    assert.isEmpty(desk.agents.passedOver("lane"))
  })
})

describe("a lane that waits for the carrier", () => {
  const refusedThrice = () => {
    const desk = new Desk()
    desk.set(lane(5))
    for (const row of [0, 1, 2]) desk.waits.refused("lane", { batch_id: "bat", row }, 1_000)
    return desk
  }

  it("is looked at as soon as the carrier is there again, and waits no longer", () => {
    const desk = refusedThrice()
    assert.isAbove(desk.waits.paused.get("lane")?.until ?? 0, 2_000)
    assert.isTrue(desk.carrierIsBack(2_000))
    assert.strictEqual(desk.waits.paused.get("lane")?.until, 2_000)
    assert.strictEqual(desk.due.popDue(2_000)?.value, "lane")
    assert.isFalse(desk.carrierIsBack(2_000))
  })

  it("waits for a wallet as before", () => {
    const desk = refusedThrice()
    desk.waits.paused.set("lane", { until: 9_000, because: "wallet" })
    assert.isFalse(desk.carrierIsBack(2_000))
    assert.strictEqual(desk.waits.paused.get("lane")?.until, 9_000)
  })
})
