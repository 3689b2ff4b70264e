import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  currentWindow,
  everOpens,
  firstOpen,
  fromCallingGuard,
  fromWorkingHours,
  isOpen,
  nextWindow,
  parseClock,
  ringIn,
  weekdays,
  type DayHours,
  type WeeklyWindow,
} from "../../src/dispatch/rules/CallingWindow.ts"
import type { OpenWindow } from "../../src/dispatch/rules/Openings.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const daily = (timezone: string, start: string, end: string): WeeklyWindow =>
  Result.getOrThrow(fromCallingGuard({ timezone, start, end }))

const at = (text: string): number => Date.parse(text)

/** When a call rings instead; null where nothing is deferred, and infinity where that is never. */
const deferral = (windows: ReadonlyArray<WeeklyWindow>, execution: string, asked: number): number | null => {
  const ring = ringIn(windows, execution, asked)
  if (ring === null) return Infinity
  return ring.deferred ? ring.at : null
}

const shown = (opening: OpenWindow | null): readonly [string, string] | null =>
  opening && [new Date(opening.opens).toISOString().slice(0, 16), new Date(opening.closes).toISOString().slice(0, 16)]

/** Every minute of a stretch of time with what the clocks show, asked of Intl one by one. */
interface Walk {
  readonly zone: string
  readonly minutes: ReadonlyArray<{ readonly at: number; readonly wall: number }>
}

const walk = (zone: string, from: number, days: number): Walk => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  })
  const minutes = Array.from({ length: days * 1440 }, (_, index) => {
    const instant = from + index * minute
    const [month = 0, date = 0, year = 0, hours = 0, mins = 0] = format.format(instant).match(/\d+/g)?.map(Number) ?? []
    return { at: instant, wall: Date.UTC(year, month - 1, date, hours, mins) }
  })
  return { zone, minutes }
}

/** The rule read literally: a bound is the first minute at which the clocks show it, or the first one after it if they skip it. */
const openingsOf = ({ minutes }: Walk, window: WeeklyWindow): ReadonlyArray<OpenWindow> => {
  const first = (wall: number): number => minutes.find((each) => each.wall >= wall)?.at ?? Infinity
  const dates = [...new Set(minutes.map((each) => Math.floor(each.wall / day)))]
  const allDates = Array.from({ length: dates.at(-1)! - dates[0]! }, (_, index) => dates[0]! + 1 + index)
  return allDates.flatMap((date) => {
    const hours = window.days[(new Date(date * day).getUTCDay() + 6) % 7] ?? null
    if (hours === null) return []
    const opening = { opens: first(date * day + hours.start * minute), closes: first(date * day + hours.end * minute) }
    return opening.opens < opening.closes && opening.closes < Infinity ? [opening] : []
  })
}

/** Around a change of the clocks in each of the zones that are known to trap. */
const traps: ReadonlyArray<readonly [string, string]> = [
  ["America/New_York", "2026-03-06T00:00:00Z"],
  ["America/New_York", "2026-10-30T00:00:00Z"],
  ["Europe/London", "2026-03-27T00:00:00Z"],
  ["Europe/London", "2026-10-23T00:00:00Z"],
  ["America/Sao_Paulo", "2026-02-13T00:00:00Z"],
  ["Asia/Kolkata", "2026-03-06T00:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-01T12:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-02T12:00:00Z"],
  ["Africa/Cairo", "2026-04-21T20:00:00Z"],
  ["Africa/Cairo", "2026-10-27T20:00:00Z"],
  ["Pacific/Apia", "2011-12-28T08:00:00Z"],
  ["America/Nuuk", "2026-03-26T22:00:00Z"],
  ["America/Nuuk", "2026-10-22T22:00:00Z"],
  ["America/Santiago", "2026-09-03T04:00:00Z"],
  ["America/Santiago", "2026-04-02T04:00:00Z"],
  ["America/St_Johns", "2010-11-04T22:00:00Z"],
]

const hours: fc.Arbitrary<DayHours> = fc
  .tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 1440 }))
  .filter(([start, end]) => start < end)
  .map(([start, end]) => ({ start, end }))

/** Hours that begin or end where clocks usually change. */
const nightHours: fc.Arbitrary<DayHours> = fc
  .tuple(fc.constantFrom(0, 1, 30, 59, 60, 90, 119, 120, 130, 150, 1380, 1410), fc.integer({ min: 1, max: 200 }))
  .map(([start, length]) => ({ start, end: Math.min(1440, start + length) }))

const week = fc.array(fc.option(fc.oneof(hours, nightHours), { freq: 5 }), { minLength: 7, maxLength: 7 })

describe("the rule, minute by minute", () => {
  for (const [zone, from] of traps) {
    it(`holds in ${zone} from ${from.slice(0, 10)}`, () => {
      const walked = walk(zone, at(from), 5)
      const inside = walked.minutes.slice(1440, -1440)
      fc.assert(
        fc.property(week, (days) => {
          const window = { timezone: zone, days }
          const openings = openingsOf(walked, window)
          const holding = (instant: number): OpenWindow | null =>
            openings.find(({ opens, closes }) => opens <= instant && instant < closes) ?? null
          const wrong = inside.filter((each) => isOpen(window, each.at) !== (holding(each.at) !== null))
          expect(wrong.map((each) => new Date(each.at).toISOString())).toEqual([])
          for (let index = 0; index < inside.length; index += 37) {
            const instant = inside[index]!.at
            expect(currentWindow(window, instant)).toEqual(holding(instant))
            expect(isOpen(window, instant + minute - 1)).toBe(holding(instant) !== null)
            const next = openings.find(({ opens }) => opens > instant)
            if (next !== undefined) expect(nextWindow(window, instant)).toEqual(next)
          }
        }),
        { numRuns: 12 },
      )
    })
  }
})

describe("named examples", () => {
  const lengths: ReadonlyArray<readonly [string, string, string, string, number]> = [
    ["America/New_York", "01:00", "05:00", "2026-03-08T04:00:00Z", 180],
    ["America/New_York", "01:00", "05:00", "2026-11-01T04:00:00Z", 300],
    ["Australia/Lord_Howe", "01:00", "04:00", "2026-10-03T12:00:00Z", 150],
    ["Africa/Cairo", "00:00", "06:00", "2026-04-23T21:00:00Z", 300],
    ["Europe/London", "00:30", "03:00", "2026-10-24T22:00:00Z", 210],
    ["Asia/Kolkata", "09:00", "18:00", "2026-03-08T00:00:00Z", 540],
  ]
  for (const [zone, start, end, from, minutes] of lengths) {
    it(`${zone} ${start}-${end} after ${from} is ${minutes} minutes long`, () => {
      const next = nextWindow(daily(zone, start, end), at(from))!
      expect((next.closes - next.opens) / minute).toBe(minutes)
    })
  }

  it("moves a skipped bound to the first existing minute", () => {
    const early = daily("America/New_York", "02:30", "04:00")
    expect(shown(nextWindow(early, at("2026-03-08T05:00:00Z")))).toEqual(["2026-03-08T07:00", "2026-03-08T08:00"])
  })

  it("has no opening on a day on which the clocks skip all of its hours", () => {
    const gone = daily("America/New_York", "02:10", "02:50")
    expect(shown(nextWindow(gone, at("2026-03-08T05:00:00Z")))).toEqual(["2026-03-09T06:10", "2026-03-09T06:50"])
  })

  it("ends in the first pass of a repeated hour, and the second pass lies outside", () => {
    const early = daily("America/New_York", "01:00", "01:30")
    const opening = nextWindow(early, at("2026-11-01T04:00:00Z"))
    expect(shown(opening)).toEqual(["2026-11-01T05:00", "2026-11-01T05:30"])
    expect(isOpen(early, at("2026-11-01T05:15:00Z"))).toBe(true)
    expect(isOpen(early, at("2026-11-01T06:15:00Z"))).toBe(false)
  })

  it("begins in the first pass of a repeated hour and stays open through the second", () => {
    const late = daily("America/New_York", "01:30", "03:00")
    expect(shown(nextWindow(late, at("2026-11-01T04:00:00Z")))).toEqual(["2026-11-01T05:30", "2026-11-01T08:00"])
    expect(isOpen(late, at("2026-11-01T06:10:00Z"))).toBe(true)
  })

  it("skips the Friday that Samoa never had", () => {
    const fridays = Result.getOrThrow(
      fromCallingGuard({ timezone: "Pacific/Apia", start: "09:00", end: "17:00", days: [4] }),
    )
    expect(shown(nextWindow(fridays, at("2011-12-29T00:00:00Z")))).toEqual(["2012-01-05T19:00", "2012-01-06T03:00"])
  })

  it("is half-open", () => {
    const window = daily("UTC", "09:00", "17:00")
    expect(isOpen(window, at("2026-01-05T08:59:59.999Z"))).toBe(false)
    expect(isOpen(window, at("2026-01-05T09:00:00Z"))).toBe(true)
    expect(isOpen(window, at("2026-01-05T16:59:59.999Z"))).toBe(true)
    expect(isOpen(window, at("2026-01-05T17:00:00Z"))).toBe(false)
    expect(currentWindow(window, at("2026-01-05T17:00:00Z"))).toBeNull()
    expect(shown(nextWindow(window, at("2026-01-05T09:00:00Z")))).toEqual(["2026-01-06T09:00", "2026-01-06T17:00"])
  })

  it("counts days from Monday", () => {
    const mondays = Result.getOrThrow(fromCallingGuard({ timezone: "UTC", start: "00:00", end: "23:59", days: [0] }))
    expect(isOpen(mondays, at("2026-01-05T12:00:00Z"))).toBe(true)
    expect(isOpen(mondays, at("2026-01-04T12:00:00Z"))).toBe(false)
    expect(isOpen(mondays, at("1970-01-05T12:00:00Z"))).toBe(true)
    expect(isOpen(mondays, at("1969-12-29T12:00:00Z"))).toBe(true)
  })
})

describe("nextWindow and firstOpen", () => {
  const zone = fc.constantFrom("America/New_York", "Africa/Cairo", "Pacific/Apia", "America/Santiago", "UTC")
  const instant = fc.integer({ min: at("2026-01-01T00:00:00Z"), max: at("2027-01-01T00:00:00Z") })

  it("always find an opening where a day has hours, and never where none has", () => {
    fc.assert(
      fc.property(zone, week, instant, (timezone, days, from) => {
        const window = { timezone, days }
        const next = nextWindow(window, from)
        expect(next !== null).toBe(everOpens(window))
        expect(firstOpen(window, from)).toBe(isOpen(window, from) ? from : (next?.opens ?? null))
        if (next === null) return
        expect(next.opens).toBeGreaterThan(from)
        expect(isOpen(window, next.opens)).toBe(true)
        expect(isOpen(window, next.closes - 1)).toBe(true)
        expect(currentWindow(window, next.opens)).toEqual(next)
      }),
      { numRuns: 1000 },
    )
  })
})

describe("deferral", () => {
  const zone = fc.constantFrom("America/New_York", "Africa/Cairo", "Australia/Lord_Howe", "UTC")
  const instant = fc.integer({ min: at("2026-01-01T00:00:00Z"), max: at("2027-01-01T00:00:00Z") })

  it("lies in the next window, on whole seconds after its opening, never in its last five minutes, and is stable", () => {
    fc.assert(
      fc.property(zone, week, instant, fc.string(), (timezone, days, asked, execution) => {
        const window = { timezone, days }
        const deferred = deferral([window], execution, asked)
        expect(deferral([window], execution, asked)).toBe(deferred)
        const next = nextWindow(window, asked)
        if (isOpen(window, asked)) expect(deferred).toBeNull()
        else if (next === null) expect(deferred).toBe(Infinity)
        else if (next.closes - next.opens <= 5 * minute) expect(deferred).toBe(next.opens)
        else {
          expect(deferred).toBeGreaterThanOrEqual(next.opens)
          expect(deferred).toBeLessThan(next.closes - 5 * minute)
          expect((deferred! - next.opens) % 1000).toBe(0)
          expect(isOpen(window, deferred!)).toBe(true)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it("lies in the first minutes that all windows have in common", () => {
    const weeks = fc.array(fc.record({ timezone: zone, days: week }), { minLength: 2, maxLength: 3 })
    fc.assert(
      fc.property(weeks, instant, fc.string(), (windows, asked, execution) => {
        const deferred = deferral(windows, execution, asked)
        const isOpenAt = (time: number) => windows.every((window) => isOpen(window, time))
        expect(deferred === null).toBe(isOpenAt(asked))
        if (deferred === null) return
        // Windows open and close on whole minutes: so the first minute of them all, looked for minute by minute.
        const firstMinute = Math.floor(asked / minute) * minute + minute
        const first = Array.from({ length: 8 * 1440 }, (_, n) => firstMinute + n * minute).find(isOpenAt)
        if (first === undefined) return
        expect(isOpenAt(deferred)).toBe(true)
        expect(deferred).toBeGreaterThanOrEqual(first)
        for (let time = first; time < deferred; time += minute) expect(isOpenAt(time)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it("is none until the first of the windows closes", () => {
    const windows = [daily("UTC", "09:00", "12:00"), daily("Europe/Paris", "09:00", "12:00")]
    const asked = at("2026-01-05T10:00:00Z")
    expect(ringIn(windows, "exec_1", asked)).toEqual({ deferred: false, at: asked, until: at("2026-01-05T11:00:00Z") })
  })

  it("is for ever away where windows have nothing in common", () => {
    const windows = [daily("UTC", "09:00", "12:00"), daily("UTC", "12:00", "17:00")]
    expect(deferral(windows, "exec_1", at("2026-01-05T08:00:00Z"))).toBe(Infinity)
  })

  it("depends on the execution and the window, not on when it was asked", () => {
    const window = daily("Europe/London", "09:00", "17:00")
    const asked = [at("2026-06-01T16:00:00Z"), at("2026-06-01T23:59:59Z"), at("2026-06-02T07:59:59.999Z")]
    expect(new Set(asked.map((each) => deferral([window], "exec_1", each))).size).toBe(1)
  })

  it("spreads calls over the whole window", () => {
    const window = daily("UTC", "09:00", "10:05")
    const opens = at("2026-01-05T09:00:00Z")
    const counts = Array.from({ length: 60 }, () => 0)
    for (let n = 0; n < 6000; n++)
      counts[Math.floor((deferral([window], `exec_${n}`, opens - 1)! - opens) / minute)]! += 1
    for (const count of counts) expect(Math.abs(count - 100)).toBeLessThan(50)
  })

  it("gives the opening of a window of five minutes", () => {
    expect(deferral([daily("UTC", "09:00", "09:05")], "exec_1", at("2026-01-05T08:00:00Z"))).toBe(
      at("2026-01-05T09:00:00Z"),
    )
  })
})

describe("parseClock", () => {
  it("reads exactly the minutes of a day", () => {
    for (let minutes = 0; minutes < 1440; minutes++) {
      const text = `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`
      expect(parseClock(text)).toBe(minutes)
    }
  })

  it("refuses everything else", () => {
    for (const text of [
      "24:00",
      "9:00",
      "09:60",
      "09:00:00",
      "0900",
      " 09:00",
      "09:00\n",
      "9am",
      "09:00 AM",
      "٠٩:٠٠",
      "-1:00",
      "",
    ]) {
      expect([text, parseClock(text)]).toEqual([text, null])
    }
    fc.assert(
      fc.property(fc.string({ maxLength: 6 }), (text) => {
        expect(parseClock(text) !== null).toBe(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/.test(text))
      }),
    )
  })
})

describe("fromCallingGuard", () => {
  const guard = { timezone: "Europe/Paris", start: "09:00", end: "17:30" }
  const fieldOf = (result: Result.Result<unknown, { readonly field: string }>): string | undefined =>
    Result.isFailure(result) ? result.failure.field : undefined

  it("opens on the named days, on all days when none is named", () => {
    const open = { start: 540, end: 1050 }
    const every = { timezone: "Europe/Paris", days: [open, open, open, open, open, open, open] }
    expect(Result.getOrThrow(fromCallingGuard(guard))).toEqual(every)
    expect(Result.getOrThrow(fromCallingGuard({ ...guard, days: [] }))).toEqual(every)
    expect(Result.getOrThrow(fromCallingGuard({ ...guard, days: [6, 0, 0] })).days).toEqual([
      open,
      null,
      null,
      null,
      null,
      null,
      open,
    ])
  })

  it("names the field that is wrong", () => {
    expect(fieldOf(fromCallingGuard({ ...guard, timezone: "IST" }))).toBe("timezone")
    expect(fieldOf(fromCallingGuard({ ...guard, start: "9:00" }))).toBe("start")
    expect(fieldOf(fromCallingGuard({ ...guard, end: "24:00" }))).toBe("end")
    expect(fieldOf(fromCallingGuard({ ...guard, end: "09:00" }))).toBe("end")
    expect(fieldOf(fromCallingGuard({ ...guard, start: "22:00", end: "06:00" }))).toBe("end")
    for (const wrong of [7, -1, 1.5, Number.NaN]) {
      expect(fieldOf(fromCallingGuard({ ...guard, days: [0, wrong] }))).toBe("days[1]")
    }
  })
})

describe("fromWorkingHours", () => {
  const fieldOf = (hours: Parameters<typeof fromWorkingHours>[1]): string | undefined => {
    const result = fromWorkingHours("UTC", hours)
    return Result.isFailure(result) ? result.failure.field : undefined
  }

  it("closes the days that are left out or not enabled", () => {
    const window = Result.getOrThrow(
      fromWorkingHours("Asia/Kolkata", {
        monday: { start: "09:00", end: "18:00", enabled: true },
        wednesday: { start: "10:00", end: "12:00" },
        friday: { start: "09:00", end: "18:00", enabled: false },
        saturday: { enabled: false },
      }),
    )
    expect(window).toEqual({
      timezone: "Asia/Kolkata",
      days: [{ start: 540, end: 1080 }, null, { start: 600, end: 720 }, null, null, null, null],
    })
    expect(everOpens(Result.getOrThrow(fromWorkingHours("UTC", {})))).toBe(false)
  })

  it("names the field that is wrong", () => {
    expect(Result.isFailure(fromWorkingHours("Nowhere", {}))).toBe(true)
    expect(fieldOf({ monday: { end: "18:00" } })).toBe("monday.start")
    expect(fieldOf({ tuesday: { start: "09:00" } })).toBe("tuesday.end")
    expect(fieldOf({ sunday: { start: "09:00", end: "25:00" } })).toBe("sunday.end")
    expect(fieldOf({ sunday: { start: "18:00", end: "09:00" } })).toBe("sunday.end")
    expect(fieldOf({ sunday: { start: "9am", end: "18:00", enabled: false } })).toBe("sunday.start")
    expect(fieldOf({ sunday: { start: "00:00", end: "00:00", enabled: false } })).toBeUndefined()
    for (const weekday of weekdays) expect(fieldOf({ [weekday]: { start: "x", end: "y" } })).toBe(`${weekday}.start`)
  })
})
