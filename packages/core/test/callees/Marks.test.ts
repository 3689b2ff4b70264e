import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type CalleeHours, type CountryHours, isCallable, zoneHoursOf } from "../../src/callees/CalleeHours.ts"
import { isMarkBy, markBy, markOf, placeOfMark, stretchOfMark } from "../../src/callees/Marks.ts"
import { numberZoneData } from "../../src/callees/NumberZoneData.ts"

const daily = (start: number, end: number): CountryHours => ({
  days: Array.from({ length: 7 }, () => [{ start: start * 60, end: end * 60 }]),
  holidays: [],
})

const setting: CalleeHours = {
  countries: { US: daily(8, 21), CA: daily(9, 20), FR: daily(10, 18), DE: null },
  elsewhere: daily(7, 22),
  unknown_timezone: "Europe/Madrid",
}

const prefixes = numberZoneData.prefixes.flatMap(([, some]) => some.split(" "))

const place = fc.record({
  to_number: fc
    .tuple(fc.constantFrom(...prefixes, "1800", "1999", "881", "800"), fc.integer({ min: 1_000_000, max: 9_999_999 }))
    .map(([prefix, rest]) => `+${prefix}${rest}`),
  timezone: fc.constantFrom(
    ...[null, null, "", "Europe/Paris", "europe/paris", "US/Eastern", "Asia/Kolkata", "America/Indiana/Knox"],
    ...["UTC", "Etc/GMT+5", "Etc/GMT-14", "Etc/GMT+0", "GMT0", "EST5EDT", "CET", "No/Zone", "+01:00"],
  ),
})

describe("a mark", () => {
  it("is a zone, a prefix with several, or both", () => {
    const marks = [
      ["+12125550100", null, "America/New_York"],
      ["+33612345678", null, "Europe/Paris"],
      ["+12085550100", null, "+1208"],
      ["+18005550100", null, "+1"],
      ["+79161234567", null, "+7"],
      ["+77012345678", null, "+77"],
      ["+881612345678", null, "+"],
      ["+12085550100", "America/Boise", "America/Boise"],
      ["+12085550100", "Etc/GMT+7", "Etc/GMT+7 +1208"],
      ["+12085550100", "nowhere", "+1208"],
    ] as const
    for (const [to_number, timezone, mark] of marks) expect(markOf({ to_number, timezone })).toBe(mark)
  })

  it("says all that hours are found by", () => {
    fc.assert(
      fc.property(place, (one) => {
        expect(zoneHoursOf(placeOfMark(markOf(one)), setting)).toEqual(zoneHoursOf(one, setting))
        expect(markOf(placeOfMark(markOf(one)))).toBe(markOf(one))
      }),
      { numRuns: 3000 },
    )
  })

  it("says by which variable it was found, and what it says beside that, it goes on to say", () => {
    const columns = fc.constantFrom("timezone", "zone", "@", "", null)
    fc.assert(
      fc.property(place, columns, columns, (one, column, other) => {
        const mark = markBy(one, column)
        expect(isMarkBy(mark, other)).toBe(column === other)
        expect(placeOfMark(mark)).toEqual(placeOfMark(markOf(one)))
      }),
    )
  })

  it("is open when its contacts are, however the questions come", () => {
    const start = Date.parse("2026-10-24T00:00:00Z")
    const moments = fc.array(fc.integer({ min: 0, max: 4 * 86_400_000 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(place, moments, (one, some) => {
        const fresh = { ...setting }
        for (const moment of some) {
          const at = start + moment
          const { isOpen, until } = stretchOfMark(fresh, markOf(one), at)
          expect(isOpen).toBe(isCallable(zoneHoursOf(one, setting), at))
          expect(until).toBeGreaterThan(at)
        }
      }),
      { numRuns: 300 },
    )
  })

  it("is judged by the setting that is asked about", () => {
    const at = Date.parse("2026-11-24T12:00:00Z")
    const closed: CalleeHours = { ...setting, countries: { ...setting.countries, FR: daily(1, 2) } }
    expect(stretchOfMark(setting, "Europe/Paris", at).isOpen).toBe(true)
    expect(stretchOfMark(closed, "Europe/Paris", at).isOpen).toBe(false)
    expect(stretchOfMark(setting, "Europe/Paris", at)).toMatchObject({ until: Date.parse("2026-11-24T17:00:00Z") })
  })
})
