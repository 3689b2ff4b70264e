import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  callableFrom,
  type CalleeHours,
  calleeOpenings,
  type CountryHours,
  isCallable,
  stretchAt,
  type ZoneHours,
  zoneHoursOf,
} from "../../src/callees/rules/CalleeHours.ts"
import type { Holiday } from "../../src/callees/rules/Holidays.ts"
import type { DayHours } from "../../src/dispatch/rules/CallingWindow.ts"
import { commonOpening, type OpenWindow } from "../../src/dispatch/rules/Openings.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const at = (text: string): number => Date.parse(text)

/** What the clocks of a zone show, minute by minute, asked of Intl one by one. */
interface Minute {
  readonly at: number
  readonly wall: number
}

const walkedDays = 6

/** No zone changes its clocks twice within it. */
const stepMinutes = 15

/** Intl is asked at each step, and within a step only where the clocks have not gone on as long as it is. */
const walk = (zone: string, from: number): ReadonlyArray<Minute> => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  })
  const wallAt = (instant: number): number => {
    const [month = 0, date = 0, year = 0, hours = 0, mins = 0] = format.format(instant).match(/\d+/g)?.map(Number) ?? []
    return Date.UTC(year, month - 1, date, hours, mins)
  }
  const step = stepMinutes * minute
  return Array.from({ length: (walkedDays * 1440) / stepMinutes }, (_, nth) => from + nth * step).flatMap((begin) => {
    const wall = wallAt(begin)
    const isEven = wallAt(begin + step) === wall + step
    return Array.from({ length: stepMinutes }, (_, index) => {
      const at = begin + index * minute
      return { at, wall: isEven ? wall + index * minute : wallAt(at) }
    })
  })
}

/** The rule of holidays read literally, of one date by itself. */
const isClosed = (holiday: Holiday, date: Date): boolean => {
  const is = (each: Date, month: number, of: number) => each.getUTCMonth() + 1 === month && each.getUTCDate() === of
  const beside = (days: number) => new Date(date.getTime() + days * day)
  switch (holiday.kind) {
    case "once":
      return date.toISOString().startsWith(holiday.date)
    case "yearly": {
      const { day: of, month, observed } = holiday
      if (is(date, month, of)) return true
      if (observed !== true) return false
      return (
        (date.getUTCDay() === 5 && is(beside(1), month, of)) || (date.getUTCDay() === 1 && is(beside(-1), month, of))
      )
    }
    case "easter":
      return date.getTime() === at("2026-04-05") + holiday.days * day
    case "weekday": {
      const { month, nth, weekday } = holiday
      if (date.getUTCMonth() + 1 !== month || (date.getUTCDay() + 6) % 7 !== weekday) return false
      return nth === -1 ? beside(7).getUTCMonth() + 1 !== month : Math.ceil(date.getUTCDate() / 7) === nth
    }
  }
}

/** The rule of hours read literally: a bound is the first minute at which the clocks show it, or the first one after it if they skip it. */
const openingsOf = (minutes: ReadonlyArray<Minute>, { days, holidays }: CountryHours): ReadonlyArray<OpenWindow> => {
  // Clocks that were put back show what they have shown before: a bound is where they show it first.
  const first = (wall: number): number => minutes.find((each) => each.wall >= wall)?.at ?? Infinity
  const dates = minutes.map((each) => Math.floor(each.wall / day))
  const wholeDates = Array.from({ length: dates.at(-1)! - dates[0]! }, (_, index) => dates[0]! + 1 + index)
  return wholeDates.flatMap((date) => {
    const midnight = new Date(date * day)
    if (holidays.some((holiday) => isClosed(holiday, midnight))) return []
    return (days[(midnight.getUTCDay() + 6) % 7] ?? [])
      .map(({ end, start }) => ({
        opens: first(date * day + start * minute),
        closes: first(date * day + end * minute),
      }))
      .filter(({ closes, opens }) => opens < closes)
  })
}

/** Around the changes of the clocks in some of the zones. */
const traps = [
  "2026-03-05T00:00:00Z",
  "2026-03-26T00:00:00Z",
  "2026-04-02T00:00:00Z",
  "2026-04-21T00:00:00Z",
  "2026-09-03T00:00:00Z",
  "2026-10-01T00:00:00Z",
  "2026-10-22T00:00:00Z",
  "2026-10-29T00:00:00Z",
  "2026-12-28T00:00:00Z",
]

const zones = [
  "America/New_York",
  "America/Los_Angeles",
  "America/St_Johns",
  "America/Santiago",
  "America/Nuuk",
  "Europe/London",
  "Africa/Cairo",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
]

/** Openings of a day in order and apart, some of them at midnight and where clocks usually change. */
const openings: fc.Arbitrary<ReadonlyArray<DayHours>> = fc
  .uniqueArray(fc.oneof(fc.integer({ min: 0, max: 1440 }), fc.constantFrom(0, 1, 60, 120, 130, 180, 1380, 1440)), {
    maxLength: 6,
  })
  .map((bounds) => {
    const sorted = bounds.toSorted((a, b) => a - b)
    return Array.from({ length: Math.floor(sorted.length / 2) }, (_, nth) => ({
      start: sorted[2 * nth]!,
      end: sorted[2 * nth + 1]!,
    }))
  })

const wide: fc.Arbitrary<ReadonlyArray<DayHours>> = fc.constantFrom(
  [{ start: 0, end: 1440 }],
  [
    { start: 0, end: 780 },
    { start: 840, end: 1440 },
  ],
)

const holidayNear = (from: number): fc.Arbitrary<Holiday> => {
  const date = fc.integer({ min: 0, max: walkedDays }).map((days) => new Date(from + days * day))
  return fc.oneof(
    date.map((one): Holiday => ({ kind: "once", date: one.toISOString().slice(0, 10) })),
    fc.tuple(date, fc.boolean()).map(([one, observed]): Holiday => {
      return { kind: "yearly", month: one.getUTCMonth() + 1, day: one.getUTCDate(), observed }
    }),
    fc.integer({ min: -9, max: 50 }).map((days): Holiday => ({ kind: "easter", days })),
    fc.tuple(date, fc.constantFrom(1, 2, 3, 4, 5, -1)).map(([one, nth]): Holiday => {
      return { kind: "weekday", month: one.getUTCMonth() + 1, weekday: (one.getUTCDay() + 6) % 7, nth }
    }),
  )
}

const hoursNear = (from: number): fc.Arbitrary<CountryHours> =>
  fc.record({
    days: fc.array(fc.oneof({ weight: 2, arbitrary: openings }, { weight: 3, arbitrary: wide }), {
      minLength: 7,
      maxLength: 7,
    }),
    holidays: fc.array(holidayNear(from), { maxLength: 2 }),
  })

describe("the rule, minute by minute", () => {
  for (const trap of traps) {
    it(`holds in several zones from ${trap.slice(0, 10)}`, () => {
      const from = at(trap)
      const walked = new Map(zones.map((zone) => [zone, walk(zone, from)]))
      const binding = fc.array(fc.record({ timezone: fc.constantFrom(...zones), hours: hoursNear(from) }), {
        minLength: 1,
        maxLength: 3,
      })
      fc.assert(
        fc.property(binding, (all) => {
          const openings = all.map(({ hours, timezone }) => openingsOf(walked.get(timezone)!, hours))
          const holding = (instant: number): OpenWindow | null => {
            const some = openings.map((each) => each.find(({ closes, opens }) => opens <= instant && instant < closes))
            if (some.some((each) => each === undefined)) return null
            return {
              opens: Math.max(...some.map((each) => each!.opens)),
              closes: Math.min(...some.map((each) => each!.closes)),
            }
          }
          // The days at both ends are not whole in every zone.
          const inside = Array.from({ length: (walkedDays - 3) * 1440 }, (_, index) => from + day + index * minute)
          const held = inside.map(holding)
          const wrong = inside.filter((instant, index) => isCallable(all, instant) !== (held[index] !== null))
          expect(wrong.map((instant) => new Date(instant).toISOString())).toEqual([])
          for (let index = 0; index < inside.length; index += 97) {
            const instant = inside[index]!
            const next = held.findIndex((each, other) => other >= index && each !== null)
            const found = callableFrom(all, instant)
            if (next >= 0) expect(found).toEqual(held[next])
            else expect(found === null || found.opens > inside.at(-1)!).toBe(true)
            const stretch = stretchAt(all, instant + minute - 1)
            expect(stretch.isOpen).toBe(held[index] !== null)
            expect(stretch.until).toBeGreaterThan(instant + minute - 1)
            const change = held.findIndex((each, other) => other >= index && (each !== null) !== stretch.isOpen)
            if (change >= 0) expect(stretch.until).toBeLessThanOrEqual(inside[change]!)
          }
        }),
        { numRuns: 15 },
      )
    })
  }
})

const quarters = [
  ...zones,
  "UTC",
  "Asia/Kathmandu",
  "Asia/Calcutta",
  "Pacific/Chatham",
  "Pacific/Apia",
  "Europe/Paris",
  "Europe/Berlin",
]

/** Short openings that some clocks have together and others never do. */
const brief: fc.Arbitrary<ReadonlyArray<DayHours>> = fc
  .tuple(fc.constantFrom(0, 15, 30, 45), fc.constantFrom(1, 16, 60, 300), fc.constantFrom(60, 330, 480))
  .map(([begin, length, apart]) =>
    Array.from({ length: 8 }, (_, nth) => ({ start: begin + nth * apart, end: begin + nth * apart + length })).filter(
      ({ end, start }, nth, all) => end <= (all[nth + 1]?.start ?? 1440) && start < 1440 && end <= 1440,
    ),
  )

/** Some hours that several zones have, as they do of which a setting says nothing. */
const sharedHours: fc.Arbitrary<ReadonlyArray<ZoneHours>> = fc
  .array(
    fc.record({
      days: fc.array(fc.oneof(brief, openings, wide), { minLength: 7, maxLength: 7 }),
      holidays: fc.array(holidayNear(at("2026-10-20")), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 2 },
  )
  .chain((some) =>
    fc.array(fc.record({ timezone: fc.constantFrom(...quarters), hours: fc.constantFrom(...some) }), {
      minLength: 1,
      maxLength: 9,
    }),
  )

describe("what many zones have in common", () => {
  it("is what one finds who goes from the openings of each to those of the others", () => {
    const instants = fc.integer({ min: at("2026-08-20") / minute, max: at("2027-01-10") / minute })
    fc.assert(
      fc.property(sharedHours, fc.array(instants, { minLength: 1, maxLength: 6 }), (binding, minutes) => {
        const each = binding.map((one) => (from: number) => callableFrom([one], from))
        for (const nth of minutes) {
          const from = nth * minute
          const until = from + 62 * day
          const found = commonOpening(each, from, until)
          expect(callableFrom(binding, from)).toEqual(found !== null && found.opens <= until ? found : null)
        }
      }),
      { numRuns: 300 },
    )
  })
})

const daily = (start: number, end: number): CountryHours => ({
  days: Array.from({ length: 7 }, () => [{ start: start * 60, end: end * 60 }]),
  holidays: [],
})

const setting = (fields: Partial<CalleeHours>): CalleeHours => ({
  countries: {},
  elsewhere: null,
  unknown_timezone: null,
  ...fields,
})

const shown = (opening: OpenWindow | null): ReadonlyArray<string> | null =>
  opening && [opening.opens, opening.closes].map((time) => new Date(time).toISOString().slice(5, 16))

const callee = (to_number: string, timezone: string | null = null) => ({ to_number, timezone })

const zonesOf = (binding: ReadonlyArray<ZoneHours>): ReadonlyArray<string> => binding.map(({ timezone }) => timezone)

describe("zoneHoursOf", () => {
  const [american, canadian, other] = [daily(8, 21), daily(9, 20), daily(10, 12)]
  const both = setting({ countries: { US: american, CA: canadian, DE: null }, elsewhere: other })

  it("takes the hours of the country of each zone", () => {
    expect(zoneHoursOf(callee("+12125550100"), both)).toEqual([{ timezone: "America/New_York", hours: american }])
    expect(zoneHoursOf(callee("+14165550100"), both)).toEqual([{ timezone: "America/Toronto", hours: canadian }])
    expect(zoneHoursOf(callee("+33140205050"), both)).toEqual([{ timezone: "Europe/Paris", hours: other }])
    expect(zoneHoursOf(callee("+4930123456"), both)).toEqual([])
    expect(zonesOf(zoneHoursOf(callee("+12085550100"), both))).toEqual([
      "America/Boise",
      "America/Denver",
      "America/Los_Angeles",
    ])
  })

  it("believes the contact's own zone", () => {
    expect(zoneHoursOf(callee("+12125550100", "America/Vancouver"), both)).toEqual([
      { timezone: "America/Vancouver", hours: canadian },
    ])
    expect(zoneHoursOf(callee("+12125550100", "Europe/Berlin"), both)).toEqual([])
  })

  it("takes the countries of the number where its own zone is of none", () => {
    expect(zoneHoursOf(callee("+12125550100", "UTC"), both)).toEqual([{ timezone: "UTC", hours: american }])
    expect(zoneHoursOf(callee("+80012345678", "UTC"), both)).toEqual([{ timezone: "UTC", hours: other }])
  })

  it("lets the number decide where its own zone is no zone", () => {
    for (const timezone of ["", "Mars/Olympus", "+02:00", "CST"]) {
      expect(zonesOf(zoneHoursOf(callee("+12125550100", timezone), both))).toEqual(["America/New_York"])
    }
  })

  it("takes a number of which nothing is known to be where the setting says, or anywhere", () => {
    const berlin = setting({ elsewhere: other, unknown_timezone: "Europe/Paris" })
    expect(zoneHoursOf(callee("+881612345678"), berlin)).toEqual([{ timezone: "Europe/Paris", hours: other }])
    const anywhere = zoneHoursOf(callee("+881612345678"), setting({ elsewhere: other }))
    expect(anywhere.length).toBeGreaterThan(250)
    expect(callableFrom(anywhere, at("2026-11-24T00:00:00Z"))).toBeNull()
    const french = zoneHoursOf(callee("+881612345678"), setting({ countries: { FR: american } }))
    expect(zonesOf(french)).toEqual(["Europe/Paris"])
  })

  it("binds nobody where no hours are given", () => {
    expect(zoneHoursOf(callee("+12125550100"), setting({}))).toEqual([])
    expect(stretchAt([], 5)).toEqual({ isOpen: true, until: Infinity, opens: -Infinity })
    expect(isCallable([], 5)).toBe(true)
  })
})

describe("open hours", () => {
  it("of freephone numbers in +1 are those that all of its zones have in common", () => {
    const binding = zoneHoursOf(callee("+18005550100"), setting({ elsewhere: daily(8, 21) }))
    expect(binding).toHaveLength(42)
    // From 8 o'clock in Guam to 21 o'clock in Newfoundland.
    expect(shown(callableFrom(binding, at("2026-11-24T00:45:00Z")))).toEqual(["11-24T22:00", "11-25T00:30"])
    const office = zoneHoursOf(callee("+18005550100"), setting({ elsewhere: daily(9, 17) }))
    expect(callableFrom(office, at("2026-11-24T00:45:00Z"))).toBeNull()
  })

  it("go by each zone's own change of the clocks", () => {
    const binding: ReadonlyArray<ZoneHours> = [
      { timezone: "America/New_York", hours: daily(8, 21) },
      { timezone: "Europe/Paris", hours: daily(8, 21) },
    ]
    // Three weeks in March they are an hour closer.
    expect(shown(callableFrom(binding, at("2026-03-06T00:00:00Z")))).toEqual(["03-06T13:00", "03-06T20:00"])
    expect(shown(callableFrom(binding, at("2026-03-10T00:00:00Z")))).toEqual(["03-10T12:00", "03-10T20:00"])
    expect(shown(callableFrom(binding, at("2026-03-30T00:00:00Z")))).toEqual(["03-30T12:00", "03-30T19:00"])
  })

  it("that lie in what the clocks skip are none", () => {
    const gone: CountryHours = { days: Array.from({ length: 7 }, () => [{ start: 130, end: 170 }]), holidays: [] }
    const [inNewYork] = calleeOpenings([{ timezone: "America/New_York", hours: gone }]).openings
    expect(shown(inNewYork!(at("2026-03-08T05:00:00Z")))).toEqual(["03-09T06:10", "03-09T06:50"])
  })

  it("have breaks and holidays", () => {
    const hours: CountryHours = {
      days: [
        ...Array.from({ length: 5 }, () => [
          { start: 600, end: 780 },
          { start: 840, end: 1200 },
        ]),
        [],
        [],
      ],
      holidays: [{ kind: "yearly", month: 12, day: 25 }],
    }
    const binding = [{ timezone: "Europe/Paris", hours }]
    expect(shown(callableFrom(binding, at("2026-12-24T11:59:00Z")))).toEqual(["12-24T09:00", "12-24T12:00"])
    expect(shown(callableFrom(binding, at("2026-12-24T12:00:00Z")))).toEqual(["12-24T13:00", "12-24T19:00"])
    // The 25th is a holiday and a Friday.
    expect(shown(callableFrom(binding, at("2026-12-24T19:00:00Z")))).toEqual(["12-28T09:00", "12-28T12:00"])
  })

  it("that are further away than two months count as none, and are looked at again then", () => {
    const closed: CountryHours = { days: Array.from({ length: 7 }, () => []), holidays: [] }
    const binding = [{ timezone: "UTC", hours: closed }]
    const now = at("2026-11-24T00:00:00Z")
    expect(callableFrom(binding, now)).toBeNull()
    expect(stretchAt(binding, now)).toEqual({ isOpen: false, until: now + 62 * day, opens: null })
  })
})
