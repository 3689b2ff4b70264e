import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { bookCall } from "../../../trial/Calls.ts"
import { dayMs, hourMs, minuteMs } from "../../../trial/Duration.ts"

/** Zones that move by a whole hour, at different times of the year. */
const zones = [
  "Europe/Berlin",
  "America/New_York",
  "Africa/Casablanca",
  "Australia/Sydney",
  "Pacific/Auckland",
  "America/Santiago",
]

/** How far east of UTC the clocks of a zone are at a moment, in milliseconds. */
type Offset = (moment: number) => number

const offsetOf = (zone: string): Offset => {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "longOffset" })
  return (moment) => {
    const name = format.formatToParts(moment).find(({ type }) => type === "timeZoneName")?.value ?? "GMT"
    const [, sign = "+", hours = "0", minutes = "0"] = /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name) ?? []
    return (sign === "-" ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * minuteMs)
  }
}

/** A moment at which clocks are put forward (an hour is skipped) or back (an hour is repeated). */
interface Change {
  readonly zone: string
  readonly at: number
  readonly skips: boolean
  /** The hour of the day that is skipped or repeated. */
  readonly hour: number
}

/** The first change of a zone between two moments, to the hour. */
const changeIn = (zone: string, from: number, to: number): Change | undefined => {
  const offset = offsetOf(zone)
  const first = Math.ceil(from / hourMs) * hourMs
  if (offset(first) === offset(to)) return undefined
  let before = offset(first)
  for (let at = first; at < to; at += hourMs) {
    const after = offset(at)
    if (before !== after) {
      const hour = Math.floor(((at + Math.min(before, after)) % dayMs) / hourMs)
      return { zone, at, skips: after > before, hour }
    }
    before = after
  }
  return undefined
}

const local = (hour: number, minute: string): string => `${String(hour % 24).padStart(2, "0")}:${minute}`

const daylight: Case = {
  id: "calls/create/guard/daylight-saving",
  title: "Windows follow the wall clock over a change of daylight saving time",
  clauses: ["CALL-WINDOW-2", "CALL-WINDOW-P5", "CALL-WINDOW-P6", "CALL-WINDOW-P8"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const now = await trial.now()
    const changes = zones.flatMap((zone) => changeIn(zone, now + dayMs, now + 29 * dayMs) ?? [])
    const usable = changes.filter(({ hour, skips }) => hour < 22 || !skips)
    if (usable.length === 0) {
      check.note("none-near", "CALL-WINDOW-P5", "no clocks change within the 30 days that can be booked")
      return
    }
    const { client } = await trial.tenant()
    for (const { zone, at, skips, hour } of usable) {
      const end = skips ? local(hour + 1, "30") : local(hour, "20")
      const guard = { enabled: true, timezone: zone, start: local(hour, "15"), end }
      const agent_id = await activeAgent(trial, client, { calling_guard: guard })
      const scheduled_at = new Date(at - 2 * hourMs).toISOString()
      const answer = await bookCall(trial, client, {
        agent_id,
        to_number: trial.numbers.magic("completed", 1),
        scheduled_at,
      })
      check.status(`accepted-${zone}`, "CALL-WINDOW-2", answer, 202)
      const moment = Date.parse(answer.string("scheduled_at"))
      if (skips) {
        const inWindow = moment >= at && moment < at + 25 * minuteMs
        check.holds(`skipped-${zone}`, "CALL-WINDOW-P5", inWindow, "from the first minute that exists", answer)
      } else {
        check.equal(`repeated-${zone}`, ["CALL-WINDOW-P6", "CALL-WINDOW-P8"], moment, at - 45 * minuteMs, answer)
      }
    }
  },
}

export const daylightCases: ReadonlyArray<Case> = [daylight]
