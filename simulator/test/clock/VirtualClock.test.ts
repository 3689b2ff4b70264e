import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseClock } from "../../src/clock/ClockText.ts"
import { type ClockMode, VirtualClock } from "../../src/clock/VirtualClock.ts"

const clockAt = (mode: ClockMode) => {
  let real = 500
  const clock = new VirtualClock(1_000, mode, () => real)
  return {
    clock,
    wait: (ms: number) => {
      real += ms
    },
  }
}

test("time stands still until it is moved, whatever the stopwatch says", () => {
  const { clock, wait } = clockAt({ mode: "realtime" })
  wait(250)
  expect([clock.now(), clock.target()]).toEqual([1_000, 1_250])
  clock.advanceTo(clock.target())
  expect(clock.now()).toBe(1_250)
})

test("a scaled clock is as many times as fast, and knows how long to sleep", () => {
  const { clock, wait } = clockAt({ mode: "scaled", speed: 60 })
  wait(10)
  expect(clock.target()).toBe(1_600)
  expect(clock.realMsUntil(4_000)).toBe(40)
  expect(clock.realMsUntil(0)).toBe(0)
})

test("a manual clock has no target but itself", () => {
  const { clock, wait } = clockAt({ mode: "manual" })
  wait(10_000)
  expect([clock.target(), clock.speed, clock.realMsUntil(1_001)]).toEqual([1_000, 0, Infinity])
})

test("whatever the modes and the waits, time is whole, never falls back, and goes on where it was", () => {
  const mode = fc.oneof(
    fc.constant<ClockMode>({ mode: "realtime" }),
    fc.constant<ClockMode>({ mode: "manual" }),
    fc.double({ min: 0.001, max: 1_000_000, noNaN: true }).map((speed): ClockMode => ({ mode: "scaled", speed })),
  )
  const wait = fc.double({ min: 0, max: 100_000, noNaN: true })
  fc.assert(
    fc.property(fc.array(fc.tuple(mode, wait, fc.boolean())), (steps) => {
      const { clock, wait } = clockAt({ mode: "realtime" })
      let before = clock.now()
      for (const [next, ms, sync] of steps) {
        wait(ms)
        if (sync) clock.advanceTo(clock.target())
        const now = clock.now()
        expect(Number.isSafeInteger(now) && now >= before).toBe(true)
        clock.setMode(next)
        expect(clock.target()).toBe(now)
        before = now
      }
    }),
  )
})

describe("the words for it", () => {
  test.each([
    ["realtime", { mode: "realtime" }],
    ["manual", { mode: "manual" }],
    ["scaled:60", { mode: "scaled", speed: 60 }],
    ["scaled:0.5", { mode: "scaled", speed: 0.5 }],
    ["scaled", null],
    ["scaled:0", null],
    ["scaled:-1", null],
    ["scaled:1e9", null],
    ["Manual", null],
  ])("%s", (text, mode) => {
    expect(parseClock(text)).toEqual(mode)
  })
})
