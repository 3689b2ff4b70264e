import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { earliestMs, formatUtc, latestMs, parseTimestamp } from "../../src/time/Timestamp.ts"

const two = (value: number): string => String(value).padStart(2, "0")
const four = (value: number): string => String(value).padStart(4, "0")

const instant = fc.oneof(
  fc.integer({ min: earliestMs, max: latestMs }),
  fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) }),
)

const clockOf = fc.record({
  hour: fc.integer({ min: 0, max: 23 }),
  minute: fc.integer({ min: 0, max: 59 }),
  second: fc.integer({ min: 0, max: 59 }),
})
const dateOf = fc.record({
  year: fc.oneof(fc.integer({ min: 1, max: 9998 }), fc.constantFrom(1, 99, 1900, 2000, 2024, 2026, 2100)),
  month: fc.integer({ min: 1, max: 12 }),
  day: fc.integer({ min: 1, max: 31 }),
})
const offsetOf = fc.oneof(
  fc.constantFrom({ text: "Z", minutes: 0 }, { text: "z", minutes: 0 }, { text: "-00:00", minutes: 0 }),
  fc
    .record({
      sign: fc.constantFrom(1, -1),
      hours: fc.integer({ min: 0, max: 23 }),
      minutes: fc.integer({ min: 0, max: 59 }),
    })
    .map(({ sign, hours, minutes }) => ({
      text: `${sign > 0 ? "+" : "-"}${two(hours)}:${two(minutes)}`,
      minutes: sign * (hours * 60 + minutes),
    })),
)

/** Days of a month by the Gregorian rule, spelled out. */
const daysIn = (year: number, month: number): number => {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Days from 1970-01-01, counted month by month from a year's own first day. */
const daysFromEpoch = (year: number, month: number, day: number): number => {
  const before = year - 1
  const toYear = before * 365 + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - 719_162
  let days = toYear + day - 1
  for (let each = 1; each < month; each++) days += daysIn(year, each)
  return days
}

describe("parseTimestamp", () => {
  it("reads back what formatUtc writes", () => {
    fc.assert(
      fc.property(instant, (ms) => {
        assert.deepEqual(parseTimestamp(formatUtc(ms)), { ok: true, ms })
      }),
      { numRuns: 500 },
    )
    for (const ms of [earliestMs, -1, 0, 1, latestMs]) assert.deepEqual(parseTimestamp(formatUtc(ms)), { ok: true, ms })
  })

  it("reads every date that the calendar has, in any offset, and no other", () => {
    const fraction = fc.option(fc.stringMatching(/^[0-9]{1,9}$/))
    fc.assert(
      fc.property(
        dateOf,
        clockOf,
        fraction,
        offsetOf,
        fc.constantFrom("T", "t"),
        (date, clock, digits, offset, letter) => {
          const written = `${four(date.year)}-${two(date.month)}-${two(date.day)}${letter}${two(clock.hour)}:${two(clock.minute)}:${two(clock.second)}${digits === null ? "" : `.${digits}`}`
          const exists = date.day <= daysIn(date.year, date.month)
          const minutes =
            daysFromEpoch(date.year, date.month, date.day) * 1440 + clock.hour * 60 + clock.minute - offset.minutes
          const ms = (minutes * 60 + clock.second) * 1000 + Math.floor((Number(`0.${digits ?? 0}`) * 1e9) / 1e6)
          assert.deepEqual(
            parseTimestamp(written + offset.text),
            exists ? { ok: true, ms } : { ok: false, reason: "not_a_timestamp" },
          )
          assert.deepEqual(parseTimestamp(written), {
            ok: false,
            reason: exists ? "missing_offset" : "not_a_timestamp",
          })
        },
      ),
      { numRuns: 2000 },
    )
  })

  it.each([
    ["2026-01-05T09:00:00Z", Date.UTC(2026, 0, 5, 9)],
    ["2026-01-05T09:00:00+05:30", Date.UTC(2026, 0, 5, 3, 30)],
    ["2026-01-05T09:00:00-08:00", Date.UTC(2026, 0, 5, 17)],
    ["2026-01-05T09:00:00.1Z", Date.UTC(2026, 0, 5, 9, 0, 0, 100)],
    ["2026-01-05T09:00:00.123999999Z", Date.UTC(2026, 0, 5, 9, 0, 0, 123)],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["1969-12-31T23:59:59.9999Z", -1],
  ])("%s", (text, ms) => {
    assert.deepEqual(parseTimestamp(text), { ok: true, ms })
  })

  it.each(["2026-01-05T09:00:00", "2026-01-05t09:00:00.123456"])("misses the offset of %s", (text) => {
    assert.deepEqual(parseTimestamp(text), { ok: false, reason: "missing_offset" })
  })

  it.each([
    "",
    "now",
    "0",
    "1767603600000",
    "2026-01-05",
    "2026-01-05Z",
    "2026-01-05T09Z",
    "2026-01-05T09:00Z",
    "2026-01-05 09:00:00Z",
    "2026-01-05T09:00:00 Z",
    " 2026-01-05T09:00:00Z",
    "2026-01-05T09:00:00Z\n",
    "2026-01-05T09:00:00.Z",
    "2026-01-05T09:00:00,5Z",
    "2026-01-05T09:00:00.1234567890Z",
    "2026-01-05T09:00:00+05",
    "2026-01-05T09:00:00+0530",
    "2026-01-05T09:00:00+24:00",
    "2026-01-05T09:00:00+05:60",
    "2026-01-05T09:00:00\u221205:30",
    "2026-01-05T09:00:00+05:30[Asia/Kolkata]",
    "2026-01-05T09:00:00 05:30",
    "2026-01-05T24:00:00Z",
    "2026-01-05T09:60:00Z",
    "2026-01-05T09:00:60Z",
    "2016-12-31T23:59:60Z",
    "2026-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-13-10T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-32T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-02-30T00:00:00",
    "26-01-05T09:00:00Z",
    "+002026-01-05T09:00:00Z",
    "-2026-01-05T09:00:00Z",
    "2026-1-5T09:00:00Z",
    "20260105T090000Z",
    "2026-W02-1T09:00:00Z",
    "\u0662026-01-05T09:00:00Z",
    "Mon, 05 Jan 2026 09:00:00 GMT",
    "9999-12-31T23:59:59-00:01",
    "0000-01-01T00:00:00+00:01",
  ])("refuses %j", (text) => {
    assert.deepEqual(parseTimestamp(text), { ok: false, reason: "not_a_timestamp" })
  })

  it("answers to any text", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9:.TZ+ -]{0,40}$/), (text) => {
        const result = parseTimestamp(text)
        if (result.ok) assert.isTrue(result.ms >= earliestMs && result.ms <= latestMs)
      }),
    )
  })
})

describe("formatUtc", () => {
  it("writes UTC with milliseconds and Z", () => {
    fc.assert(fc.property(instant, (ms) => assert.match(formatUtc(ms), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)))
    assert.strictEqual(formatUtc(0), "1970-01-01T00:00:00.000Z")
  })

  it("orders texts as instants", () => {
    fc.assert(
      fc.property(instant, instant, (left, right) => {
        assert.strictEqual(formatUtc(left) < formatUtc(right), left < right)
      }),
    )
  })
})
