import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { EndpointLanes, type Place } from "../../src/webhooks/rules/EndpointLanes.ts"

const place = (organization: string, endpoint: number, host = "h"): Place => ({
  organization,
  endpoint: `${organization}/${endpoint}`,
  host: `${organization}.${host}`,
})

const bounds = { perEndpoint: 4, atAll: 24, bytes: 100, queue: 60 }

/** A world in which attempts begin and end; who is called asks again, as a delivery does. */
class Endpoints {
  readonly lanes: EndpointLanes
  readonly running: Array<{ readonly id: string; readonly place: Place; readonly bytes: number }> = []
  readonly ran: Array<string> = []
  readonly #asked = new Map<string, { readonly place: Place; readonly isRetry: boolean; readonly bytes: number }>()

  readonly bounds: typeof bounds

  constructor(bounds: Endpoints["bounds"]) {
    this.bounds = bounds
    this.lanes = new EndpointLanes(bounds)
  }

  enter(id: string, at: Place, isRetry = false, bytes = 0): "run" | "queued" | "crowded" {
    this.#asked.set(id, { place: at, isRetry, bytes })
    const free = this.bounds.atAll - this.running.length
    const organization = this.of(at.organization)
    const freeBytes = this.bounds.bytes - this.bytesOf(() => true)
    const itsBytes = this.bytesOf((each) => each.organization === at.organization)
    const answer = this.lanes.enter(at, { delivery: id, isRetry, bytes })
    if (answer === "run") {
      assert.isBelow(organization, free, "an organization has no more than is left")
      assert.isAtMost(itsBytes + bytes, freeBytes, "and no more bytes than are left")
      assert.isBelow(this.running.filter((each) => each.place.endpoint === at.endpoint).length, this.bounds.perEndpoint)
      this.running.push({ id, place: at, bytes })
      this.ran.push(id)
      this.call(this.lanes.next())
    }
    return answer
  }

  /** Takes a place for what waits nowhere. */
  take(id: string, at: Place, bytes: number): void {
    const [free, own] = [this.bounds.atAll - this.running.length, this.of(at.organization)]
    if (!this.lanes.take(at, bytes)) return
    assert.isBelow(own, free, "an organization has no more than is left")
    this.running.push({ id, place: at, bytes })
  }

  /** Who is called asks again. */
  call(id: string | null): void {
    const asked = this.#asked.get(id ?? "")
    if (id !== null && asked !== undefined) this.enter(id, asked.place, asked.isRetry, asked.bytes)
  }

  leave(nth: number): void {
    const [left] = this.running.splice(nth % this.running.length, 1)
    if (left === undefined) return
    this.call(this.lanes.leave(left.place, left.bytes))
  }

  bytesOf(isMeant: (place: Place) => boolean): number {
    return this.running.reduce((sum, { bytes, place }) => sum + (isMeant(place) ? bytes : 0), 0)
  }

  of(organization: string): number {
    return this.running.filter((each) => each.place.organization === organization).length
  }
}

describe("places at endpoints", () => {
  it("are never more than so many, are each had once, and are had by everybody who waits as others leave", () => {
    const step = fc.record({
      organization: fc.constantFrom("a", "b", "c"),
      endpoint: fc.nat(3),
      host: fc.constantFrom("x", "y"),
      isRetry: fc.boolean(),
      waits: fc.boolean(),
      bytes: fc.oneof(fc.nat(5), fc.nat(100)),
      leave: fc.option(fc.nat(100)),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const world = new Endpoints(bounds)
        const taken: Array<string> = []
        for (const [nth, { bytes, endpoint, host, isRetry, leave, organization, waits }] of steps.entries()) {
          const id = `d${nth}`
          if (leave === null && !waits) world.take(id, place(organization, endpoint, `${host}${endpoint}`), bytes)
          else if (leave === null) {
            if (world.enter(id, place(organization, endpoint, `${host}${endpoint}`), isRetry, bytes) !== "crowded")
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
        const world = new Endpoints({ ...bounds, perEndpoint: 64, atAll, queue: 1_000_000 })
        for (let nth = 0; nth < atAll; nth++) {
          for (let hog = 0; hog < hogs; hog++) {
            const at = place(`hog${hog}`, nth % 80, String(nth % hosts))
            const id = `${hog}.${nth}`
            const asking = { delivery: id, isRetry: false, bytes: 0 }
            if (world.lanes.enter(at, asking) === "run") world.running.push({ id, place: at, bytes: 0 })
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

  it("have bytes for whoever has none, however many others send all that they may", () => {
    const all = 65_536
    const largest = 1_024
    const sizes = fc.array(fc.integer({ min: 256, max: largest }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), sizes, (hogs, bytes) => {
        const world = new Endpoints({ perEndpoint: 64, atAll: 4_096, bytes: all, queue: 1_000_000 })
        for (let nth = 0; nth < 256 * hogs; nth++) {
          const at = place(`hog${nth % hogs}`, nth, String(nth))
          world.enter(`hog${nth}`, at, false, bytes[Math.floor(nth / hogs) % bytes.length])
        }
        const share = Math.floor(all / (hogs + 1)) - 2 * largest
        assert.isAtLeast(all - world.bytesOf(() => true), share)
        for (let hog = 0; hog < hogs; hog++) {
          const its = world.bytesOf(({ organization }) => organization === `hog${hog}`)
          assert.isAtLeast(its, share / 2, "and nobody gets less than a share")
        }
        assert.strictEqual(world.enter("new", place("newcomer", 0), false, largest), "run")
      }),
      { numRuns: 20 },
    )
  })

  it("that one large body had are had by many small ones as it leaves", () => {
    const world = new Endpoints({ perEndpoint: 64, atAll: 24, bytes: 100, queue: 60 })
    world.enter("large", place("a", 0), false, 50)
    for (let nth = 0; nth < 5; nth++) world.enter(`small${nth}`, place("a", 0), false, 10)
    assert.deepStrictEqual(world.ran, ["large"])
    world.leave(0)
    assert.deepStrictEqual(world.ran, ["large", "small0", "small1", "small2", "small3"], "its host has its share")
  })

  it("go round among those who always want more", () => {
    const world = new Endpoints({ ...bounds, perEndpoint: 64, atAll: 60, queue: 1_000_000 })
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
    const world = new Endpoints({ ...bounds, perEndpoint: 1 })
    const at = place("a", 0)
    for (const id of ["running", "first", "second"]) world.enter(id, at)
    world.enter("retry", at, true)
    while (world.running.length > 0) world.leave(0)
    assert.deepStrictEqual(world.ran, ["running", "retry", "first", "second"])
  })

  it("leave room to wait for others, too", () => {
    const world = new Endpoints({ ...bounds, perEndpoint: 1 })
    const answers = Array.from({ length: 40 }, (_, nth) => world.enter(`d${nth}`, place("a", 0)))
    assert.strictEqual(answers.filter((answer) => answer === "queued").length, 30)
    world.enter("other", place("b", 0))
    assert.strictEqual(world.enter("waits", place("b", 0)), "queued")
  })
})
