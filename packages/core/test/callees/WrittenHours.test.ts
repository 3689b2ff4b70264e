import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { holidayPresets, hoursPresets } from "../../src/callees/rules/HourPresets.ts"
import { readCalleeHours, type WrittenCalleeHours } from "../../src/callees/rules/WrittenHours.ts"

const read = (written: WrittenCalleeHours) => Result.getOrThrow(readCalleeHours(written))

const faultOf = (written: WrittenCalleeHours): string => {
  const { field, reason } = Result.getOrThrow(Result.flip(readCalleeHours(written)))
  return `${field}: ${reason}`
}

const canadian = hoursPresets.find(({ name }) => name === "CA")!.hours

describe("callee hours as they are written", () => {
  it("are hours by country, each day with its openings, and closed on days that are left out", () => {
    const monday = [
      { start: "09:00", end: "12:30" },
      { start: "12:30", end: "24:00" },
    ]
    const { countries, elsewhere, unknown_timezone } = read({
      countries: { BE: { monday, sunday: [] }, DE: null },
      unknown_timezone: "Europe/Brussels",
    })
    expect(countries).toEqual({
      BE: {
        days: [
          [
            { start: 540, end: 750 },
            { start: 750, end: 1440 },
          ],
          ...Array.from({ length: 6 }, () => []),
        ],
        holidays: [],
      },
      DE: null,
    })
    expect([elsewhere, unknown_timezone]).toEqual([null, "Europe/Brussels"])
    expect(read({})).toEqual({ countries: {}, elsewhere: null, unknown_timezone: null })
  })

  it("begin with a preset, and change what they say", () => {
    expect(read({ countries: { CA: { preset: "CA" } } }).countries["CA"]).toEqual(canadian)
    const narrower = read({ elsewhere: { preset: "CA", friday: [{ start: "10:00", end: "12:00" }], holidays: [] } })
    expect(narrower.elsewhere).toEqual({
      days: canadian.days.with(4, [{ start: 600, end: 720 }]),
      holidays: [],
    })
  })

  it("have holidays by the names of calendars and by dates", () => {
    const federal = holidayPresets.find(({ name }) => name === "US-federal")!.holidays
    const { elsewhere } = read({ elsewhere: { preset: "US", holidays: ["US-federal", "2026-12-24"] } })
    expect(elsewhere?.holidays).toEqual([...federal, { kind: "once", date: "2026-12-24" }])
  })

  it("are refused where they are wrong, with the place", () => {
    const clock = "must be a 24-hour HH:MM time"
    const monday = (start: string, end: string): WrittenCalleeHours => ({
      countries: {
        FR: {
          monday: [
            { start: "01:00", end: "02:00" },
            { start, end },
          ],
        },
      },
    })
    const place = "countries.FR.monday[1]"
    expect(faultOf(monday("9:00", "10:00"))).toBe(`${place}.start: ${clock}`)
    expect(faultOf(monday("24:00", "24:00"))).toBe(`${place}.start: ${clock}`)
    expect(faultOf(monday("09:00", "24:01"))).toBe(`${place}.end: ${clock}, or 24:00`)
    expect(faultOf(monday("09:00", "09:00"))).toBe(`${place}.end: must be later than start`)
    expect(faultOf(monday("01:59", "09:00"))).toBe(`${place}.start: must not be before the end of the opening before`)
    const many = Array.from({ length: 9 }, (_, nth) => ({ start: `0${nth}:00`, end: `0${nth}:30` }))
    expect(faultOf({ elsewhere: { friday: many } })).toBe("elsewhere.friday: must have at most 8 openings")
    for (const country of ["fr", "XX", "FRA", "", "constructor"]) {
      expect(faultOf({ countries: { [country]: null } })).toMatch(/must be a country of ISO 3166-1, such as FR$/)
    }
    expect(faultOf({ elsewhere: { preset: "ZZ" } })).toBe("elsewhere.preset: must be the name of a preset")
    for (const holiday of ["2026-02-29", "2026-13-01", "24 December", "fr", "2026-1-1"]) {
      expect(faultOf({ elsewhere: { holidays: ["FR", holiday] } })).toBe(
        "elsewhere.holidays[1]: must be the name of a calendar or a YYYY-MM-DD date",
      )
    }
    expect(faultOf({ elsewhere: { holidays: Array.from({ length: 401 }, () => "2026-12-24") } })).toBe(
      "elsewhere.holidays: must be at most 400 days",
    )
    expect(faultOf({ unknown_timezone: "CET+1" })).toBe(
      "unknown_timezone: must be UTC or an IANA zone such as Europe/Paris",
    )
  })
})
