import type { Openings, OpenWindow } from "../../dispatch/rules/Openings.ts"
import { isValidZone, wallTime } from "../../dispatch/rules/ZoneOffsets.ts"
import { limits } from "../../Limits.ts"
import { CommonHours, type CountryHours, openingsOn, type ZoneHours } from "./CommonHours.ts"
import { countryOfZone, zonePrefixOf, zonesOfNumber, zonesOfNumbers } from "./NumberZones.ts"

export type { CountryHours, ZoneHours } from "./CommonHours.ts"

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const searchMs = limits.calleeHoursSearchDays * dayMs

/** When callees may be called. */
export interface CalleeHours {
  /** By country (ISO 3166-1). Null: at any time. */
  readonly countries: { readonly [country: string]: CountryHours | null }
  /** In all other countries, and where a zone is of none. Null: at any time. */
  readonly elsewhere: CountryHours | null
  /** Where numbers are taken to be of which nothing is known; null: they may be anywhere. */
  readonly unknown_timezone: string | null
}

/** Whom one wants to call. */
export interface CalleePlace {
  /** In E.164. */
  readonly to_number: string
  /** Its own zone, as far as one was given; what is no zone counts as none. */
  readonly timezone: string | null
}

const placesOf = ({ timezone, to_number }: CalleePlace, { unknown_timezone }: CalleeHours): ReadonlyArray<string> => {
  if (timezone !== null && isValidZone(timezone)) return [timezone]
  return zonesOfNumber(to_number) ?? (unknown_timezone === null ? zonesOfNumbers() : [unknown_timezone])
}

/** The countries whose hours hold in a zone: where it is of none, those in which the number may be, and null for elsewhere. */
const countriesOf = (timezone: string, toNumber: string): ReadonlyArray<string | null> => {
  const country = countryOfZone(timezone)
  if (country !== null) return [country]
  const zones = zonesOfNumber(toNumber)
  return zones === null ? [null] : [...new Set(zones.map(countryOfZone))]
}

const bindingIn = (place: CalleePlace, setting: CalleeHours): ReadonlyArray<ZoneHours> =>
  placesOf(place, setting).flatMap((timezone) =>
    countriesOf(timezone, place.to_number).flatMap((country) => {
      const own = country === null ? undefined : setting.countries[country]
      const hours = own === undefined ? setting.elsewhere : own
      return hours === null ? [] : [{ timezone, hours }]
    }),
  )

/** What was found for settings by where a number may be, oldest first. */
const bindings = new Map<string, ReadonlyArray<ZoneHours>>()
const names = new WeakMap<CalleeHours, number>()
let named = 0

/** A number that no other setting of this process has. */
const nameOf = (setting: CalleeHours): number => {
  const known = names.get(setting) ?? ++named
  names.set(setting, known)
  return known
}

/**
 * All that binds calls to a callee: it may be called when every one of them is open. None: at any time. For numbers that may be in several zones
 * it is the same value for the same setting mostly, and what follows from it is remembered with it.
 */
export const zoneHoursOf = (place: CalleePlace, setting: CalleeHours): ReadonlyArray<ZoneHours> => {
  if (place.timezone !== null && isValidZone(place.timezone)) return bindingIn(place, setting)
  const key = `${nameOf(setting)} ${zonePrefixOf(place.to_number) ?? ""}`
  const known = bindings.get(key)
  if (known !== undefined) return known
  const found = bindingIn(place, setting)
  if (found.length < 2) return found
  if (bindings.size >= limits.calleeHoursRemembered) {
    for (const oldest of bindings.keys()) {
      bindings.delete(oldest)
      break
    }
  }
  bindings.set(key, found)
  return found
}

/** Whether the hours are open in a zone at an instant; bounds are instants, as those of calling windows are. */
const isZoneOpen = ({ hours, timezone }: ZoneHours, at: number): boolean => {
  const wall = wallTime(timezone, at)
  const day = Math.floor(wall / dayMs)
  const minutes = (wall - day * dayMs) / minuteMs
  return openingsOn(hours, day).some(({ end, start }) => minutes >= start && minutes < end)
}

/** By what binds calls; it goes with that. */
const common = new WeakMap<ReadonlyArray<ZoneHours>, CommonHours>()

const commonOf = (binding: ReadonlyArray<ZoneHours>): CommonHours => {
  const known = common.get(binding) ?? new CommonHours(binding)
  common.set(binding, known)
  return known
}

/** Whether a callee may be called at an instant. */
export const isCallable = (binding: ReadonlyArray<ZoneHours>, at: number): boolean =>
  binding.every((each) => isZoneOpen(each, at))

/** When a callee may be called, to be asked for together with other hours, and how far ahead. */
export const calleeOpenings = (
  binding: ReadonlyArray<ZoneHours>,
): { readonly openings: ReadonlyArray<Openings>; readonly searchMs: number } => ({
  openings: binding.length === 0 ? [] : [(at) => callableFrom(binding, at)],
  searchMs,
})

/** The opening that holds the instant, or the first one after it in which a callee may be called; null when there is none in sight. */
export const callableFrom = (binding: ReadonlyArray<ZoneHours>, at: number): OpenWindow | null =>
  binding.length === 0 ? { opens: -Infinity, closes: Infinity } : commonOf(binding).from(at, at + searchMs)

/** How things stand from an instant on. */
export interface Stretch {
  readonly isOpen: boolean
  /** Until when that does not change; infinity where nothing binds. Where it is closed and no opening is in sight, when to look again. */
  readonly until: number
  /** When the opening begins that holds the instant or comes next; null where none is in sight. Infinitely early where nothing binds. */
  readonly opens: number | null
}

/** Whether a callee may be called at an instant, and until when that holds at least. */
export const stretchAt = (binding: ReadonlyArray<ZoneHours>, at: number): Stretch => {
  const opening = callableFrom(binding, at)
  if (opening === null) return { isOpen: false, until: at + searchMs, opens: null }
  const { closes, opens } = opening
  return opens <= at ? { isOpen: true, until: closes, opens } : { isOpen: false, until: opens, opens }
}
