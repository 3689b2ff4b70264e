import type { CallingWindow } from "@carillon/core/domain"

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Clocks that were put back repeat no more than this. */
const repeatedMs = 3 * 60 * minuteMs

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  })
  formats.set(timeZone, format)
  return format
}

/** What the clocks of a zone show, to the minute, in milliseconds since 1970-01-01T00:00 as they show it. */
const shownAt = (timezone: string, at: number): number => {
  const parts = new Map(
    formatOf(timezone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const read = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? NaN
  return Date.UTC(read("year"), read("month") - 1, read("day"), read("hour"), read("minute"))
}

/**
 * Whether an instant lies in a window (decisions.md, "Calling windows"), by the clocks of the zone minute by minute, so that the engine's
 * tables of offsets are held against them. What the clocks repeat counts the first time only, and then as long as they stand behind it.
 */
export const isWithin = ({ days, timezone }: CallingWindow.WeeklyWindow, at: number): boolean => {
  let shown = shownAt(timezone, at)
  if (shown < shownAt(timezone, at - repeatedMs) + repeatedMs) {
    for (let back = minuteMs; back <= repeatedMs; back += minuteMs)
      shown = Math.max(shown, shownAt(timezone, at - back))
  }
  const hours = days[(new Date(shown).getUTCDay() + 6) % days.length]
  if (hours === null || hours === undefined) return false
  const minutes = (shown % dayMs) / minuteMs
  return minutes >= hours.start && minutes < hours.end
}
