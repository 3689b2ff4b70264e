import { localDay, weekdayOf, type DayHours } from "../../dispatch/rules/CallingWindow.ts"
import type { OpenWindow } from "../../dispatch/rules/Openings.ts"
import { firstInstant, steadyOffset } from "../../dispatch/rules/ZoneOffsets.ts"
import { limits } from "../../Limits.ts"
import { type Holiday, isHoliday } from "./Holidays.ts"

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** An opening reaches a day over both ends of the day of UTC that it lies in, and clocks are put back by a day at most. */
const steadyMs = 3 * dayMs

/** When callees of a country may be called, by their clocks. */
export interface CountryHours {
  /** Seven entries, Monday first, each with its openings in order and apart; none on a closed day. An opening may end at 1440, midnight. */
  readonly days: ReadonlyArray<ReadonlyArray<DayHours>>
  /** On these it is closed, whatever the day of the week. */
  readonly holidays: ReadonlyArray<Holiday>
}

/** A zone in which a callee may be, and the hours that hold there. */
export interface ZoneHours {
  readonly timezone: string
  readonly hours: CountryHours
}

/** The openings of a local date, in days since 1970-01-01; none on a holiday. */
export const openingsOn = ({ days, holidays }: CountryHours, day: number): ReadonlyArray<DayHours> => {
  const openings = days[weekdayOf(day)] ?? []
  return openings.length === 0 || isHoliday(holidays, day) ? [] : openings
}

/** The openings of zone hours that lie in a day of UTC or reach into it, in order. The zone's clocks are ahead by `offset`, null where they change about then. */
const openingsIn = (
  { hours, timezone }: ZoneHours,
  begin: number,
  offset: number | null,
): ReadonlyArray<OpenWindow> => {
  const end = begin + dayMs
  const dayAt = (at: number) => (offset === null ? localDay(timezone, at) : Math.floor((at + offset) / dayMs))
  const instantOf = (wall: number) => (offset === null ? firstInstant(timezone, wall) : wall - offset)
  const found: Array<OpenWindow> = []
  const last = dayAt(end - 1)
  for (let day = dayAt(begin); day <= last; day++) {
    for (const opening of openingsOn(hours, day)) {
      const opens = instantOf(day * dayMs + opening.start * minuteMs)
      const closes = instantOf(day * dayMs + opening.end * minuteMs)
      // What lies wholly in what the clocks skip opens and closes at once: it is no opening.
      if (closes > begin && opens < end && closes > opens) found.push({ opens, closes })
    }
  }
  return found
}

/** What two lists of openings have in common, each in order and apart. */
const inBoth = (some: ReadonlyArray<OpenWindow>, others: ReadonlyArray<OpenWindow>): ReadonlyArray<OpenWindow> => {
  const common: Array<OpenWindow> = []
  for (let one = 0, other = 0; one < some.length && other < others.length;) {
    const a = some[one]!
    const b = others[other]!
    const opens = Math.max(a.opens, b.opens)
    const closes = Math.min(a.closes, b.closes)
    if (opens < closes) common.push({ opens, closes })
    if (a.closes <= b.closes) one++
    if (b.closes <= a.closes) other++
  }
  return common
}

/**
 * When zone hours are open together, worked out for a day of UTC at a time and remembered. Zones with the same hours whose clocks show the same on a day
 * count once on it; and what closed the last day is looked at first on the next: where nothing is in common, two zones mostly say so.
 */
export class CommonHours {
  /** At least one; in the order in which they are looked at. */
  readonly #parts: Array<ZoneHours>
  readonly #days = new Map<number, ReadonlyArray<OpenWindow>>()

  constructor(binding: ReadonlyArray<ZoneHours>) {
    this.#parts = [...binding]
  }

  /** The opening that holds the instant, or the first one after it; null when none begins by `until`. */
  from(at: number, until: number): OpenWindow | null {
    for (let day = Math.floor(at / dayMs); day * dayMs <= until; day++) {
      const found = this.#on(day).find(({ closes }) => closes > at)
      if (found !== undefined) return found.opens <= until ? found : null
    }
    return null
  }

  #on(day: number): ReadonlyArray<OpenWindow> {
    const known = this.#days.get(day)
    if (known !== undefined) return known
    const common = this.#workedOut(day * dayMs)
    if (this.#days.size >= limits.calleeHoursDaysRemembered) this.#days.clear()
    this.#days.set(day, common)
    return common
  }

  #workedOut(begin: number): ReadonlyArray<OpenWindow> {
    const seen = new Map<CountryHours, Set<number>>()
    let common: ReadonlyArray<OpenWindow> | null = null
    for (const [index, part] of this.#parts.entries()) {
      const offset = steadyOffset(part.timezone, begin - steadyMs, begin + dayMs + steadyMs)
      const offsets = seen.get(part.hours) ?? new Set<number>()
      if (offset !== null && offsets.has(offset)) continue
      if (offset !== null) seen.set(part.hours, offsets.add(offset))
      const openings = openingsIn(part, begin, offset)
      common = common === null ? openings : inBoth(common, openings)
      if (common.length > 0) continue
      this.#parts.splice(index, 1)
      this.#parts.unshift(part)
      return []
    }
    return common ?? []
  }
}
