import { expect, it } from "vitest"
import { placeIn } from "../../src/callees/rules/HoursRow.ts"
import { markOf } from "../../src/callees/rules/Marks.ts"
import { countryOfZone } from "../../src/callees/rules/NumberZones.ts"
import { zoneNamed } from "../../src/dispatch/rules/ZoneOffsets.ts"

const entry = { timezone_column: "timezone" }

/** The letters of a name, each a capital or a small one, by the bits of a number. */
const spelled = (name: string, bits: number): string =>
  [...name].map((letter, nth) => ((bits >> nth) & 1 ? letter.toUpperCase() : letter.toLowerCase())).join("")

it("a zone has one mark and its own country, however a list spells it: a queue is kept for each mark", () => {
  const places = Array.from({ length: 4_096 }, (_, bits) =>
    placeIn(entry, "+12125550100", { timezone: ` ${spelled("Europe/Paris", bits)} ` }),
  )
  expect(new Set(places.map(({ timezone }) => timezone))).toEqual(new Set(["Europe/Paris"]))
  expect(new Set(places.map(markOf))).toEqual(new Set(["Europe/Paris"]))
})

it("the runtime's name of a zone is in the country of the name that was given", () => {
  const zones = Intl.supportedValuesOf("timeZone").filter((zone) => countryOfZone(zone) !== null)
  expect(zones.length).toBeGreaterThan(300)
  for (const zone of [...zones, "Asia/Kolkata", "US/Eastern", "Europe/Kyiv"]) {
    expect([zone, countryOfZone(zoneNamed(zone) ?? "")]).toEqual([zone, countryOfZone(zone)])
  }
})

it("what names no zone is none", () => {
  for (const timezone of ["", " ", "No/Zone", "+01:00", 3, null]) {
    expect(placeIn(entry, "+12125550100", { timezone }).timezone).toBeNull()
  }
})
