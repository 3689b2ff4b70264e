import * as fc from "fast-check"
import { expect, it } from "vitest"
import { isCallable, type ZoneHours } from "../../src/callees/rules/CalleeHours.ts"
import { ringTime } from "../../src/calls/rules/PlaceCall.ts"

const minute = 60_000

const at = (text: string): number => Date.parse(text)

const everyDay = (timezone: string, start: number, end: number): ZoneHours => ({
  timezone,
  hours: { days: Array.from({ length: 7 }, () => [{ start: start * 60, end: end * 60 }]), holidays: [] },
})

const guard = { enabled: true, timezone: "Europe/Paris", start: "09:00", end: "18:00", days: [] }

it("lies in the first minutes at which the agent's window and all of the callee's hours are open", () => {
  const zone = fc.constantFrom("America/New_York", "Europe/London", "Asia/Kolkata", "Africa/Cairo")
  const hours = fc.record({ zone, start: fc.integer({ min: 0, max: 20 }), length: fc.integer({ min: 1, max: 12 }) })
  const moment = fc.integer({ min: 0, max: 6 * 1440 }).map((minutes) => at("2026-10-22T00:00:00Z") + minutes * minute)
  fc.assert(
    fc.property(fc.array(hours, { minLength: 1, maxLength: 2 }), moment, fc.string(), (some, asked, execution) => {
      const callee = some.map((each) => everyDay(each.zone, each.start, Math.min(24, each.start + each.length)))
      const ring = ringTime([{ calling_guard: guard }], execution, asked, callee)
      const own = everyDay(guard.timezone, 9, 18)
      const isOpenAt = (time: number) => isCallable([own, ...callee], time)
      const looked = 3 * 1440
      const first = Array.from({ length: looked }, (_, nth) => asked + nth * minute).find(isOpenAt)
      if (first === undefined || ring === null) {
        // Some are open together only in the week between two changes of the clocks.
        expect(first).toBeUndefined()
        expect(ring === null || ring.at >= asked + looked * minute).toBe(true)
        return
      }
      expect(ring.deferred).toBe(first !== asked)
      if (!ring.deferred) {
        const closes = Math.min(ring.until, asked + looked * minute)
        for (let time = asked; time < closes; time += minute) expect(isOpenAt(time)).toBe(true)
        expect(isOpenAt(ring.until)).toBe(false)
      }
      expect(ring.at).toBeGreaterThanOrEqual(first)
      for (let time = first; time < ring.at; time += minute) expect(isOpenAt(time)).toBe(true)
      expect(isOpenAt(ring.at)).toBe(true)
    }),
    { numRuns: 150 },
  )
})

it("is the time that was asked for where neither binds", () => {
  expect(ringTime([{ calling_guard: null }], "exe_1", 5, [])).toEqual({ at: 5, deferred: false, until: Infinity })
})

it("is the very moment at which all open", () => {
  const asked = at("2026-11-24T08:00:00Z")
  expect(ringTime([{ calling_guard: guard }], "exe_1", asked, [])).toEqual({
    at: asked,
    deferred: false,
    until: at("2026-11-24T17:00:00Z"),
  })
  expect(ringTime([{ calling_guard: null }], "exe_1", asked, [everyDay("UTC", 8, 9)])).toEqual({
    at: asked,
    deferred: false,
    until: at("2026-11-24T09:00:00Z"),
  })
})

it("is looked for beyond the three weeks of a window, where a holiday calendar closes for longer", () => {
  const holidays = Array.from({ length: 40 }, (_, nth) => ({
    kind: "once" as const,
    date: new Date(at("2026-11-24") + nth * 1440 * minute).toISOString().slice(0, 10),
  }))
  const each = everyDay("UTC", 8, 9)
  const callee = [{ ...each, hours: { ...each.hours, holidays } }]
  const ring = ringTime(
    [{ calling_guard: { ...guard, timezone: "UTC", start: "08:00", end: "08:05" } }],
    "exe_1",
    at("2026-11-24"),
    callee,
  )
  expect(new Date(ring?.at ?? 0).toISOString()).toBe("2027-01-03T08:00:00.000Z")
})
