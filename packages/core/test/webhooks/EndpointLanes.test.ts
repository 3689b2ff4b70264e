import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { EndpointLanes, type Place } from "../../src/webhooks/EndpointLanes.ts"

const place = (organization: string, endpoint: number, host = "h"): Place => ({
  organization,
  endpoint: `${organization}/${endpoint}`,
  host: `${organization}.${host}`,
})

/** A world in which attempts begin and end; who is called asks again, as a delivery does. */
class Endpoints {
  readonly lanes: EndpointLanes
  readonly running: Array<{ readonly id: string; readonly place: Place }> = []
  readonly ran: Array<string> = []
  readonly #places = new Map<string, { readonly place: Place; readonly isRetry: boolean }>()

  readonly bounds: { readonly perEndpoint: number; readonly atAll: number; readonly queue: number }

  constructor(bounds: Endpoints["bounds"]) {
    this.bounds = bounds
    this.lanes = new EndpointLanes(bounds)
  }

  enter(id: string, at: Place, isRetry = false): "run" | "queued" | "crowded" {
    this.#places.set(id, { place: at, isRetry })
    const free = this.bounds.atAll - this.running.length
    const organization = this.of(at.organization)
    const answer = this.lanes.enter(at, id, isRetry)
    if (answer === "run") {
      assert.isBelow(organization, free, "an organization has no more than is left")
      assert.isBelow(this.running.filter((each) => each.place.endpoint === at.endpoint).length, this.bounds.perEndpoint)
      this.running.push({ id, place: at })
      this.ran.push(id)
    }
    return answer
  }

  leave(nth: number): void {
    const [left] = this.running.splice(nth % this.running.length, 1)
    if (left === undefined) return
    const called = this.lanes.leave(left.place)
    const known = this.#places.get(called ?? "")
    if (called !== null && known !== undefined) this.enter(called, known.place, known.isRetry)
  }

  of(organization: string): number {
    return this.running.filter((each) => each.place.organization === organization).length
  }
}

const bounds = { perEndpoint: 4, atAll: 24, queue: 60 }

describe("places at endpoints", () => {
  it("are never more than so many, are each had once, and are had by everybody who waits as others leave", () => {
    const step = fc.record({
      organization: fc.constantFrom("a", "b", "c"),
      endpoint: fc.nat(3),
      host: fc.constantFrom("x", "y"),
      isRetry: fc.boolean(),
      leave: fc.option(fc.nat(100)),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const world = new Endpoints(bounds)
        const taken: Array<string> = []
        for (const [nth, { endpoint, host, isRetry, leave, organization }] of steps.entries()) {
          const id = `d${nth}`
          if (leave === null) {
            if (world.enter(id, place(organization, endpoint, `${host}${endpoint}`), isRetry) !== "crowded")
              taken.push(id)
          } else if (world.running.length > 0) world.leave(leave)
          assert.isAtMost(world.running.length, bounds.atAll)
        }
        while (world.running.length > 0) world.leave(0)
        assert.sameMembers(world.ran, taken)
      }),
    )
  })

  it("are free for whoever has none, whatever any number of others wants", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 3 }), (hogs, hosts) => {
        const atAll = 4_096
        const world = new Endpoints({ perEndpoint: 64, atAll, queue: 1_000_000 })
        for (let nth = 0; nth < atAll; nth++) {
          for (let hog = 0; hog < hogs; hog++) {
            const at = place(`hog${hog}`, nth % 80, String(nth % hosts))
            const id = `${hog}.${nth}`
            if (world.lanes.enter(at, id, false) === "run") world.running.push({ id, place: at })
          }
        }
        const left = atAll - world.running.length
        assert.isAtLeast(left, Math.floor(atAll / (hogs + 1)))
        for (let hog = 0; hog < hogs; hog++) {
          assert.isAtLeast(
            world.of(`hog${hog}`),
            Math.floor(atAll / (2 * hogs + 1)) - 1,
            "and nobody gets less than a share",
          )
        }
        assert.strictEqual(world.enter("new", place("newcomer", 0)), "run")
        if (hosts === 1) assert.strictEqual(world.enter("other", place("hog0", 99, "another")), "run")
      }),
      { numRuns: 10 },
    )
  })

  it("go round among those who always want more", () => {
    const world = new Endpoints({ perEndpoint: 64, atAll: 60, queue: 1_000_000 })
    let nth = 0
    const want = (organization: string) => {
      for (let count = 0; count < 400; count++) world.enter(`${organization}${nth++}`, place(organization, count % 5))
    }
    want("first")
    assert.strictEqual(world.of("first"), 20)
    want("second")
    for (let left = 0; left < 200; left++) world.leave(0)
    assert.approximately(world.of("first"), world.of("second"), 1)
  })

  it("are given to deliveries that were attempted before first", () => {
    const world = new Endpoints({ perEndpoint: 1, atAll: 24, queue: 60 })
    const at = place("a", 0)
    for (const id of ["running", "first", "second"]) world.enter(id, at)
    world.enter("retry", at, true)
    while (world.running.length > 0) world.leave(0)
    assert.deepStrictEqual(world.ran, ["running", "retry", "first", "second"])
  })

  it("leave room to wait for others, too", () => {
    const world = new Endpoints({ perEndpoint: 1, atAll: 24, queue: 60 })
    const answers = Array.from({ length: 40 }, (_, nth) => world.enter(`d${nth}`, place("a", 0)))
    assert.strictEqual(answers.filter((answer) => answer === "queued").length, 30)
    world.enter("other", place("b", 0))
    assert.strictEqual(world.enter("waits", place("b", 0)), "queued")
  })
})
