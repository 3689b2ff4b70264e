import { Result } from "effect"
import type { CallingGuard } from "../../agents/rules/Agent.ts"
import { hash32 } from "../../engine/rules/Hash.ts"
import { commonOpening, type Openings, type OpenWindow } from "./Openings.ts"
import { firstInstant, isValidZone, wallTime } from "./ZoneOffsets.ts"

export { isValidZone } from "./ZoneOffsets.ts"

const secondMs = 1000
const minuteMs = 60 * secondMs
const dayMs = 24 * 60 * minuteMs
const daysPerWeek = 7
/** 1970-01-01 was a Thursday, counted from Monday. */
const weekdayOfEpoch = 3
/** Clocks can skip the one day of a week on which a window lies, but not week after week. */
const searchDays = 3 * daysPerWeek + 1
/** Nothing is deferred into the last minutes of a window (specification, "POST /v2/calls"). */
const closingMarginMs = 5 * minuteMs

/** Opening hours of one day in minutes after local midnight, `start` included and `end` not. */
export interface DayHours {
  readonly start: number
  readonly end: number
}

/** Opening hours of a week in a zone: seven entries, Monday first, null on a closed day. */
export interface WeeklyWindow {
  readonly timezone: string
  readonly days: ReadonlyArray<DayHours | null>
}

/** The weekdays as the specification spells them, Monday first. */
export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const

export type Weekday = (typeof weekdays)[number]

/** One day of a campaign's `working_hours`; `enabled` left out means true. */
export interface WorkingDay {
  readonly start?: string
  readonly end?: string
  readonly enabled?: boolean
}

/** A campaign's `working_hours` as written; a day left out is closed. */
export type WorkingHours = { readonly [day in Weekday]?: WorkingDay }

/** A campaign's hours with the word on whether they bind (`working_hours_enforced`). */
export interface CampaignHours {
  readonly window: WeeklyWindow
  readonly enforced: boolean
}

/** Why hours as written make no window: the field, dotted from the object it stands in, and a reason without a full stop. */
export interface WindowFault {
  readonly field: string
  readonly reason: string
}

/** Minutes after midnight of a 24-hour `HH:MM`, or null. */
export const parseClock = (text: string): number | null => {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text)
  return match === null ? null : Number(match[1]) * 60 + Number(match[2])
}

const zoneFault: WindowFault = { field: "timezone", reason: "must be UTC or an IANA zone such as Europe/Paris" }
const clockFault = (field: string): WindowFault => ({ field, reason: "must be a 24-hour HH:MM time" })
const orderFault = (field: string): WindowFault => ({ field, reason: "must be later than start" })

/** The window of an agent's `calling_guard`: the same hours on each of its days, on every day when it names none. */
export const fromCallingGuard = (
  guard: Pick<CallingGuard, "timezone" | "start" | "end"> & Partial<Pick<CallingGuard, "days">>,
): Result.Result<WeeklyWindow, WindowFault> => {
  if (!isValidZone(guard.timezone)) return Result.fail(zoneFault)
  const start = parseClock(guard.start)
  if (start === null) return Result.fail(clockFault("start"))
  const end = parseClock(guard.end)
  if (end === null) return Result.fail(clockFault("end"))
  if (end <= start) return Result.fail(orderFault("end"))
  const days = guard.days ?? []
  const wrong = days.findIndex((day) => !Number.isInteger(day) || day < 0 || day >= daysPerWeek)
  if (wrong >= 0) return Result.fail({ field: `days[${wrong}]`, reason: "must be 0 (Monday) to 6 (Sunday)" })
  return Result.succeed({
    timezone: guard.timezone,
    days: weekdays.map((_, day) => (days.length === 0 || days.includes(day) ? { start, end } : null)),
  })
}

/** The window of a campaign's `working_hours`. The times of a day that is not enabled may be missing, but not malformed. */
export const fromWorkingHours = (timezone: string, hours: WorkingHours): Result.Result<WeeklyWindow, WindowFault> => {
  if (!isValidZone(timezone)) return Result.fail(zoneFault)
  const days: Array<DayHours | null> = []
  for (const weekday of weekdays) {
    const day = hours[weekday] ?? { enabled: false }
    const enabled = day.enabled ?? true
    const start = parseClock(day.start ?? "")
    if (start === null && (enabled || day.start !== undefined)) return Result.fail(clockFault(`${weekday}.start`))
    const end = parseClock(day.end ?? "")
    if (end === null && (enabled || day.end !== undefined)) return Result.fail(clockFault(`${weekday}.end`))
    if (!enabled || start === null || end === null) {
      days.push(null)
      continue
    }
    if (end <= start) return Result.fail(orderFault(`${weekday}.end`))
    days.push({ start, end })
  }
  return Result.succeed({ timezone, days })
}

/** The local date of an instant in days since 1970-01-01. */
export const localDay = (timezone: string, at: number): number => Math.floor(wallTime(timezone, at) / dayMs)

/** The first instant of the local day after the one that holds the instant. */
export const startOfNextDay = (timezone: string, at: number): number =>
  firstInstant(timezone, (localDay(timezone, at) + 1) * dayMs)

/** The weekday of a local date, 0 for Monday. */
export const weekdayOf = (day: number): number => (((day + weekdayOfEpoch) % daysPerWeek) + daysPerWeek) % daysPerWeek

const hoursOn = (window: WeeklyWindow, day: number): DayHours | null => window.days[weekdayOf(day)] ?? null

const openingOn = (window: WeeklyWindow, day: number, hours: DayHours): OpenWindow => ({
  opens: firstInstant(window.timezone, day * dayMs + hours.start * minuteMs),
  closes: firstInstant(window.timezone, day * dayMs + hours.end * minuteMs),
})

/** Whether any day of the week has hours at all. */
export const everOpens = (window: WeeklyWindow): boolean => window.days.some((hours) => hours !== null)

/** Whether a campaign gives hours at all. Enforced ones that never open are hours too. */
export const isGiven = ({ enforced, window }: CampaignHours): boolean => enforced || everOpens(window)

/**
 * Whether the instant lies in the window. The bounds are instants: a skipped bound is the first existing minute, a repeated one its
 * first occurrence, which is the same as asking what the clocks have shown at the furthest.
 */
export const isOpen = (window: WeeklyWindow, at: number): boolean => {
  const wall = wallTime(window.timezone, at)
  const day = Math.floor(wall / dayMs)
  const hours = hoursOn(window, day)
  if (hours === null) return false
  const sinceMidnight = wall - day * dayMs
  return sinceMidnight >= hours.start * minuteMs && sinceMidnight < hours.end * minuteMs
}

/** The opening that holds the instant, or null outside. */
export const currentWindow = (window: WeeklyWindow, at: number): OpenWindow | null => {
  if (!isOpen(window, at)) return null
  const day = localDay(window.timezone, at)
  const hours = hoursOn(window, day)
  return hours === null ? null : openingOn(window, day, hours)
}

/** The first opening that begins after the instant, or null when there is none in the next three weeks. */
export const nextWindow = (window: WeeklyWindow, at: number): OpenWindow | null => {
  const today = localDay(window.timezone, at)
  for (let day = today; day <= today + searchDays; day++) {
    const hours = hoursOn(window, day)
    if (hours === null) continue
    const opening = openingOn(window, day, hours)
    // Hours that lie wholly in what the clocks skip open and close at once: there is no such opening.
    if (opening.opens > at && opening.closes > opening.opens) return opening
  }
  return null
}

/** The first instant from `at` on that lies in the window, or null when it never opens. */
export const firstOpen = (window: WeeklyWindow, at: number): number | null =>
  isOpen(window, at) ? at : (nextWindow(window, at)?.opens ?? null)

/** When a window is open, three weeks ahead. */
export const openingsOf =
  (window: WeeklyWindow): Openings =>
  (at) =>
    currentWindow(window, at) ?? nextWindow(window, at)

const noOthers = { openings: [], searchMs: searchDays * dayMs }

/** When a call rings: at the time that was asked for, and until when it might as well; or later. */
export type RingTime =
  | { readonly deferred: false; readonly at: number; readonly until: number }
  | { readonly deferred: true; readonly at: number }

/**
 * When a call asked for at `at` rings, where several windows bind it, and others beside them. Where all are open nothing is deferred, and `until` is
 * when the first of them closes, if only to open again at once. Else it is spread over the next opening that they have in common by its execution
 * id, so that it is stable on re-read, never before the opening and never in the last five minutes. Null when they are never open together.
 */
export const ringIn = (
  windows: ReadonlyArray<WeeklyWindow>,
  executionId: string,
  at: number,
  others: { readonly openings: ReadonlyArray<Openings>; readonly searchMs: number } = noOthers,
): RingTime | null => {
  const all = [...windows.map(openingsOf), ...others.openings]
  const next = commonOpening(all, at, at + others.searchMs)
  if (next === null) return null
  if (next.opens <= at) return { deferred: false, at, until: next.closes }
  const seconds = Math.floor((next.closes - closingMarginMs - next.opens) / secondMs)
  const delay = seconds <= 0 ? 0 : (hash32(executionId) % seconds) * secondMs
  return { deferred: true, at: next.opens + delay }
}
