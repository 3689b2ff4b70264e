import { expect, test } from "vitest"
import { busy, machineMs, processTime, treeMs } from "../src/Machine.ts"

test("a process is read whatever it is called", () => {
  const stat = "42 (a (b) c) S 7 42 42 0 -1 4194560 1 2 3 4 50 6 10 20 20 0 1 0 9 9 9"
  expect(processTime(stat)).toEqual({ pid: 42, parent: 7, ms: 860 })
})

test("idle time, waiting for a disk and interrupts are nobody's", () => {
  expect(machineMs("cpu  1 2 4 1000 1000 1000 1000 8 0 0\ncpu0 9 9 9 9 9")).toBe(150)
})

test("to a process belong all that descend from it, and no others", () => {
  const processes = [
    { pid: 1, parent: 0, ms: 1_000 },
    { pid: 5, parent: 1, ms: 1 },
    { pid: 7, parent: 6, ms: 4 },
    { pid: 6, parent: 5, ms: 2 },
    { pid: 8, parent: 1, ms: 2_000 },
  ]
  expect(treeMs(processes, 5)).toBe(7)
})

test("a machine with load for each of its cores is busy", () => {
  expect(busy({ cores: 2, load: 0.5 })).toBeNull()
  expect(busy({ cores: 2, load: 0.6 })).toContain("0.60")
})
