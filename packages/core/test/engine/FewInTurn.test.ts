import { FewInTurn } from "@carillon/core/ports"
import * as fc from "fast-check"
import { expect, it } from "vitest"

/** Turns that are ended by hand. */
const turnsOf = (taken: number, ms = Infinity, now = () => 0) => {
  let due: Array<() => void> = []
  const turns = new FewInTurn({ now, afterTurn: (turn) => void due.push(turn) }, { taken, ms })
  const enter = (party: string, work: () => void) => turns.enter(party, work)
  const endTurn = () => {
    const now = due
    due = []
    // It never asks to be called twice, and not at all while there is nothing to wait for.
    expect(now.length).toBeLessThanOrEqual(1)
    for (const turn of now) turn()
    return now.length > 0
  }
  return { enter, endTurn }
}

it("begins everything, each one's own in order, so many in a turn at most, and at once while it may", () => {
  const turns = fc.array(fc.array(fc.constantFrom("a", "b", "nobody"), { maxLength: 9 }), { maxLength: 20 })
  fc.assert(
    fc.property(turns, fc.integer({ min: 1, max: 4 }), fc.nat(3), (coming, perTurn, each) => {
      const { endTurn, enter } = turnsOf(perTurn)
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

it("begins no more in a turn that has lasted, one at least, and goes on in the next", () => {
  const takes = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 })
  fc.assert(
    fc.property(takes, fc.integer({ min: 1, max: 6 }), (lasting, ms) => {
      let at = 0
      const { endTurn, enter } = turnsOf(8, ms, () => at)
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
