import { assert, it } from "@effect/vitest"
import { sumOfRows } from "../../src/verification/TallyJudging.ts"

it("the tallies of batches together leave out what is counted of batches, and are none where one of them has moved", () => {
  const one = { "contact:completed": 2, "batch:active": 1, contacts: 5 }
  const other = { "contact:completed": 3, held: 1 }
  assert.deepStrictEqual(sumOfRows([one, other]), { "contact:completed": 5, held: 1 })
  assert.isNull(sumOfRows([one, null]))
  assert.deepStrictEqual(sumOfRows([]), {})
})
