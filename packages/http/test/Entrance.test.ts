import * as fc from "fast-check"
import { expect, it } from "vitest"
import { entrance } from "../src/Entrance.ts"

it("takes up everything in order, so many in a turn at most, and at once while it may", () => {
  const turns = fc.array(fc.nat(9), { maxLength: 20 })
  fc.assert(
    fc.property(turns, fc.integer({ min: 1, max: 4 }), fc.nat(3), (coming, perTurn, each) => {
      let due: Array<() => void> = []
      const enter = entrance((turn) => void due.push(turn), perTurn)
      const done: Array<number> = []
      let came = 0
      let before = 0
      const come = () => {
        const nth = came++
        enter(() => {
          done.push(nth)
          // Some bring something else while they are taken up, as a body follows its head.
          if (nth % 5 === each) come()
        })
      }
      const endTurn = () => {
        expect(done.length - before).toBeLessThanOrEqual(perTurn)
        before = done.length
        const now = due
        due = []
        // It never asks to be called twice, and not at all while there is nothing to wait for.
        expect(now.length).toBeLessThanOrEqual(1)
        for (const turn of now) turn()
      }
      for (const count of coming) {
        for (let nth = 0; nth < count; nth++) come()
        if (done.length - before < perTurn) expect(done.length).toBe(came)
        endTurn()
      }
      while (due.length > 0) endTurn()
      expect(done).toEqual(Array.from({ length: came }, (_, nth) => nth))
    }),
  )
})
