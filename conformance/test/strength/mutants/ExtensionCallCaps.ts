/** Mistakes in caps on calls. */
import type { JsonObject } from "../../../src/http/Json.ts"
import {
  asks,
  body,
  by,
  cut,
  forgives,
  fresh,
  ignores,
  over,
  plus,
  recodes,
  refuses,
  row,
  rows,
  set,
  where,
  wire,
  writes,
} from "../Defects.ts"
import { type Asked, type Defect, objectOf } from "../Mutant.ts"
import { c, m } from "../Table.ts"
import { calls, contactsOf, explain, letsPass, listOf, merges, place, swallows, trail } from "./ExtensionDefects.ts"

const setCaps = "PUT /v2/call-caps"
const read = "GET /v2/call-caps"
const remove = "DELETE /v2/call-caps"

const isNow = (json: JsonObject): boolean => !("scheduled_at" in json)

const numberOf = ({ json }: Asked): unknown => objectOf(json)["to_number"]

const shown = ({ json }: Asked) => ({ ...objectOf(json), updated_at: "2026-01-05T15:00:00.000Z" })

/** Lets a call pass where the last one to its number was made on another date. */
const byDate = (): Defect =>
  wire(() => {
    const dates = new Map<unknown, string>()
    return async (asked, next) => {
      if (asked.method !== "POST" || asked.path !== "/v2/calls") return next(asked)
      const clock = await next({
        ...asked,
        method: "GET",
        path: "/_sim/clock",
        json: undefined,
        headers: new Headers(),
      })
      const date = String(objectOf(clock.json)["now"]).slice(0, 10)
      const last = dates.get(numberOf(asked))
      dates.set(numberOf(asked), last ?? date)
      const isOther = last !== undefined && last !== date
      return next(isOther ? { ...asked, json: { ...objectOf(asked.json), override_call_caps: true } } : asked)
    }
  })

/** Counts calls that arrived. */
const countsArrived = (): Defect =>
  wire(() => {
    const arrived = new Set<unknown>()
    const refusing = refuses(place, (asked) => arrived.has(numberOf(asked)), 1201, 409).wire?.()
    return (asked, next) => {
      if (asked.path === "/_sim/inbound") arrived.add(objectOf(asked.json)["from_number"])
      return refusing === undefined ? next(asked) : refusing(asked, next)
    }
  })

/** Forgets calls that were made all the same. */
const forgetsOverrides = (): Defect =>
  fresh(() => {
    const numbers = new Set<unknown>()
    return asks(place, (json) => {
      if (numbers.has(json["to_number"])) return { ...json, override_call_caps: true }
      if (json["override_call_caps"] === true) numbers.add(json["to_number"])
      return json
    })
  })

const keepsWidest = (): Defect =>
  wire(() => {
    let most = 0
    const lost = swallows(setCaps, 200, shown).wire?.()
    return (asked, next) => {
      const asks =
        asked.method === "PUT" && asked.path === "/v2/call-caps" ? Number(objectOf(asked.json)["per_day"]) : 0
      if (asks > 0 && asks < most && lost !== undefined) return lost(asked, next)
      most = Math.max(most, asks)
      return next(asked)
    }
  })

const wasBusy = (_asked: Asked, all: ReadonlyArray<JsonObject>): boolean => all.some(({ status }) => status === "busy")
const isLive = (_asked: Asked, all: ReadonlyArray<JsonObject>): boolean =>
  all.some(({ is_terminal }) => is_terminal === false)

/** Refuses a call to a number that was called so often before, whatever the caps are. */
const refusesAfter = (most: number): Defect =>
  wire(() => {
    const made = new Map<unknown, number>()
    const refusing = refuses(place, (asked) => (made.get(numberOf(asked)) ?? 0) >= most, 1201, 409).wire?.()
    return async (asked, next) => {
      const reply = await (refusing === undefined ? next(asked) : refusing(asked, next))
      if (asked.method === "POST" && asked.path === "/v2/calls" && reply.status === 201)
        made.set(numberOf(asked), (made.get(numberOf(asked)) ?? 0) + 1)
      return reply
    }
  })

/** Servers that each break one promise of call caps. */
export const callCapMutants = [
  m(
    "CAPS-E1",
    "Bookings are not looked at.",
    calls("override_call_caps", true, (json) => !isNow(json)),
  ),
  c("CAPS-E1", "Calls by hand are not looked at.", calls("override_call_caps", true, isNow)),
  m(
    "CAPS-E2",
    "Some caps are there at first.",
    forgives(read, 1200, 200, () => ({ per_day: 3 })),
  ),
  c("CAPS-E2", "A number is called three times, and no more.", refusesAfter(3)),
  c(
    "CAPS-E3",
    "Each agent may call a number so often.",
    letsPass("override_call_caps", ({ json }, all) =>
      all.every(({ agent_id }) => agent_id !== objectOf(json)["agent_id"]),
    ),
  ),
  m("CAPS-E4", "The week is dropped.", asks(setCaps, cut("per_week"))),
  m("CAPS-E5", "One more call in a day is made.", asks(setCaps, over("per_day", plus(1)))),
  c("CAPS-E5", "Thirty-one calls in a day are taken.", forgives(setCaps, 1001, 200, shown)),
  m("CAPS-E6", "The week is not looked at.", asks(setCaps, cut("per_week"))),
  m("CAPS-E7", "Thirty days are not looked at.", asks(setCaps, cut("per_thirty_days"))),
  c(
    "CAPS-E7",
    "Thirty days are a week.",
    asks(setCaps, (json) => ("per_thirty_days" in json ? { per_week: json["per_thirty_days"] } : json)),
  ),
  m(
    "CAPS-E8",
    "The rest is half as long.",
    asks(
      setCaps,
      where((json) => json["minimum_rest_seconds"] === 3_600, set("minimum_rest_seconds", 1_800)),
    ),
  ),
  m(
    "CAPS-E9",
    "A cap that is left out is one call.",
    asks(setCaps, (json) => ({ per_thirty_days: 1, ...json })),
  ),
  m("CAPS-E10", "Caps are merged with those before.", merges(setCaps)),
  c(
    "CAPS-E10",
    "Nothing is taken away.",
    swallows(remove, 200, () => ({ deleted: true })),
  ),
  m("CAPS-E11", "A day is a date.", byDate()),
  m("CAPS-E12", "A busy call does not count.", letsPass("override_call_caps", wasBusy)),
  c("CAPS-E12", "Calls from before the caps count, too.", refusesAfter(1)),
  m("CAPS-E13", "A call counts when it is over.", letsPass("override_call_caps", isLive)),
  c(
    "CAPS-E13",
    "A call counts twice where it is reported twice.",
    asks(
      setCaps,
      where((json) => json["per_day"] === 2, set("per_day", 1)),
    ),
  ),
  m("CAPS-E15", "The list is not by number.", ignores("GET /v2/calls", "to_number")),
  c(
    "CAPS-E16",
    "A call that was taken back counts.",
    writes((change, commit) => {
      if (change.put !== "callee" || change.row.attempts?.length !== 0) return change
      const contact = commit.changes.find((other) => other.put === "contact")
      const at = contact?.put === "contact" ? contact.row.eligible_at : null
      return at == null ? change : { ...change, row: { ...change.row, attempts: [{ execution_id: "exec_gone", at }] } }
    }),
  ),
  m("CAPS-E17", "A call that arrived counts.", countsArrived()),
  m(
    "CAPS-E18",
    "Until when a contact waits is not said.",
    row(
      contactsOf,
      by("next_attempt_at", () => null),
    ),
  ),
  c(
    "CAPS-E18",
    "Why it waits is not said.",
    body(
      explain,
      over("blocking", (all) => listOf(all).map((each) => ({ ...each, reason: "callee_hours" }))),
    ),
  ),
  m("CAPS-E19", "A number that was called too often is an invalid one.", recodes(place, 1201, 1001, 422)),
  c(
    "CAPS-E21",
    "A refused call is listed.",
    rows("GET /v2/calls", (all) => [...all, ...all.slice(0, 1)]),
  ),
  m(
    "CAPS-E22",
    "A booking is refused.",
    refuses(place, ({ json }) => !isNow(objectOf(json)), 1201, 409),
  ),
  m(
    "CAPS-E23",
    "A booking that is due is not looked at.",
    calls("override_call_caps", true, (json) => !isNow(json)),
  ),
  m(
    "CAPS-E24",
    "A call that arrives is refused.",
    refuses("POST /_sim/inbound", () => true, 1201, 409),
  ),
  m(
    "CAPS-E26",
    "Caps that are taken away go on to stand.",
    swallows(remove, 200, () => ({ deleted: true })),
  ),
  m("CAPS-E27", "Caps are never narrowed.", keepsWidest()),
  m("CAPS-E28", "Nothing overrides.", asks(place, cut("override_call_caps"))),
  m(
    "CAPS-E29",
    "Everybody may override.",
    forgives(place, 1102, 201, () => ({ execution_id: "exec_x" })),
  ),
  c("CAPS-E29", "The trail does not say who overrode.", row(trail, cut("details.override_call_caps"))),
  m("CAPS-E30", "A call that was made all the same does not count.", forgetsOverrides()),
  m(
    "CAPS-E31",
    "Reading needs no scope.",
    forgives(read, 1102, 200, () => ({ per_day: 1 })),
  ),
  m("CAPS-E32", "Setting needs no scope.", forgives(setCaps, 1102, 200, shown)),
]
