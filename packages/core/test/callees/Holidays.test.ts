import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { holidayPresets, hoursPresets } from "../../src/callees/rules/HourPresets.ts"
import { datesOf as datesShown, easterOf, type Holiday, isHoliday } from "../../src/callees/rules/Holidays.ts"
import { countryOfZone, zonesOfNumbers } from "../../src/callees/rules/NumberZones.ts"

const dayMs = 86_400_000

const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs

const datesOf = (holidays: ReadonlyArray<Holiday>, year: number): ReadonlyArray<string> =>
  Array.from({ length: 366 }, (_, nth) => dayOf(`${year}-01-01`) + nth)
    .filter((day) => isHoliday(holidays, day))
    .map((day) => new Date(day * dayMs).toISOString().slice(0, 10))
    .filter((date) => date.startsWith(String(year)))
    .map((date) => date.slice(5))

describe("Easter", () => {
  it("is on the days on which it is", () => {
    const known = ["1961-04-02", "2000-04-23", "2008-03-23", "2011-04-24", "2015-04-05", "2019-04-21", "2024-03-31"]
    const coming = ["2025-04-20", "2026-04-05", "2027-03-28", "2028-04-16", "2029-04-01", "2030-04-21", "2038-04-25"]
    for (const date of [...known, ...coming])
      expect([date, easterOf(Number(date.slice(0, 4)))]).toEqual([date, dayOf(date)])
  })

  it("is a Sunday from 22 March to 25 April", () => {
    for (let year = 1900; year < 2200; year++) {
      const date = new Date(easterOf(year) * dayMs)
      expect(date.getUTCDay()).toBe(0)
      const since = easterOf(year) - dayOf(`${year}-03-22`)
      expect(since >= 0 && since <= 34).toBe(true)
    }
  })
})

describe("holidays", () => {
  const named = (name: string) => holidayPresets.find((preset) => preset.name === name)?.holidays ?? []

  it("of France fall on the days that were announced for 2015", () => {
    expect(datesOf(named("FR"), 2015)).toEqual([
      "01-01",
      "04-06",
      "05-01",
      "05-08",
      "05-14",
      "05-25",
      "07-14",
      "08-15",
      "11-01",
      "11-11",
      "12-25",
    ])
  })

  it("of the American government are observed on weekdays, also in the year before", () => {
    expect(datesOf(named("US-federal"), 2021)).toEqual([
      ...["01-01", "01-18", "02-15", "05-31", "06-18", "06-19", "07-04", "07-05", "09-06", "10-11", "11-11", "11-25"],
      ...["12-24", "12-25", "12-31"],
    ])
  })

  it("of the American government on a Monday are the nth or the last one", () => {
    expect(datesOf(named("US-federal"), 2026)).toEqual([
      ...["01-01", "01-19", "02-16", "05-25", "06-19", "07-03", "07-04", "09-07", "10-12", "11-11", "11-26", "12-25"],
    ])
  })

  it("of a date that a year has not, and of a fifth weekday that a month has not, are not there", () => {
    const leap: ReadonlyArray<Holiday> = [{ kind: "yearly", month: 2, day: 29 }]
    expect([datesOf(leap, 2027), datesOf(leap, 2028)]).toEqual([[], ["02-29"]])
    const fifth: ReadonlyArray<Holiday> = [{ kind: "weekday", month: 11, weekday: 0, nth: 5 }]
    expect([datesOf(fifth, 2026), datesOf(fifth, 2028)]).toEqual([["11-30"], []])
  })
})

const month = fc.integer({ min: 1, max: 12 })

const holiday: fc.Arbitrary<Holiday> = fc.oneof(
  fc
    .integer({ min: dayOf("2024-12-01"), max: dayOf("2029-01-31") })
    .map((day): Holiday => ({ kind: "once", date: new Date(day * dayMs).toISOString().slice(0, 10) })),
  fc.record({
    kind: fc.constant("yearly" as const),
    month,
    day: fc.constantFrom(1, 2, 15, 25, 29, 30, 31),
    observed: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("easter" as const), days: fc.integer({ min: -120, max: 300 }) }),
  fc.record({
    kind: fc.constant("weekday" as const),
    month,
    weekday: fc.integer({ min: 0, max: 6 }),
    nth: fc.constantFrom(1, 2, 3, 4, 5, -1),
  }),
)

describe("the dates that are shown", () => {
  it("are the holidays of two years", () => {
    fc.assert(
      fc.property(fc.array(holiday, { maxLength: 6 }), fc.constantFrom(2025, 2026, 2027, 2028), (calendar, year) => {
        const days = [year, year + 1].flatMap((each) => datesOf(calendar, each).map((date) => `${each}-${date}`))
        expect(datesShown(calendar, Date.parse(`${year}-06-15T12:00:00Z`))).toEqual(days)
      }),
    )
  })

  it("take little for all countries", () => {
    const before = process.cpuUsage()
    let dates = 0
    for (let country = 0; country < 20 * 238; country++) {
      const calendar: ReadonlyArray<Holiday> = [{ kind: "once", date: "2026-12-24" }]
      dates += datesShown(calendar, Date.parse("2026-11-27T12:00:00Z")).length
    }
    expect(dates).toBe(20 * 238)
    // It was two seconds when the days of the years were walked through.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500)
  })
})

describe("presets", () => {
  it("are each of a country that some number has, with sources that were read on a day", () => {
    const countries = new Set(zonesOfNumbers().map(countryOfZone))
    for (const { country, name, sources } of hoursPresets) {
      expect([name, countries.has(country)]).toEqual([name, true])
      expect(sources.length).toBeGreaterThan(0)
    }
    for (const { retrieved, url } of [...hoursPresets, ...holidayPresets].flatMap(({ sources }) => sources)) {
      expect(retrieved).toMatch(/^20\d\d-\d\d-\d\d$/)
      expect(url).toMatch(/^https:\/\//)
    }
  })

  it("have seven days, with openings in order and apart", () => {
    for (const { hours } of hoursPresets) {
      expect(hours.days).toHaveLength(7)
      for (const openings of hours.days) {
        const bounds = openings.flatMap(({ end, start }) => [start, end])
        expect(bounds).toEqual([...new Set(bounds)].toSorted((a, b) => a - b))
      }
    }
  })
})
