import { assert, describe, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import { Desk } from "../../src/dispatch/Desk.ts"
import type { OpenLane } from "../../src/dispatch/rules/OpenLane.ts"

const lane = (dialable: number, lane_id = "lane"): OpenLane => ({
  lane_id,
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

describe("a lane that sets contacts aside", () => {
  const deskOf = (...ids: ReadonlyArray<string>) => {
    const desk = new Desk()
    desk.setLines(2, 0)
    for (const id of ids) desk.set(lane(1_000, id))
    return desk
  }

  /** Starts a call of whose turn it is, which ends at once. */
  const start = (desk: Desk): string | undefined => {
    const turn = desk.next()
    const known = desk.lanes.get(turn?.id ?? "")
    if (turn === null || known === undefined) return undefined
    desk.started(known, { batch_id: "bat", row: 0 })
    turn.take()
    desk.set({ ...known, used: 0 })
    desk.setLines(2, 0)
    return turn.id
  }

  it("keeps its turn, and after many lets others go first once and saves it", () => {
    const desk = deskOf("a", "b", "c")
    desk.setAside("a", limits.skippedTogether - 1)
    assert.strictEqual(desk.next()?.id, "a")
    desk.setAside("a", 1)
    const seen = Array.from({ length: 7 }, () => start(desk))
    assert.deepStrictEqual(seen, ["b", "c", "a", "a", "b", "c", "a"])
  })

  it("begins anew when it starts a call", () => {
    const desk = deskOf("a", "b")
    desk.setAside("a", limits.skippedTogether - 1)
    assert.strictEqual(start(desk), "a")
    assert.strictEqual(start(desk), "b")
    desk.setAside("a", limits.skippedTogether - 1)
    assert.strictEqual(desk.next()?.id, "a")
  })

  it("goes on where nobody else can have a line, and waits for one all the while", () => {
    const alone = deskOf("a")
    alone.setAside("a", limits.skippedTogether)
    assert.isTrue(alone.waiting)
    assert.strictEqual(alone.next()?.id, "a")
    const all = deskOf("a", "b")
    all.setAside("a", limits.skippedTogether)
    all.setAside("b", limits.skippedTogether)
    assert.strictEqual(all.next()?.id, "a")
  })

  it("lets the others have one line, not all that there are", () => {
    const desk = deskOf("a", "b")
    desk.setLines(20, 0)
    desk.setAside("a", limits.skippedTogether)
    const other = desk.lanes.get(desk.next()?.id ?? "")
    assert.strictEqual(other?.lane_id, "b")
    assert.strictEqual(other === undefined ? 0 : desk.inARow(other), 1)
  })

  it("does not come before those who were there when it comes back", () => {
    const desk = deskOf("a", "b")
    desk.setAside("a", limits.skippedTogether)
    desk.set(lane(0, "a"))
    assert.isTrue(desk.waiting)
    desk.set(lane(0, "b"))
    assert.isFalse(desk.waiting)
    desk.set(lane(5, "b"))
    desk.set(lane(5, "a"))
    assert.deepStrictEqual([start(desk), start(desk)], ["b", "a"])
  })
})
