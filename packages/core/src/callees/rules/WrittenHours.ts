import { Result } from "effect"
import {
  type DayHours,
  parseClock,
  type Weekday,
  weekdays,
  type WindowFault,
} from "../../dispatch/rules/CallingWindow.ts"
import { isValidZone } from "../../dispatch/rules/ZoneOffsets.ts"
import { limits } from "../../Limits.ts"
import type { CalleeHours, CountryHours } from "./CalleeHours.ts"
import type { Holiday } from "./Holidays.ts"
import { holidayPresets, hoursPresets } from "./HourPresets.ts"
import { isCountryOfZones } from "./NumberZones.ts"

/** An opening as it is written: `start` from `00:00`, `end` up to `24:00`. */
export interface WrittenOpening {
  readonly start: string
  readonly end: string
}

/** Hours of a country as they are written. What is left out is as in the preset; without one the day is closed, and there are no holidays. */
export type WrittenHours = { readonly [day in Weekday]?: ReadonlyArray<WrittenOpening> } & {
  /** The name of hours to begin with; they are copied. */
  readonly preset?: string
  /** Names of calendars, which are copied, and dates (`YYYY-MM-DD`). */
  readonly holidays?: ReadonlyArray<string>
}

/** Callee hours as they are written. A country whose hours are null may be called at any time, and so may all others where `elsewhere` is null or left out. */
export interface WrittenCalleeHours {
  readonly countries?: { readonly [country: string]: WrittenHours | null }
  readonly elsewhere?: WrittenHours | null
  readonly unknown_timezone?: string | null
}

type Read<A> = Result.Result<A, WindowFault>

const midnight = 24 * 60

const fault = (field: string, reason: string) => Result.fail({ field, reason })

const openingsOf = (day: string, written: ReadonlyArray<WrittenOpening>): Read<ReadonlyArray<DayHours>> => {
  if (written.length > limits.calleeOpeningsPerDay) {
    return fault(day, `must have at most ${limits.calleeOpeningsPerDay} openings`)
  }
  const openings: Array<DayHours> = []
  for (const [nth, opening] of written.entries()) {
    const start = parseClock(opening.start)
    if (start === null) return fault(`${day}[${nth}].start`, "must be a 24-hour HH:MM time")
    const end = opening.end === "24:00" ? midnight : parseClock(opening.end)
    if (end === null) return fault(`${day}[${nth}].end`, "must be a 24-hour HH:MM time, or 24:00")
    if (end <= start) return fault(`${day}[${nth}].end`, "must be later than start")
    if (start < (openings.at(-1)?.end ?? 0))
      return fault(`${day}[${nth}].start`, "must not be before the end of the opening before")
    openings.push({ start, end })
  }
  return Result.succeed(openings)
}

const isDate = (text: string): boolean => {
  const ms = Date.parse(`${text}T00:00:00Z`)
  // A day that its month has not is read as one of the next month.
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

const holidaysOf = (written: ReadonlyArray<string>): Read<ReadonlyArray<Holiday>> => {
  const holidays: Array<Holiday> = []
  for (const [nth, text] of written.entries()) {
    const preset = holidayPresets.find(({ name }) => name === text)
    if (preset !== undefined) holidays.push(...preset.holidays)
    else if (isDate(text)) holidays.push({ kind: "once", date: text })
    else return fault(`holidays[${nth}]`, "must be the name of a calendar or a YYYY-MM-DD date")
    if (holidays.length > limits.calleeHolidays)
      return fault("holidays", `must be at most ${limits.calleeHolidays} days`)
  }
  return Result.succeed(holidays)
}

/** The hours that are written for a country. */
const readCountryHours = (written: WrittenHours): Read<CountryHours> => {
  const preset = hoursPresets.find(({ name }) => name === written.preset)?.hours
  if (written.preset !== undefined && preset === undefined) return fault("preset", "must be the name of a preset")
  const days: Array<ReadonlyArray<DayHours>> = []
  for (const [nth, day] of weekdays.entries()) {
    const openings = written[day]
    const read = openings === undefined ? Result.succeed(preset?.days[nth] ?? []) : openingsOf(day, openings)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    days.push(read.success)
  }
  const holidays =
    written.holidays === undefined ? Result.succeed(preset?.holidays ?? []) : holidaysOf(written.holidays)
  return Result.map(holidays, (some) => ({ days, holidays: some }))
}

const within = (place: string, { field, reason }: WindowFault): WindowFault => ({ field: `${place}.${field}`, reason })

const readOrNull = (place: string, written: WrittenHours | null): Read<CountryHours | null> =>
  written === null ? Result.succeed(null) : Result.mapError(readCountryHours(written), (each) => within(place, each))

/** The callee hours that are written. */
export const readCalleeHours = (written: WrittenCalleeHours): Read<CalleeHours> => {
  const countries: { [country: string]: CountryHours | null } = {}
  for (const [country, hours] of Object.entries(written.countries ?? {})) {
    if (!isCountryOfZones(country)) return fault(`countries.${country}`, "must be a country of ISO 3166-1, such as FR")
    const read = readOrNull(`countries.${country}`, hours)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    countries[country] = read.success
  }
  const unknown_timezone = written.unknown_timezone ?? null
  if (unknown_timezone !== null && !isValidZone(unknown_timezone)) {
    return fault("unknown_timezone", "must be UTC or an IANA zone such as Europe/Paris")
  }
  return Result.map(readOrNull("elsewhere", written.elsewhere ?? null), (elsewhere) => ({
    countries,
    elsewhere,
    unknown_timezone,
  }))
}
