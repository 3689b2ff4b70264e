import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type CalleeHours, type CountryHours, isCallable, zoneHoursOf } from "../../src/callees/rules/CalleeHours.ts"
import {
  agentOfMark,
  isMarkBy,
  markBy,
  markOf,
  markOfAgent,
  placeOfMark,
  stretchOfMark,
} from "../../src/callees/rules/Marks.ts"
import { numberZoneData } from "../../src/callees/rules/NumberZoneData.ts"
import { countriesOfNumber } from "../../src/callees/rules/NumberZones.ts"
import { limits } from "../../src/Limits.ts"

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

/** A setting that counts how often hours are worked out by it. */
const counting = (like: CalleeHours) => {
  let count = 0
  const counted: CalleeHours = {
    ...like,
    get unknown_timezone() {
      count += 1
      return like.unknown_timezone
    },
  }
  return { setting: counted, computed: () => count }
}

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
      ["+12085550100", "Etc/GMT+7", "Etc/GMT+7 +1907"],
      ["+12125550100", "Etc/GMT+7", "Etc/GMT+7 +1907"],
      ["+81312345678", "Etc/GMT-3", "Etc/GMT-3 +81"],
      ["+881612345678", "Etc/GMT+7", "Etc/GMT+7 +"],
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

  it("in a zone of no country names the countries of its number, and not the number: those of earlier releases, which name it, are still understood", () => {
    const marks = new Set<string>()
    for (const prefix of prefixes) {
      const one = { to_number: `+${prefix}5550100`, timezone: "Etc/GMT+7" }
      const mark = markOf(one)
      marks.add(mark)
      const countries = countriesOfNumber(one.to_number)
      expect(countriesOfNumber(placeOfMark(mark).to_number)).toEqual(countries)
      const earlier = `Etc/GMT+7 +${prefix}`
      expect(zoneHoursOf(placeOfMark(earlier), setting)).toEqual(zoneHoursOf(one, setting))
      const at = Date.parse("2026-11-24T16:30:00Z")
      expect(stretchOfMark(setting, earlier, at)).toEqual(stretchOfMark(setting, mark, at))
    }
    const countries = new Set(prefixes.map((prefix) => countriesOfNumber(`+${prefix}5550100`).join()))
    expect(marks.size).toBe(countries.size)
    expect(countries.size).toBeLessThan(prefixes.length / 2)
  })

  it("is worked out once for all countries whose hours are not told apart, and not again while that holds", () => {
    const { computed, setting: counted } = counting({ ...setting, countries: { FR: daily(10, 18) } })
    const at = Date.parse("2026-11-24T12:30:00Z")
    const judgeAll = () => {
      for (const prefix of prefixes) {
        stretchOfMark(counted, markOf({ to_number: `+${prefix}5550100`, timezone: "Etc/GMT+7" }), at)
      }
    }
    judgeAll()
    expect(computed()).toBe(2)
    judgeAll()
    expect(computed()).toBe(2)
  })

  it("is forgotten where it was asked for longest ago, and no others with it, where there are more than are remembered", () => {
    const { computed, setting: counted } = counting(setting)
    const at = Date.parse("2026-11-24T12:30:00Z")
    const ask = (nth: number) => stretchOfMark(counted, `+33${nth}`, at)
    for (let nth = 0; nth < limits.calleeMarksRemembered; nth++) ask(nth)
    ask(0)
    expect(computed()).toBe(limits.calleeMarksRemembered)
    ask(limits.calleeMarksRemembered)
    ask(0)
    ask(2)
    expect(computed()).toBe(limits.calleeMarksRemembered + 1)
    ask(1)
    expect(computed()).toBe(limits.calleeMarksRemembered + 2)
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

  it("may name an agent, and says all that it said without", () => {
    const columns = fc.constantFrom("timezone", "zone", "@", "!", null)
    const at = Date.parse("2026-11-24T12:00:00Z")
    fc.assert(
      fc.property(place, columns, columns, (one, column, other) => {
        const mark = markBy(one, column)
        const named = markOfAgent(mark, "agt_one")
        expect([agentOfMark(mark), agentOfMark(named)]).toEqual([null, "agt_one"])
        expect(markOfAgent(named, "agt_one")).toBe(named)
        expect(isMarkBy(named, other)).toBe(column === other)
        expect(placeOfMark(named)).toEqual(placeOfMark(mark))
        expect(stretchOfMark({ ...setting }, named, at)).toEqual(stretchOfMark({ ...setting }, mark, at))
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
