/** Timestamps at the edge: strict RFC 3339 in, ISO-8601 UTC out. */

/** `missing_offset`: all is well but the UTC offset, which requests must carry; `not_a_timestamp`: anything else. */
export type TimestampResult =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly reason: "not_a_timestamp" | "missing_offset" }

const date = "(?<date>[0-9]{4}-(?<month>[0-9]{2})-(?<day>[0-9]{2}))"
const clock = "(?<clock>(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])"
const fraction = "(?:[.](?<fraction>[0-9]{1,9}))"
const offset = "(?<offset>[Zz]|(?<sign>[+-])(?<hours>[01][0-9]|2[0-3]):(?<minutes>[0-5][0-9]))"

/** RFC 3339 `date-time`, with the offset left open so that its absence can be told apart. */
const grammar = new RegExp(`^${date}[Tt]${clock}${fraction}?${offset}?$`)

/** The instants that a four-digit year can write in UTC: years 0000 to 9999. */
export const earliestMs = -62_167_219_200_000
export const latestMs = 253_402_300_799_999

/**
 * Reads a request's timestamp as epoch milliseconds: date, `T`, time with seconds, up to nine digits of fraction (cut to
 * milliseconds), and an offset. Dates that the calendar does not have and leap seconds are refused, not moved.
 */
export const parseTimestamp = (text: string): TimestampResult => {
  const parts = grammar.exec(text)?.groups
  if (parts === undefined) return notATimestamp
  const milliseconds = (parts.fraction ?? "").slice(0, 3).padEnd(3, "0")
  const local = Date.parse(`${parts.date}T${parts.clock}.${milliseconds}Z`)
  if (!isOnCalendar(local, Number(parts.month), Number(parts.day))) return notATimestamp
  if (parts.offset === undefined) return { ok: false, reason: "missing_offset" }
  const ms = local - offsetMs(parts.sign, parts.hours, parts.minutes)
  return ms < earliestMs || ms > latestMs ? notATimestamp : { ok: true, ms }
}

const notATimestamp: TimestampResult = { ok: false, reason: "not_a_timestamp" }

// `Date.parse` moves 30 February into March, so the date is held against what was written.
const isOnCalendar = (local: number, month: number, day: number): boolean => {
  const read = new Date(local)
  return read.getUTCMonth() + 1 === month && read.getUTCDate() === day
}

const offsetMs = (sign = "+", hours = "0", minutes = "0"): number =>
  (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000

const dayMs = 86_400_000

const padded = (count: number, width: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, value) => String(value).padStart(width, "0"))
const sixty = padded(60, 2)
const thousand = padded(1000, 3)

/** The day that was written last: nearly every instant that is written lies on it, and writing a date costs far more than a time. */
let lastDay = 0
let lastDate = "1970-01-01T"

/** An instant as the API writes it: `2026-01-05T09:00:00.000Z`. Years 0000 to 9999. */
export const formatUtc = (ms: number): string => {
  const day = Math.floor(ms / dayMs)
  if (day !== lastDay) {
    lastDate = new Date(day * dayMs).toISOString().slice(0, -"00:00:00.000Z".length)
    lastDay = day
  }
  const time = Math.floor(ms - day * dayMs)
  const seconds = Math.floor(time / 1000)
  const minutes = Math.floor(seconds / 60)
  return `${lastDate}${sixty[Math.floor(minutes / 60)]}:${sixty[minutes % 60]}:${sixty[seconds % 60]}.${thousand[time % 1000]}Z`
}

/** An instant as clocks show it that are ahead of UTC by so many milliseconds: `2026-01-05T14:30:00.000+05:30`. An offset is whole minutes. */
export const formatWithOffset = (ms: number, offsetMs: number): string => {
  const minutes = Math.round(offsetMs / 60_000)
  if (minutes === 0) return formatUtc(ms)
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${formatUtc(ms + minutes * 60_000).slice(0, -1)}${minutes < 0 ? "-" : "+"}${sixty[hours]}:${sixty[rest]}`
}
