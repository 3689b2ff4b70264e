import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { firstInstant, isValidZone, offsetAt, steadyOffset, wallTime } from "../../src/dispatch/rules/ZoneOffsets.ts"

const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"))
const trickyZone = fc.constantFrom(
  "America/New_York",
  "Australia/Lord_Howe",
  "Africa/Cairo",
  "Africa/Casablanca",
  "Pacific/Apia",
  "America/Santiago",
  "America/Nuuk",
  "America/St_Johns",
  "Pacific/Kwajalein",
  "Europe/Dublin",
  "Antarctica/Troll",
)

/** The wall time as the runtime's calendar shows it: another path through Intl than the offsets that the module reads. */
const shownWallTime = (name: string, at: number): number => {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(at)
  const value = (type: string): number => Number(parts.find((part) => part.type === type)?.value)
  const seconds = Date.UTC(
    value("year"),
    value("month") - 1,
    value("day"),
    value("hour"),
    value("minute"),
    value("second"),
  )
  return seconds + (((at % 1000) + 1000) % 1000)
}

const instant = fc.integer({ min: Date.UTC(1969, 0, 1), max: Date.UTC(2040, 0, 1) })
/** Few spans of time, so that few tables are read. */
const recentInstant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) })

describe("offsetAt", () => {
  it("agrees with the calendar of the runtime in every zone", () => {
    fc.assert(
      fc.property(zone, instant, (name, at) => {
        expect(at + offsetAt(name, at)).toBe(shownWallTime(name, at))
      }),
      { numRuns: 250 },
    )
  })

  it("changes at the very second at which the clocks change", () => {
    const changes: ReadonlyArray<readonly [string, string, number, number]> = [
      ["America/New_York", "2026-03-08T07:00:00Z", -300, -240],
      ["America/New_York", "2026-11-01T06:00:00Z", -240, -300],
      ["Europe/London", "2026-03-29T01:00:00Z", 0, 60],
      ["Australia/Lord_Howe", "2026-10-03T15:30:00Z", 630, 660],
      ["Africa/Cairo", "2026-04-23T22:00:00Z", 120, 180],
      ["Pacific/Apia", "2011-12-30T10:00:00Z", -600, 840],
      ["America/Santiago", "2026-09-06T04:00:00Z", -240, -180],
      ["America/Nuuk", "2026-03-29T01:00:00Z", -120, -60],
    ]
    for (const [name, change, before, after] of changes) {
      const at = Date.parse(change)
      expect([offsetAt(name, at - 1) / 60_000, offsetAt(name, at) / 60_000]).toEqual([before, after])
    }
  })

  it("knows zones without daylight saving and offsets with seconds", () => {
    fc.assert(
      fc.property(recentInstant, (at) => {
        expect(offsetAt("Asia/Kolkata", at)).toBe(19_800_000)
        expect(offsetAt("America/Sao_Paulo", at)).toBe(-10_800_000)
        expect(offsetAt("UTC", at)).toBe(0)
      }),
    )
    expect(offsetAt("Africa/Monrovia", Date.UTC(1972, 0, 1))).toBe(-2_670_000)
  })

  it("knows clocks that went back within a week", () => {
    const hourMs = 3_600_000
    for (const [name, change, days] of [
      ["America/Noronha", "2000-10-08T02:00:00Z", 9],
      ["America/Recife", "2000-10-08T03:00:00Z", 9],
      ["Asia/Gaza", "2040-10-20T00:00:00Z", 9],
      ["Africa/Cairo", "2010-09-09T00:00:00Z", 30],
    ] as const) {
      const wrong: Array<string> = []
      for (let hour = -48; hour < days * 24; hour++) {
        const at = Date.parse(change) + hour * hourMs
        if (at + offsetAt(name, at) !== shownWallTime(name, at)) wrong.push(new Date(at).toISOString())
      }
      expect([name, wrong]).toEqual([name, []])
    }
  })

  it("throws on a zone that is none, and knows it no better afterwards", () => {
    expect(() => offsetAt("Mars/Olympus_Mons", 0)).toThrow(RangeError)
    expect(isValidZone("Mars/Olympus_Mons")).toBe(false)
  })
})

describe("steadyOffset", () => {
  it("is the offset at every hour of a week, where it says one", () => {
    const hourMs = 3_600_000
    fc.assert(
      fc.property(trickyZone, recentInstant, (name, at) => {
        const hours = Array.from({ length: 169 }, (_, nth) => offsetAt(name, at + nth * hourMs))
        const steady = steadyOffset(name, at, at + 168 * hourMs)
        if (steady !== null) expect(new Set(hours)).toEqual(new Set([steady]))
      }),
      { numRuns: 500 },
    )
    const spring = Date.parse("2026-04-10T00:00:00Z")
    expect(steadyOffset("Europe/Paris", spring, spring + 7 * 24 * hourMs)).toBe(2 * hourMs)
    expect(steadyOffset("Europe/Paris", Date.parse("2026-03-25T00:00:00Z"), spring)).toBeNull()
  })
})

describe("wallTime and firstInstant", () => {
  it("never runs backwards", () => {
    fc.assert(
      fc.property(trickyZone, recentInstant, fc.integer({ min: 0, max: 7_200_000 }), (name, at, later) => {
        expect(wallTime(name, at + later)).toBeGreaterThanOrEqual(wallTime(name, at))
      }),
      { numRuns: 2000 },
    )
  })

  it("are each other's inverse: the clocks have shown a wall time exactly from its first instant on", () => {
    const nearChange = fc.tuple(
      fc.constantFrom(
        ["America/New_York", "2026-03-08T07:00:00Z"] as const,
        ["America/New_York", "2026-11-01T06:00:00Z"] as const,
        ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"] as const,
        ["Africa/Cairo", "2026-10-29T21:00:00Z"] as const,
        ["America/St_Johns", "2010-11-07T02:31:00Z"] as const,
        ["Pacific/Apia", "2011-12-30T10:00:00Z"] as const,
        ["Pacific/Kwajalein", "1969-09-30T13:00:00Z"] as const,
      ),
      fc.integer({ min: -150, max: 150 }),
      fc.integer({ min: -150, max: 150 }),
    )
    fc.assert(
      fc.property(nearChange, ([[name, change], minutes, wallMinutes]) => {
        const at = Date.parse(change) + minutes * 60_000
        const wall = wallTime(name, Date.parse(change)) + wallMinutes * 60_000
        expect(firstInstant(name, wall) <= at).toBe(wallTime(name, at) >= wall)
      }),
      { numRuns: 4000 },
    )
    fc.assert(
      fc.property(trickyZone, recentInstant, recentInstant, (name, at, wall) => {
        expect(firstInstant(name, wall) <= at).toBe(wallTime(name, at) >= wall)
      }),
    )
  })

  it("know no seams: far from Greenwich too, every instant of forty years is found again from its wall time", () => {
    for (const name of ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kolkata"]) {
      const lost: Array<string> = []
      for (let at = Date.UTC(2000, 0, 1); at < Date.UTC(2040, 0, 1); at += 5 * 3_600_000) {
        if (firstInstant(name, wallTime(name, at)) !== at) lost.push(new Date(at).toISOString())
      }
      expect(lost).toEqual([])
    }
  })

  it("stands still in the second pass of a repeated hour", () => {
    const shown = (at: string): string => new Date(wallTime("America/New_York", Date.parse(at))).toISOString()
    expect(shown("2026-11-01T05:30:00Z")).toBe("2026-11-01T01:30:00.000Z")
    expect(shown("2026-11-01T06:30:00Z")).toBe("2026-11-01T01:59:59.999Z")
    expect(shown("2026-11-01T07:00:00Z")).toBe("2026-11-01T02:00:00.000Z")
  })
})

describe("isValidZone", () => {
  it("takes IANA names in any case, those without an area too", () => {
    for (const name of [
      "UTC",
      "utc",
      "GMT",
      "GMT0",
      "Zulu",
      "Japan",
      "NZ-CHAT",
      "W-SU",
      "EST",
      "EST5EDT",
      "Etc/GMT+5",
      "Europe/Paris",
      "america/new_york",
      "America/Argentina/Buenos_Aires",
      "America/Port-au-Prince",
      "Asia/Calcutta",
      "Europe/Kyiv",
    ]) {
      expect([name, isValidZone(name)]).toEqual([name, true])
    }
    for (const name of Intl.supportedValuesOf("timeZone")) expect([name, isValidZone(name)]).toEqual([name, true])
  })

  it("refuses offsets, abbreviations and everything else", () => {
    for (const name of [
      "",
      "+05:30",
      "-08:00",
      "UTC+1",
      "UTC+5",
      "GMT+5",
      "+0530",
      "-08",
      "Z",
      "PST",
      "ist",
      "BST",
      "Europe",
      "Europe/",
    ]) {
      expect([name, isValidZone(name)]).toEqual([name, false])
    }
    for (const name of [
      "Mars/Olympus_Mons",
      " Europe/Paris",
      "Europe/Paris ",
      "Europe/Paris\n",
      "../../etc",
      "Europe//Paris",
    ]) {
      expect([name, isValidZone(name)]).toEqual([name, false])
    }
  })
})
