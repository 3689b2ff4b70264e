import { expect, test } from "vitest"
import { allocated } from "../src/Allocated.ts"

test("what is allocated counts, also when it was collected long ago", async () => {
  const each = 1_000_000
  const times = 300
  let length = 0
  const { bytes = 0 } = await allocated(() => {
    for (let nth = 0; nth < times; nth++) length += Array.from({ length: each / 8 }, () => nth).length
    return { operations: times }
  })
  expect(length).toBe((times * each) / 8)
  expect(bytes / times).toBeGreaterThan(0.9 * each)
  expect(bytes / times).toBeLessThan(1.5 * each)
})
