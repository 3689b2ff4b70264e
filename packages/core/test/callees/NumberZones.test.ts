import { describe, expect, it } from "vitest"
import { numberZoneData } from "../../src/callees/rules/NumberZoneData.ts"
import { countryOfZone, zonePrefixOf, zonesOfNumber, zonesOfNumbers } from "../../src/callees/rules/NumberZones.ts"
import { isValidZone } from "../../src/dispatch/rules/ZoneOffsets.ts"

describe("zonesOfNumber", () => {
  const known: ReadonlyArray<readonly [what: string, number: string, zones: ReadonlyArray<string>]> = [
    ["Paris", "+33140205050", ["Europe/Paris"]],
    ["a French mobile number", "+33612345678", ["Europe/Paris"]],
    ["Guadeloupe, with a country code of its own", "+590590123456", ["America/Guadeloupe"]],
    ["New York", "+12125550100", ["America/New_York"]],
    ["Los Angeles", "+13105550100", ["America/Los_Angeles"]],
    ["Phoenix, without daylight saving time", "+16025550100", ["America/Phoenix"]],
    ["Honolulu", "+18085550100", ["Pacific/Honolulu"]],
    ["Toronto", "+14165550100", ["America/Toronto"]],
    ["Jamaica", "+18765550100", ["America/Jamaica"]],
    ["Florida, with its west", "+18505550100", ["America/Chicago", "America/New_York"]],
    ["Idaho", "+12085550100", ["America/Boise", "America/Denver", "America/Los_Angeles"]],
    ["Germany", "+4930123456", ["Europe/Berlin"]],
    ["India", "+919876543210", ["Asia/Calcutta"]],
    ["Kazakhstan, under Russia's code", "+77012345678", ["Asia/Almaty", "Asia/Aqtobe"]],
    ["Spain, with the Canaries", "+34612345678", ["Atlantic/Canary", "Europe/Madrid"]],
    ["Kiribati", "+68675012345", ["Pacific/Enderbury", "Pacific/Kiritimati", "Pacific/Tarawa"]],
  ]
  for (const [what, number, zones] of known) {
    it(`knows ${what}`, () => {
      expect(zonesOfNumber(number)).toEqual(zones)
    })
  }

  it("takes no mobile number to be where most of its prefix are", () => {
    expect(zonesOfNumber("+61412345678")).toContain("Australia/Perth")
    expect(zonesOfNumber("+79161234567")).toContain("Asia/Kamchatka")
    expect(zonesOfNumber("+5511987654321")).toContain("America/Rio_Branco")
  })

  it("takes freephone and unknown area codes of +1 to be anywhere under it", () => {
    for (const number of ["+18005550100", "+18885550100", "+15005550006"]) {
      expect(zonePrefixOf(number)).toBe("1")
      expect(zonesOfNumber(number)).toHaveLength(42)
    }
  })

  it("says nothing of codes of no country", () => {
    for (const number of ["+80012345678", "+870773111632", "+881612345678", "+883510012345", "+97912345678"]) {
      expect(zonesOfNumber(number)).toBeNull()
    }
  })

  it("finds every prefix that is written down, whatever follows it, and no other one", () => {
    for (const [zones, prefixes] of numberZoneData.prefixes) {
      for (const prefix of prefixes.split(" ")) {
        const longer = numberZoneData.prefixes.flatMap(([, others]) => others.split(" ")).filter((p) => p !== prefix)
        const next = ["0", "5", "9"].filter(
          (digit) => !longer.some((other) => `${prefix}${digit}000`.startsWith(other)),
        )
        for (const digit of next) {
          expect([prefix, zonesOfNumber(`+${`${prefix}${digit}`.padEnd(11, "0")}`)]).toEqual([prefix, zones.split(" ")])
        }
      }
    }
  })

  it("says where it is from, and when that was", () => {
    expect(numberZoneData.source.numbers).toMatch(/^libphonenumber \d+\.\d+\.\d+ \(\d+ [A-Z][a-z]+ 20\d\d\)/)
    expect(numberZoneData.source.zones).toMatch(/^the time zone database, 20\d\d[a-z]$/)
  })
})

describe("the zones that are written down", () => {
  it("are zones that the runtime knows, each of one country", () => {
    const wrong = zonesOfNumbers().filter((zone) => !isValidZone(zone) || countryOfZone(zone) === null)
    expect(wrong).toEqual([])
    expect(zonesOfNumbers().length).toBeGreaterThan(250)
  })

  it("have a country under newer and older names, in any case", () => {
    const names = ["Asia/Kolkata", "Asia/Calcutta", "US/Eastern", "america/new_york", "Africa/Asmara", "Pacific/Truk"]
    expect(names.map(countryOfZone)).toEqual(["IN", "IN", "US", "US", "ER", "FM"])
  })

  it("have none where a name is of no place", () => {
    for (const name of ["UTC", "Etc/GMT+5", "EST5EDT", "CET", "Mars/Olympus", ""])
      expect(countryOfZone(name)).toBeNull()
  })
})
