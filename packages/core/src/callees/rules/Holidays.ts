import { weekdayOf } from "../../dispatch/rules/CallingWindow.ts"

const dayMs = 86_400_000
const daysPerWeek = 7
const saturday = 5
const sunday = 6
/** Years whose days are remembered for a calendar. */
const rememberedYears = 8

/** A day on which nobody is called. Months and days count from 1, weekdays from Monday, 0. */
export type Holiday =
  /** One day, `YYYY-MM-DD`. */
  | { readonly kind: "once"; readonly date: string }
  /** The same date each year; `observed`: also the Friday before a Saturday, and the Monday after a Sunday. */
  | { readonly kind: "yearly"; readonly month: number; readonly day: number; readonly observed?: boolean }
  /** So many days after Easter Sunday, or before it. */
  | { readonly kind: "easter"; readonly days: number }
  /** The nth such weekday of a month; -1 for the last one. */
  | { readonly kind: "weekday"; readonly month: number; readonly weekday: number; readonly nth: number }

/** The days of a calendar in days since 1970-01-01. */
const dayOf = (year: number, month: number, day: number): number => Math.floor(Date.UTC(year, month - 1, day) / dayMs)

const yearOf = (day: number): number => new Date(day * dayMs).getUTCFullYear()

/** Easter Sunday in the Gregorian calendar, by the method of Meeus, Jones and Butcher. */
export const easterOf = (year: number): number => {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const ofCentury = year % 100
  const correction = Math.floor((8 * century + 13) / 25)
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % daysPerWeek
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451)
  return dayOf(year, 3, 22 + epact + weekday - 7 * late)
}

const nthWeekday = (year: number, month: number, weekday: number, nth: number): number | null => {
  if (nth < 0) {
    const last = dayOf(year, month + 1, 1) - 1
    return last - ((weekdayOf(last) - weekday + daysPerWeek) % daysPerWeek)
  }
  const first = dayOf(year, month, 1)
  const day = first + ((weekday - weekdayOf(first) + daysPerWeek) % daysPerWeek) + (nth - 1) * daysPerWeek
  // A fifth one is not in every month.
  return day < dayOf(year, month + 1, 1) ? day : null
}

const observedFor = (day: number): ReadonlyArray<number> => {
  const weekday = weekdayOf(day)
  return weekday === saturday ? [day, day - 1] : weekday === sunday ? [day, day + 1] : [day]
}

const daysOf = (holiday: Holiday, year: number): ReadonlyArray<number> => {
  switch (holiday.kind) {
    case "once": {
      const { date } = holiday
      return Number(date.slice(0, 4)) === year ? [Math.floor(Date.parse(`${date}T00:00:00Z`) / dayMs)] : []
    }
    case "yearly": {
      const day = dayOf(year, holiday.month, holiday.day)
      // There is no 29 February in most years.
      if (new Date(day * dayMs).getUTCDate() !== holiday.day) return []
      return holiday.observed === true ? observedFor(day) : [day]
    }
    case "easter":
      return [easterOf(year) + holiday.days]
    case "weekday": {
      const day = nthWeekday(year, holiday.month, holiday.weekday, holiday.nth)
      return day === null ? [] : [day]
    }
  }
}

const remembered = new WeakMap<ReadonlyArray<Holiday>, Map<number, ReadonlySet<number>>>()

/** The days that a year's holidays close; one of the first day of January may lie in the year before. */
const closedBy = (calendar: ReadonlyArray<Holiday>, year: number): ReadonlySet<number> => {
  const years = remembered.get(calendar) ?? new Map<number, ReadonlySet<number>>()
  const known = years.get(year)
  if (known !== undefined) return known
  const days = new Set(calendar.flatMap((holiday) => daysOf(holiday, year)))
  if (years.size >= rememberedYears) years.clear()
  remembered.set(calendar, years.set(year, days))
  return days
}

/** Whether a local date, in days since 1970-01-01, is a holiday of the calendar. */
export const isHoliday = (calendar: ReadonlyArray<Holiday>, day: number): boolean => {
  if (calendar.length === 0) return false
  const year = yearOf(day)
  return [year - 1, year, year + 1].some((each) => closedBy(calendar, each).has(day))
}

/** The dates of a calendar in the year of an instant, by UTC, and the next one, `YYYY-MM-DD`. */
export const datesOf = (calendar: ReadonlyArray<Holiday>, at: number): ReadonlyArray<string> => {
  const year = new Date(at).getUTCFullYear()
  const [first, end] = [dayOf(year, 1, 1), dayOf(year + 2, 1, 1)]
  const closed = new Set([year - 1, year, year + 1, year + 2].flatMap((each) => [...closedBy(calendar, each)]))
  return [...closed]
    .filter((day) => day >= first && day < end)
    .toSorted((one, other) => one - other)
    .map((day) => new Date(day * dayMs).toISOString().slice(0, 10))
}
