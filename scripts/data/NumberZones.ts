/** The string fields of a BSON document that has no others. */
export const textsOfBson = (document: Buffer): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  const last = document.readInt32LE(0) - 1
  for (let at = 4; at < last;) {
    if (document[at] !== 2) throw new Error(`no string at byte ${at}`)
    const end = document.indexOf(0, at + 1)
    const length = document.readInt32LE(end + 1)
    const from = end + 5
    texts.set(document.toString("utf8", at + 1, end), document.toString("utf8", from, from + length - 1))
    at = from + length
  }
  return texts
}

/** Kazakhstan has its part of Russia's country code. */
const partsOfCodes = ["77"]
const areaCodeDigits = 4

/**
 * The zones of country codes and, where it is 1, of area codes: all that the source has for a number that begins so. Its longer prefixes say
 * where most of their numbers are, and not where they may be: mobile numbers keep theirs wherever their owners live.
 */
export const zonesByPrefix = (source: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const isCode = (prefix: string) =>
    prefix.length <= 3 && ![...source.keys()].some((other) => other !== prefix && prefix.startsWith(other))
  const areas = [...source.keys()].flatMap((prefix) =>
    prefix.startsWith("1") && prefix.length >= areaCodeDigits ? [prefix.slice(0, areaCodeDigits)] : [],
  )
  const prefixes = new Set([...[...source.keys()].filter(isCode), ...partsOfCodes, ...areas])
  return new Map(
    [...prefixes].toSorted().map((prefix) => {
      const below = [...source].filter(([other]) => other.startsWith(prefix)).flatMap(([, zones]) => zones.split("&"))
      return [prefix, [...new Set(below)].toSorted()]
    }),
  )
}

const noPlaces = [
  "CET",
  "CST6CDT",
  "EET",
  "EST",
  "EST5EDT",
  "Factory",
  "HST",
  "MET",
  "MST",
  "MST7MDT",
  "PST8PDT",
  "WET",
]

/** Whether a name is one of a place: what is left of old rules, such as EST5EDT, is no place, whatever zone it stands for by now. */
export const isPlaceName = (name: string): boolean => !noPlaces.includes(name)

/** What is written down of numbers and zones, and from where it came. */
export interface NumberZoneSources {
  readonly numbers: string
  readonly zones: string
  readonly prefixes: ReadonlyMap<string, ReadonlyArray<string>>
  readonly countries: ReadonlyMap<string, string>
}

/** Keys by their value, both in order. */
const byValue = (pairs: Iterable<readonly [string, string]>): ReadonlyArray<readonly [string, string]> => {
  const keys = new Map<string, Array<string>>()
  for (const [key, value] of pairs) keys.set(value, [...(keys.get(value) ?? []), key])
  return [...keys]
    .map(([value, some]) => [value, some.toSorted().join(" ")] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

const table = (rows: ReadonlyArray<readonly [string, string]>): string =>
  rows.map(([key, values]) => `    ["${key}", "${values}"],`).join("\n")

/** The module of the engine. */
export const numberZoneModule = ({ countries, numbers, prefixes, zones }: NumberZoneSources): string => `\
// Written by \`npm run node -- scripts/data/number-zones.ts\`: run it with a newer release instead of editing this.
//
// \`prefixes\` is made from resources/timezones/map_data.txt of libphonenumber, Copyright (C) 2012 The Libphonenumber Authors, under the Apache
// License, Version 2.0 (http://www.apache.org/licenses/LICENSE-2.0). It was changed: its prefixes are summed up by country code and area code.
// \`countries\` is made from the time zone database, which is in the public domain.

/** Where phone numbers may be, by how they begin. */
export interface NumberZoneData {
  readonly source: { readonly numbers: string; readonly zones: string }
  /** Zones, and the prefixes of the numbers that may be in any of them, each list with blanks between. */
  readonly prefixes: ReadonlyArray<readonly [zones: string, prefixes: string]>
  /** Countries (ISO 3166-1), and the names of their zones, older ones among them. */
  readonly countries: ReadonlyArray<readonly [country: string, zones: string]>
}

export const numberZoneData: NumberZoneData = {
  source: {
    numbers: "${numbers}",
    zones: "${zones}",
  },
  prefixes: [
${table(byValue([...prefixes].map(([prefix, some]) => [prefix, some.join(" ")])))}
  ],
  countries: [
${table(byValue(countries))}
  ],
}
`
