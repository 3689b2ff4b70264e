import { malformed } from "./errors.ts"
import { spread } from "./ids.ts"

const minuteMs = 60_000
const dayMs = 86_400_000

/** Formatters are dear, and there are not more zones than this. */
const maxFormatters = 1_000

const formatters = new Map<string, Intl.DateTimeFormat>()

const formatterOf = (zone: string): Intl.DateTimeFormat => {
  const known = formatters.get(zone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat("en-US-u-ca-iso8601-nu-latn", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  })
  if (formatters.size < maxFormatters) formatters.set(zone, made)
  return made
}

/** What clocks in a zone show, as if it were UTC. */
const localMs = (at: number, zone: string): number => {
  const parts: Record<string, number> = {}
  for (const { type, value } of formatterOf(zone).formatToParts(at)) parts[type] = Number(value)
  const { day = 1, hour = 0, minute = 0, month = 1, second = 0, year = 1970 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

const offsetAt = (at: number, zone: string): number => localMs(at, zone) - Math.floor(at / 1000) * 1000

/** The first moment at which clocks in a zone show a time or, where they skip it, a later one. */
const instantOf = (local: number, zone: string): number => {
  const offsets = [offsetAt(local - dayMs, zone), offsetAt(local + dayMs, zone)]
  const shown = offsets.map((offset) => local - offset).toSorted((a, b) => a - b)
  const found = shown.find((at) => localMs(at, zone) === local)
  if (found !== undefined) return found
  // Skipped: the first minute after the change lies between the two readings.
  let [before = local, after = local] = shown
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs
    if (localMs(middle, zone) >= local) after = middle
    else before = middle
  }
  return after
}

/** Opening and closing in minutes of the day. */
export interface Hours {
  readonly start: number
  readonly end: number
}

/** `HH:MM` in minutes; 1000 where it is none. */
export const minutesOf = (value: unknown, field: string): number => {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(typeof value === "string" ? value : "") ?? []
  if (hour === undefined || minute === undefined) throw malformed(`The time in '${field}' must be 24-hour HH:MM.`)
  return Number(hour) * 60 + Number(minute)
}

/** When somebody may be called: hours by day of the week (0 = Monday), in a zone. */
export interface Schedule {
  readonly zone: string
  readonly days: ReadonlyArray<Hours | null>
}

/** A stretch of time, its end left out. */
interface Window {
  readonly opens: number
  readonly closes: number
}

/** A schedule with any open day opens within this many days. */
const searchDays = 9

/** The window that is open at a moment, or the next one; null where none ever opens. */
export const windowFrom = ({ days, zone }: Schedule, at: number): Window | null => {
  const today = Math.floor(localMs(at, zone) / dayMs) * dayMs
  for (let day = -1; day < searchDays; day++) {
    const midnight = today + day * dayMs
    const hours = days[(new Date(midnight).getUTCDay() + 6) % 7]
    if (hours === undefined || hours === null) continue
    const opens = instantOf(midnight + hours.start * minuteMs, zone)
    const closes = instantOf(midnight + hours.end * minuteMs, zone)
    if (closes > at && closes > opens) return { opens, closes }
  }
  return null
}

/** When dialling may go on: now, or at the next opening. */
export const openFrom = (schedule: Schedule | null, at: number): number | null => {
  if (schedule === null) return at
  const window = windowFrom(schedule, at)
  return window === null ? null : Math.max(at, window.opens)
}

/** Nobody is moved to the last minutes of a window. */
const lastMinutesMs = 5 * minuteMs

/** Where a call lands that is moved into the window that opens next: spread over it by its id. */
export const deferredTo = (schedule: Schedule, at: number, executionId: string): number | null => {
  const window = windowFrom(schedule, at)
  if (window === null) return null
  if (window.opens <= at) return at
  const seconds = Math.floor((window.closes - lastMinutesMs - window.opens) / 1000)
  return window.opens + (seconds <= 0 ? 0 : spread(executionId, seconds) * 1000)
}

/** A moment with the offset of a zone: `2026-01-05T10:00:00+01:00`. */
export const inZone = (at: number, zone: string): string => {
  const offset = Math.round(offsetAt(at, zone) / minuteMs)
  const size = Math.abs(offset)
  const digits = (value: number) => String(value).padStart(2, "0")
  const local = new Date(localMs(at, zone)).toISOString().slice(0, 19)
  return `${local}${offset < 0 ? "-" : "+"}${digits(Math.floor(size / 60))}:${digits(size % 60)}`
}
