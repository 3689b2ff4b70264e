import { expect, it } from "vitest"
import { numberZoneModule, textsOfBson, zonesByPrefix } from "../data/NumberZones.ts"

/** A BSON document of strings, as its specification writes one. */
const document = (fields: ReadonlyArray<readonly [string, string]>): Buffer => {
  const body = Buffer.concat(
    fields.map(([name, value]) => {
      const length = Buffer.alloc(4)
      length.writeInt32LE(Buffer.byteLength(value) + 1)
      return Buffer.concat([Buffer.from([2]), Buffer.from(`${name}\0`), length, Buffer.from(`${value}\0`)])
    }),
  )
  const size = Buffer.alloc(4)
  size.writeInt32LE(body.length + 5)
  return Buffer.concat([size, body, Buffer.from([0])])
}

it("reads the strings of a document, and refuses anything else", () => {
  const fields = [
    ["1", "America/Toronto&America/New_York"],
    ["33", "Europe/Paris"],
  ] as const
  expect(textsOfBson(document(fields))).toEqual(new Map(fields))
  const number = document(fields)
  number[4] = 16
  expect(() => textsOfBson(number)).toThrow("no string at byte 4")
})

it("sums up what is known by country code, and by area code where the code is 1", () => {
  const source = new Map([
    ["1", "A&B&C"],
    ["1201", "A"],
    ["1202", "B"],
    ["12023", "C"],
    ["1208201", "C"],
    ["1208202", "A"],
    ["61", "S&P"],
    ["614", "S"],
    ["7", "M&K"],
    ["77", "K"],
    ["79", "M"],
    ["7912", "V"],
  ])
  expect(Object.fromEntries(zonesByPrefix(source))).toEqual({
    "1": ["A", "B", "C"],
    "1201": ["A"],
    "1202": ["B", "C"],
    "1208": ["A", "C"],
    "61": ["P", "S"],
    "7": ["K", "M", "V"],
    "77": ["K"],
  })
})

it("writes prefixes by their zones and names by their country, in order", () => {
  const text = numberZoneModule({
    numbers: "numbers 1",
    zones: "zones 2",
    prefixes: new Map([
      ["44", ["Europe/Jersey", "Europe/London"]],
      ["33", ["Europe/Paris"]],
      ["262", ["Europe/Paris"]],
    ]),
    countries: new Map([
      ["Europe/Paris", "FR"],
      ["Europe/London", "GB"],
      ["GB", "GB"],
    ]),
  })
  expect(text).toContain('["Europe/Jersey Europe/London", "44"],\n    ["Europe/Paris", "262 33"],')
  expect(text).toContain('["FR", "Europe/Paris"],\n    ["GB", "Europe/London GB"],')
})
