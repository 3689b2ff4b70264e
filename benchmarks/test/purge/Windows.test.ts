import { expect, test } from "vitest"
import { kindsOf, type Window } from "../../src/purge/Windows.ts"

const windows: ReadonlyArray<Window> = [
  { phase: "before", from: 0, to: 100 },
  { phase: "during", from: 100, to: 200 },
  { phase: "paused", from: 220, to: 300 },
  { phase: "during", from: 300, to: 400 },
]

const sample = (at: number, ms: number, customer = 0) => ({ name: "GET", customer, at, ms })

test("requests are counted in the window in which they were sent, those of several windows of one phase together", () => {
  const samples = [sample(0, 2), sample(99, 4), sample(100, 6), sample(399, 9), sample(210, 1_000), sample(400, 1_000)]
  const [kind] = kindsOf(samples, windows)
  expect(kind?.phases.before).toMatchObject({ count: 2, p50: 4, p99: 4, most: 4, slow: 0 })
  expect(kind?.phases.during).toMatchObject({ count: 2, most: 9, slow: 1 })
  expect(kind?.phases.paused.count).toBe(0)
})

test("what takes exactly twice the usual p99 is not slow", () => {
  const [kind] = kindsOf([sample(1, 5), sample(101, 10), sample(102, 10.1)], windows)
  expect(kind?.phases.during.slow).toBe(1)
})

test("each customer is looked at by itself", () => {
  const kinds = kindsOf([sample(1, 5), sample(2, 50, 1)], windows)
  expect(kinds.map(({ customer, phases }) => [customer, phases.before.most])).toEqual([
    [0, 5],
    [1, 50],
  ])
})
