import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { answersToClose, type BreakerState, closed, observe, timeoutsToOpen } from "../src/Breaker.ts"

const after = (answers: ReadonlyArray<boolean>): BreakerState => answers.reduce(observe, closed)

describe("the breaker", () => {
  it("opens after time-outs in a row alone, and closes after answers in a row alone", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean()), (answers) => {
        // The rule again, over the history instead of a state.
        let open = false
        let row = 0
        for (const answered of answers) {
          row = answered === open ? row + 1 : 0
          if (row === (open ? answersToClose : timeoutsToOpen)) {
            open = !open
            row = 0
          }
        }
        assert.strictEqual(after(answers).open, open)
      }),
    )
  })

  it("does not flap where every other answer is late", () => {
    const late = Array.from({ length: 50 }, (_, n) => n % 2 === 0)
    assert.isFalse(after(late).open)
    assert.isTrue(after([false, false, false, ...late]).open)
  })
})
