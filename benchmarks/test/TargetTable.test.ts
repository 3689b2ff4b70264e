import { expect, test } from "vitest"
import type { Figure, Result } from "../src/Harness.ts"
import { reached, targetTable } from "../src/TargetTable.ts"
import { targets } from "../src/Targets.ts"

const figure = (contender: string, changes: Partial<Figure> = {}): Figure => ({
  contender,
  operationsPerSecond: 1,
  operationsPerCpuSecond: 1,
  bytesPerOperation: null,
  latency: null,
  ratio: 1,
  cpuRatio: 1,
  spread: 0,
  rounds: 5,
  errors: 0,
  mayErr: false,
  warmUp: { rounds: 6, operations: 6, steady: true },
  ...changes,
})

const result = (scenario: string, title: string, figures: ReadonlyArray<Figure>): Result => ({
  scenario,
  title,
  reference: "",
  figures,
  notes: [],
  othersCores: 0,
})

const rowOf = (figure: string, results: ReadonlyArray<Result>) => {
  const measured = Map.groupBy(results, ({ scenario }) => scenario)
  return targetTable(measured).find((line) => line.startsWith(figure))
}

test("what must be more and what must be less is reached from its own side", () => {
  const [more, less] = [
    { more: true, must: 10, aim: 20 },
    { more: false, must: 3, aim: 2 },
  ]
  expect([5, 10, 20].map((value) => reached(more, value))).toEqual(["0.50 × must", "must", "aim"])
  expect([6, 3, 2].map((value) => reached(less, value))).toEqual(["0.50 × must", "must", "aim"])
})

test("every figure has its line, measured or not", () => {
  const lines = targetTable(new Map())
  expect(lines).toHaveLength(targets.length + 1)
  expect(lines.filter((line) => line.endsWith("not measured"))).toHaveLength(targets.length - 1)
})

test("a cost is the inverse of a speed, of the larger of two sizes, of the contender that is meant", () => {
  const title = "calls of campaigns of ten contacts"
  const many = [figure("1 campaigns at a time"), figure("1,000 campaigns at a time", { cpuRatio: 0.5 })]
  expect(rowOf("a call with 1,000", [result("virtual-time", title, many)])).toMatch(
    /one +2 +1\.15 +1\.05 +× CPU +0\.57 × must$/,
  )
  const days = [600, 400].map((operationsPerCpuSecond) =>
    result("virtual-time", `a day of ${operationsPerCpuSecond}`, [
      figure("event heap and pure rules (limit)", { operationsPerCpuSecond: 99_999 }),
      figure("Carillon simulator, a day of 100 campaigns", { operationsPerCpuSecond }),
    ]),
  )
  expect(rowOf("day of campaigns with webhooks, all", days)).toContain("  400  ")
})

test("a small run has reached nothing, and errors are said", () => {
  const wrong = [result("soak", "events of random worlds", [figure("worlds of the soak", { errors: 1 })])]
  expect(rowOf("soak", wrong)).toMatch(/with errors$/)
  const fast = [result("gate", "on Redis, 32 in flight", [figure("Carillon", { operationsPerSecond: 99_999 })])]
  expect(rowOf("gate", fast)).toMatch(/ aim$/)
  expect(targetTable(new Map([["gate", fast]]), "small").find((line) => line.startsWith("gate"))).toMatch(
    /pairs\/s +small$/,
  )
})

test("the limiter's figure is its worst, and it is said where one was not steady", () => {
  const cold = { rounds: 40, operations: 1, steady: false }
  const row = rowOf("limiter on Redis against rate-limiter-flexible, 32", [
    result("limiter", "on Redis, 32 in flight: 1 key, below the ceiling", [figure("Carillon", { ratio: 1.4 })]),
    result("limiter", "on Redis, 32 in flight: 1,000 keys, below the ceiling", [
      figure("Carillon", { ratio: 1.1, warmUp: cold }),
    ]),
  ])
  expect(row).toMatch(/ 1\.1 +1 +1\.5 +× +must +not all steady$/)
})
