import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent, everyDay } from "../../../trial/Agents.ts"
import { bookCall, readCall, stopCall } from "../../../trial/Calls.ts"
import { dayMs, hourMs, minuteMs, secondMs } from "../../../trial/Duration.ts"

/** The part of a window in which nothing is placed. */
const tailMs = 5 * minuteMs

const clockText = (ms: number): string => new Date(ms).toISOString().slice(11, 16)

/** A daily window of three hours in UTC that does not contain the present, and the next time it opens. */
const windowAwayFrom = (now: number): { start: string; end: string; opensAt: number; closesAt: number } => {
  const midnight = Math.floor(now / dayMs) * dayMs
  const hour = Math.floor((now - midnight) / hourMs)
  // At least an hour away on either side, and within one day.
  const opening = hour < 12 ? (hour + 2) * hourMs : (hour - 6) * hourMs
  const opensAt = midnight + opening + (opening > now - midnight ? 0 : dayMs)
  return { start: clockText(opening), end: clockText(opening + 3 * hourMs), opensAt, closesAt: opensAt + 3 * hourMs }
}

const immediate: Case = {
  id: "calls/create/guard/immediate",
  title: "An immediate call outside the calling window is booked inside the next one, and says so",
  clauses: [
    "CALL-WINDOW-1",
    "CALL-WINDOW-2",
    "CALL-WINDOW-3",
    "CALL-WINDOW-4",
    "CALL-WINDOW-5",
    "CALL-WINDOW-6",
    "CALL-WINDOW-7",
    "CALL-WINDOW-8",
    "CALL-WINDOW-P7",
    "STATUS-MOVE-8",
    "STATUS-MOVE-9",
    "STATUS-MOVE-10",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const { start, end, opensAt, closesAt } = windowAwayFrom(await trial.now())
    const agent_id = await activeAgent(trial, client, {
      calling_guard: { enabled: true, timezone: "UTC", start, end, days: everyDay },
    })
    const moments = new Set<number>()
    for (let nth = 0; nth < 12; nth++) {
      const answer = await bookCall(trial, client, { agent_id, to_number: trial.numbers.magic("completed", 1) })
      check.status("not-refused", ["CALL-WINDOW-1", "STATUS-MOVE-8"], answer, 202)
      check.equal("scheduled", ["CALL-WINDOW-8", "STATUS-MOVE-8"], answer.at("status"), "scheduled", answer)
      check.equal("told", ["CALL-WINDOW-7", "STATUS-MOVE-9"], answer.at("deferred_by_calling_guard"), true, answer)
      const moment = Date.parse(answer.string("scheduled_at"))
      moments.add(moment)
      check.holds("reports-the-new-time", "STATUS-MOVE-10", !Number.isNaN(moment), "scheduled_at", answer)
      check.holds(
        "inside-the-next-window",
        "CALL-WINDOW-2",
        moment >= opensAt && moment < closesAt,
        "inside the next window",
        answer,
      )
      check.holds("not-before-opening", "CALL-WINDOW-5", moment >= opensAt, "at or after opening", answer)
      check.holds(
        "not-in-the-last-minutes",
        "CALL-WINDOW-6",
        moment < closesAt - tailMs,
        "before the last five minutes",
        answer,
      )
      const whole = (moment - opensAt) % secondMs === 0
      check.holds("on-whole-seconds", "CALL-WINDOW-P7", whole, "a whole second", answer)
      const read = await readCall(client, answer.string("execution_id"))
      check.equal("stable", ["CALL-WINDOW-4", "STATUS-MOVE-10"], Date.parse(read.string("scheduled_at")), moment, read)
    }
    const list = await client.get("/v2/calls", { status: "scheduled", page_size: 12 })
    for (const row of list.items().filter(isObject)) {
      const read = await readCall(client, String(row["execution_id"]))
      check.equal("stable-on-lists", "CALL-WINDOW-4", row["scheduled_at"], read.at("scheduled_at"), list)
    }
    const minutes = new Set([...moments].map((moment) => Math.floor(moment / minuteMs) % 60))
    check.holds("spread-over-the-hour", "CALL-WINDOW-3", minutes.size > 2, "different minutes of an hour")
    check.that("spread", "CALL-WINDOW-3", moments.size > 6, {
      expected: "different times",
      got: `${moments.size} of 12`,
    })
  },
}

const booked: Case = {
  id: "calls/create/guard/booked",
  title: "A booking outside the window moves to the next window after it; one inside stays where it is",
  clauses: [
    "CALL-WINDOW-1",
    "CALL-WINDOW-2",
    "CALL-WINDOW-6",
    "CALL-WINDOW-7",
    "CALL-WINDOW-P4",
    "CALL-WINDOW-P9",
    "CALL-WINDOW-P10",
    "STATUS-MOVE-8",
    "STATUS-MOVE-9",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const now = await trial.now()
    const { start, end, opensAt, closesAt } = windowAwayFrom(now)
    const agent_id = await activeAgent(trial, client, {
      calling_guard: { enabled: true, timezone: "UTC", start, end, days: everyDay },
    })
    const book = (moment: number) =>
      bookCall(trial, client, {
        agent_id,
        to_number: trial.numbers.magic("completed", 1),
        scheduled_at: new Date(moment).toISOString(),
      })
    const inside = await book(opensAt + dayMs + hourMs)
    check.status("inside-accepted", "CALL-WINDOW-1", inside, 202)
    check.equal(
      "inside-stays",
      "CALL-WINDOW-1",
      Date.parse(inside.string("scheduled_at")),
      opensAt + dayMs + hourMs,
      inside,
    )
    check.holds(
      "inside-not-deferred",
      "CALL-WINDOW-7",
      inside.at("deferred_by_calling_guard") !== true,
      "no deferral",
      inside,
    )
    const within = (moment: number, day: number) =>
      moment >= opensAt + day * dayMs && moment < closesAt + day * dayMs - tailMs
    const after = await book(closesAt + dayMs + hourMs)
    check.status("after-accepted", ["CALL-WINDOW-1", "STATUS-MOVE-8"], after, 202)
    check.equal(
      "after-deferred",
      ["CALL-WINDOW-7", "STATUS-MOVE-9"],
      after.at("deferred_by_calling_guard"),
      true,
      after,
    )
    check.holds(
      "after-to-the-next",
      ["CALL-WINDOW-2", "CALL-WINDOW-P9"],
      within(Date.parse(after.string("scheduled_at")), 2),
      "the next window",
      after,
    )
    const closing = await book(closesAt + dayMs)
    const isDeferred = closing.at("deferred_by_calling_guard")
    check.equal("closing-is-outside", ["CALL-WINDOW-P4", "CALL-WINDOW-P9"], isDeferred, true, closing)
    // No window is open at this time of the day, so the next one opens more than thirty days ahead.
    const late = await book(now + 30 * dayMs - minuteMs)
    check.status("may-land-later", "CALL-WINDOW-P10", late, 202)
  },
}

const days: Case = {
  id: "calls/create/guard/days",
  title: "Days are counted from Monday, in the agent's own zone",
  clauses: ["CALL-WINDOW-2", "CALL-WINDOW-P1", "CALL-WINDOW-P2", "CALL-WINDOW-P8", "AGENT-GUARD-2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const now = await trial.now()
    const weekday = (moment: number) => (new Date(moment).getUTCDay() + 6) % 7
    const dayAfterTomorrow = (weekday(now) + 2) % 7
    const guard = { enabled: true, timezone: "UTC", start: "10:00", end: "11:00", days: [dayAfterTomorrow] }
    const agent_id = await activeAgent(trial, client, { calling_guard: guard })
    const answer = await bookCall(trial, client, { agent_id, to_number: trial.numbers.magic("completed", 1) })
    const moment = Date.parse(answer.string("scheduled_at"))
    check.equal("day", "CALL-WINDOW-P1", weekday(moment), dayAfterTomorrow, answer)
    const opening = Math.floor(now / dayMs + 2) * dayMs + 10 * hourMs
    const inHours = (moment % dayMs) - 10 * hourMs
    check.holds("hours", "CALL-WINDOW-2", inHours >= 0 && inHours < 55 * minuteMs, "10:00 to 10:55", answer)
    check.holds(
      "window",
      "CALL-WINDOW-P1",
      moment >= opening && moment < opening + 55 * minuteMs,
      "10:00 to 10:55 that day",
      answer,
    )

    const tokyo = await activeAgent(trial, client, { calling_guard: { ...guard, timezone: "Asia/Tokyo" } })
    const local = await bookCall(trial, client, { agent_id: tokyo, to_number: trial.numbers.magic("completed", 1) })
    const hourInTokyo = new Date(Date.parse(local.string("scheduled_at")) + 9 * hourMs).getUTCHours()
    check.that("zone", "AGENT-GUARD-2", hourInTokyo === 10, {
      expected: "10:xx in Tokyo",
      got: local.at("scheduled_at"),
      at: local,
    })

    const brief = await activeAgent(trial, client, { calling_guard: { ...guard, start: "10:00", end: "10:05" } })
    const atOpening = await bookCall(trial, client, { agent_id: brief, to_number: trial.numbers.magic("completed", 1) })
    check.equal(
      "brief-window-gives-its-opening",
      "CALL-WINDOW-P8",
      Date.parse(atOpening.string("scheduled_at")),
      opening,
      atOpening,
    )

    const hours = { enabled: true, timezone: "UTC", start: "10:00", end: "11:00" }
    for (const [name, unnamed] of [
      ["omitted", hours],
      ["empty", { ...hours, days: [] }],
    ] as const) {
      const always = await activeAgent(trial, client, { calling_guard: unnamed })
      for (let nth = 2; nth < 9; nth++) {
        const time = Math.floor(now / dayMs + nth) * dayMs + 10 * hourMs + minuteMs
        const scheduled_at = new Date(time).toISOString()
        const to_number = trial.numbers.magic("completed", 1)
        const any = await bookCall(trial, client, { agent_id: always, to_number, scheduled_at })
        check.equal(`${name}-is-every-day`, "CALL-WINDOW-P2", Date.parse(any.string("scheduled_at")), time, any)
      }
    }
  },
}

const inside: Case = {
  id: "calls/create/guard/inside",
  title: "Inside the window a call is dialled at once, at its first instant and not at its last",
  clauses: ["CALL-WINDOW-1", "CALL-WINDOW-8", "CALL-WINDOW-P4"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const opening = (Math.floor((await clock.now()) / dayMs) + 1) * dayMs + 10 * hourMs
    const guard = { enabled: true, timezone: "UTC", start: "10:00", end: "11:00", days: everyDay }
    const agent_id = await activeAgent(trial, client, { calling_guard: guard })
    const place = () =>
      trial.settle(client.post("/v2/calls", { agent_id, to_number: trial.numbers.magic("completed", 1) }))
    const until = async (moment: number) => clock.advance(moment - (await clock.now()))
    await until(opening - 1)
    const early = await place()
    check.status("one-ms-before-opening", ["CALL-WINDOW-8", "CALL-WINDOW-P4"], early, 202)
    trial.made(await stopCall(client, early.string("execution_id")), 200)
    await until(opening)
    check.status("opening", "CALL-WINDOW-P4", await place(), 201)
    await until(opening + hourMs - minuteMs)
    check.status("last-minutes", "CALL-WINDOW-1", await place(), 201)
    await until(opening + hourMs)
    check.status("closing", "CALL-WINDOW-P4", await place(), 202)
  },
}

export const guardCases: ReadonlyArray<Case> = [immediate, booked, days, inside]
