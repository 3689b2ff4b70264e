import * as fc from "fast-check"
import { expect, it } from "vitest"
import { entrance } from "../src/Entrance.ts"

/** A door whose turns are ended by hand. */
const doorOf = (taken: number, ms = Infinity, now = () => 0) => {
  let due: Array<() => void> = []
  const door = entrance((turn) => void due.push(turn), { taken, ms }, now)
  const endTurn = () => {
    const now = due
    due = []
    // It never asks to be called twice, and not at all while there is nothing to wait for.
    expect(now.length).toBeLessThanOrEqual(1)
    for (const turn of now) turn()
    return now.length > 0
  }
  return { ...door, endTurn }
}

it("takes up everything, each one's own in order, so many in a turn at most, and at once while it may", () => {
  const turns = fc.array(fc.array(fc.constantFrom("a", "b", "nobody"), { maxLength: 9 }), { maxLength: 20 })
  fc.assert(
    fc.property(turns, fc.integer({ min: 1, max: 4 }), fc.nat(3), (coming, perTurn, each) => {
      const { endTurn, enter, know } = doorOf(perTurn)
      know("a", true)
      know("b", true)
      const done: Array<readonly [who: string, nth: number]> = []
      let came = 0
      let before = 0
      const come = (who: string) => {
        const nth = came++
        enter(who, () => {
          done.push([who, nth])
          // Some bring something else while they are taken up, as a body follows its head.
          if (nth % 5 === each) come(who)
        })
      }
      const turn = () => {
        expect(done.length - before).toBeLessThanOrEqual(perTurn)
        before = done.length
        return endTurn()
      }
      for (const names of coming) {
        for (const who of names) come(who)
        if (done.length - before < perTurn) expect(done.length).toBe(came)
        turn()
      }
      while (turn());
      expect(done).toHaveLength(came)
      for (const who of ["a", "b", "nobody"]) {
        const own = done.flatMap(([name, nth]) => (name === who ? [nth] : []))
        expect(own).toEqual(own.toSorted((a, b) => a - b))
      }
    }),
  )
})

it("takes up whoever is known in turn, however many come of one, and of strangers as of one", () => {
  const { endTurn, enter, know } = doorOf(2)
  const done: Array<string> = []
  know("noisy", true)
  know("quiet", true)
  for (let nth = 0; nth < 100; nth++) enter("noisy", () => done.push("noisy"))
  for (let nth = 0; nth < 100; nth++) enter(`stranger ${nth}`, () => done.push("stranger"))
  enter("quiet", () => done.push("quiet"))
  // Two were taken at once; one more of each of the others at most comes before it.
  for (let turns = 0; turns < 3; turns++) endTurn()
  expect(done.indexOf("quiet")).toBeLessThan(5)
  expect(done.indexOf("quiet")).toBeGreaterThan(0)
  // Who is refused loses the place.
  know("noisy", false)
  while (endTurn());
  expect(done).toHaveLength(201)
})

it("takes up no more in a turn that has lasted, one at least, and goes on in the next", () => {
  const takes = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 })
  fc.assert(
    fc.property(takes, fc.integer({ min: 1, max: 6 }), (lasting, ms) => {
      let at = 0
      const { endTurn, enter, know } = doorOf(8, ms, () => at)
      know("somebody", true)
      let spent: Array<number> = []
      let done = 0
      const turn = () => {
        // What one takes cannot be known before it is taken up, so a turn is longer than its bound by its last one alone.
        expect(spent.slice(0, -1).reduce((sum, each) => sum + each, 0)).toBeLessThan(ms)
        expect(spent.length).toBeLessThanOrEqual(8)
        spent = []
        const goesOn = endTurn()
        if (done < lasting.length && goesOn) expect(spent.length).toBeGreaterThan(0)
        return goesOn
      }
      for (const each of lasting) {
        enter("somebody", () => {
          at += each
          spent.push(each)
          done += 1
        })
      }
      while (turn());
      expect(done).toBe(lasting.length)
    }),
  )
})
