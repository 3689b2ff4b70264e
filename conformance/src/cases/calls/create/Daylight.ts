import type { Client } from "../../../http/Client.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent, everyDay } from "../../../trial/Agents.ts"
import { bookCall } from "../../../trial/Calls.ts"
import { dayMs, hourMs, minuteMs } from "../../../trial/Duration.ts"
import type { Trial } from "../../../trial/Trial.ts"

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

/** How far ahead calls are booked here; 30 days is the most. */
const bookableMs = 29 * dayMs

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

/** The clauses that a change of clocks shows. */
const clauses = ["CALL-WINDOW-2", "CALL-WINDOW-P5", "CALL-WINDOW-P6", "CALL-WINDOW-P8", "CALL-WINDOW-P11"]

/** Books a call before a window that opens in the hour that is skipped or repeated, and looks where it is moved. */
const judge = async (trial: Trial, client: Client, { at, hour, skips, zone }: Change): Promise<void> => {
  const { check } = trial
  const end = skips ? local(hour + 1, "30") : local(hour, "20")
  const guard = { enabled: true, timezone: zone, start: local(hour, "15"), end, days: everyDay }
  const agent_id = await activeAgent(trial, client, { calling_guard: guard })
  const scheduled_at = new Date(at - 2 * hourMs).toISOString()
  const answer = await bookCall(trial, client, {
    agent_id,
    to_number: trial.numbers.magic("completed", 1),
    scheduled_at,
  })
  check.status(`accepted-${zone}`, "CALL-WINDOW-2", answer, 202)
  const moment = Date.parse(answer.string("scheduled_at"))
  const opens = skips ? [at] : [at - 45 * minuteMs, at + 15 * minuteMs]
  const lastsMs = (skips ? 30 : 5) * minuteMs
  const isInside = opens.some((opening) => moment >= opening && moment < opening + lastsMs)
  check.holds(`inside-${zone}`, "CALL-WINDOW-2", isInside, "inside the next window", answer)
  if (skips) {
    const inWindow = moment >= at && moment < at + 25 * minuteMs
    check.holds(`skipped-${zone}`, "CALL-WINDOW-P5", inWindow, "from the first minute that exists", answer)
  } else {
    check.equal(`repeated-${zone}`, ["CALL-WINDOW-P6", "CALL-WINDOW-P8"], moment, at - 45 * minuteMs, answer)
    const again = new Date(at + 17 * minuteMs).toISOString()
    const to_number = trial.numbers.magic("completed", 1)
    const second = await bookCall(trial, client, { agent_id, to_number, scheduled_at: again })
    const deferred = second.at("deferred_by_calling_guard")
    check.equal(`second-pass-${zone}`, "CALL-WINDOW-P11", deferred, true, second)
  }
}

const isUsable = ({ hour, skips }: Change): boolean => hour < 22 || !skips

const near: Case = {
  id: "calls/create/guard/daylight-saving",
  title: "Windows follow the wall clock over a change of daylight saving time",
  clauses,
  requires: ["http"],
  run: async (trial) => {
    const now = await trial.now()
    const changes = zones.flatMap((zone) => changeIn(zone, now + dayMs, now + bookableMs) ?? [])
    const usable = changes.filter(isUsable)
    if (usable.length === 0) {
      trial.check.note("none-near", "CALL-WINDOW-P5", "no clocks change within the 30 days that can be booked")
      return
    }
    const { client } = await trial.tenant()
    for (const change of usable) await judge(trial, client, change)
  },
}

/** The next change of one kind in any of the zones, within a year. */
const nextChange = (from: number, skips: boolean): Change | undefined =>
  zones
    .flatMap((zone) => {
      const found: Array<Change> = []
      // Between two changes of a zone lie a month or more, so each month has one of them at most.
      for (let month = 0; month < 13; month++) {
        const change = changeIn(zone, from + month * bookableMs, from + (month + 1) * bookableMs)
        if (change !== undefined && change.skips === skips && isUsable(change)) found.push(change)
      }
      return found
    })
    .toSorted((one, other) => one.at - other.at)[0]

const chosen: Case = {
  id: "calls/create/guard/clocks-change",
  title:
    "Windows follow the wall clock where an hour is skipped and where one is repeated, whatever the time of the year",
  clauses,
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { clock } = trial
    const { client } = await trial.organization()
    for (const skips of [true, false]) {
      const change = nextChange((await trial.now()) + dayMs, skips)
      if (change === undefined) continue
      const early = change.at - bookableMs - (await trial.now())
      if (early > 0) await clock.advance(early)
      await judge(trial, client, change)
    }
  },
}

export const daylightCases: ReadonlyArray<Case> = [near, chosen]
