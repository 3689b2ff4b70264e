import { numberZoneData } from "./NumberZoneData.ts"

/** Digits of the longest country code, and of a country code of one digit with its area code. */
const codeDigits = 3
const areaCodeDigits = 4

interface Tables {
  readonly zones: ReadonlyMap<string, ReadonlyArray<string>>
  readonly countries: ReadonlyMap<string, string>
  readonly all: ReadonlyArray<string>
  /** Of each prefix the countries in which its numbers may be, and the first prefix that has the same. */
  readonly places: ReadonlyMap<string, PrefixCountries>
}

interface PrefixCountries {
  readonly countries: ReadonlyArray<string | null>
  readonly first: string
}

const read = (): Tables => {
  const zones = new Map<string, ReadonlyArray<string>>()
  for (const [names, prefixes] of numberZoneData.prefixes) {
    const some = names.split(" ")
    for (const prefix of prefixes.split(" ")) zones.set(prefix, some)
  }
  const countries = new Map<string, string>()
  for (const [country, names] of numberZoneData.countries) {
    for (const name of names.split(" ")) countries.set(name.toLowerCase(), country)
  }
  const byNames = new Map<string, PrefixCountries>()
  const places = new Map<string, PrefixCountries>()
  for (const [prefix, some] of zones) {
    const theirs = [...new Set(some.map((zone) => countries.get(zone.toLowerCase()) ?? null))]
    const same = byNames.get(theirs.join()) ?? { countries: theirs, first: prefix }
    byNames.set(theirs.join(), same)
    places.set(prefix, same)
  }
  return { zones, countries, all: [...new Set([...zones.values()].flat())], places }
}

let known: Tables | null = null

/** Read when it is first asked for: who has no callee hours never pays for it. */
const tables = (): Tables => (known ??= read())

/** The prefix, without its `+`, that says where a number in E.164 may be: its country code, for `+1` with its area code; null where none is known. */
export const zonePrefixOf = (toNumber: string): string | null => {
  const { zones } = tables()
  for (let digits = toNumber.startsWith("+1") ? areaCodeDigits : codeDigits; digits > 0; digits--) {
    const prefix = toNumber.slice(1, 1 + digits)
    if (zones.has(prefix)) return prefix
  }
  return null
}

/** The time zones in any of which a number in E.164 may be; null where nothing is known of it. */
export const zonesOfNumber = (toNumber: string): ReadonlyArray<string> | null => {
  const prefix = zonePrefixOf(toNumber)
  return prefix === null ? null : (tables().zones.get(prefix) ?? null)
}

const countriesOf = (toNumber: string): PrefixCountries | undefined => tables().places.get(zonePrefixOf(toNumber) ?? "")

/** The countries (ISO 3166-1) in any of which a number in E.164 may be, null among them for a zone of no country; none where nothing is known of it. */
export const countriesOfNumber = (toNumber: string): ReadonlyArray<string | null> =>
  countriesOf(toNumber)?.countries ?? []

/** As `zonePrefixOf`, but one prefix for all numbers that may be in the same countries, for where their zones do not matter. */
export const countryPrefixOf = (toNumber: string): string | null => countriesOf(toNumber)?.first ?? null

/** All time zones in which some number may be. */
export const zonesOfNumbers = (): ReadonlyArray<string> => tables().all

/** The country (ISO 3166-1) of a time zone by any of its names, in any case; null for one of no country, as `UTC` is, or that is not known. */
export const countryOfZone = (timezone: string): string | null => tables().countries.get(timezone.toLowerCase()) ?? null

/** Whether a country (ISO 3166-1, in capitals) has a time zone. */
export const isCountryOfZones = (country: string): boolean =>
  numberZoneData.countries.some(([each]) => each === country)
