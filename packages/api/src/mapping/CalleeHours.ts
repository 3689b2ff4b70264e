import {
  CallingWindow,
  type CheckedHours,
  datesOf,
  holidayPresets,
  type HoursEntry,
  hoursPresets,
  Timestamp,
} from "@carillon/core/domain"
import type { CalleeHours, CalleeHoursOfCountry, CalleeHoursPresets, CheckedCallees } from "../CalleeHours.ts"

type CountryHours = HoursEntry["hours"]["elsewhere"]

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`

const weekOf = ({ days, holidays }: NonNullable<CountryHours>, now: number): CalleeHoursOfCountry => {
  const on = (weekday: CallingWindow.Weekday) =>
    (days[CallingWindow.weekdays.indexOf(weekday)] ?? []).map(({ end, start }) => ({
      start: clock(start),
      end: clock(end),
    }))
  return {
    monday: on("monday"),
    tuesday: on("tuesday"),
    wednesday: on("wednesday"),
    thursday: on("thursday"),
    friday: on("friday"),
    saturday: on("saturday"),
    sunday: on("sunday"),
    holidays: datesOf(holidays, now),
  }
}

const orNull = (hours: CountryHours, now: number) => (hours === null ? null : weekOf(hours, now))

/** Callee hours as they are answered; dates of holidays are those of this year and the next. */
export const toWireCalleeHours = (
  { agent_id, campaign_id, enabled, hours, timezone_column, updated_at }: HoursEntry,
  now: number,
): CalleeHours => ({
  agent_id,
  campaign_id,
  enabled,
  countries: Object.fromEntries(Object.entries(hours.countries).map(([country, each]) => [country, orNull(each, now)])),
  elsewhere: orNull(hours.elsewhere, now),
  unknown_timezone: hours.unknown_timezone,
  timezone_column,
  updated_at: Timestamp.formatUtc(updated_at),
})

/** What can be named, with the dates of this year and the next. */
export const toWirePresets = (now: number): CalleeHoursPresets => ({
  hours: hoursPresets.map(({ about, country, hours, name, sources }) => ({
    name,
    country,
    about,
    hours: weekOf(hours, now),
    sources,
  })),
  holidays: holidayPresets.map(({ about, holidays, name, sources }) => ({
    name,
    about,
    dates: datesOf(holidays, now),
    sources,
  })),
})

const timeOrNull = (at: number | null): string | null => (at === null ? null : Timestamp.formatUtc(at))

/** Numbers as they stand to callee hours. */
export const toWireChecked = (checked: ReadonlyArray<CheckedHours>): CheckedCallees => ({
  data: checked.map(({ closes_at, is_open, opens_at, to_number, zones }) => ({
    to_number,
    zones,
    is_open,
    opens_at: timeOrNull(opens_at),
    closes_at: timeOrNull(closes_at),
  })),
})
