/** Mistakes in callee hours. */
import type { JsonObject } from "../../../src/http/Json.ts"
import {
  asks,
  body,
  by,
  cut,
  forgives,
  ignores,
  over,
  recodes,
  refuses,
  restates,
  row,
  set,
  where,
  wire,
  words,
} from "../Defects.ts"
import { type Asked, type Defect, objectOf } from "../Mutant.ts"
import { c, m } from "../Table.ts"
import { calls, contactsOf, explain, hangsUp, listOf, merges, place, swallows, trail } from "./ExtensionDefects.ts"

const setHours = "PUT /v2/callee-hours"
const read = "GET /v2/callee-hours"
const remove = "DELETE /v2/callee-hours"
const check = "POST /v2/callee-hours/check"
const presets = "GET /v2/callee-hours/presets"
const createCampaign = "POST /v2/campaigns"

const hourMs = 3_600_000

const shifted =
  (hours: number) =>
  (value: unknown): unknown =>
    typeof value === "string" ? new Date(Date.parse(value) + hours * hourMs).toISOString() : value

const numberOf = (json: JsonObject): string => String(Array.isArray(json["to_numbers"]) ? json["to_numbers"][0] : "")

const countOf = ({ to_numbers }: JsonObject): number => (Array.isArray(to_numbers) ? to_numbers.length : 0)

/** Checks at another moment where the number begins so. */
const checksLater = (prefix: string, hours: number): Defect =>
  asks(
    check,
    where((json) => numberOf(json).startsWith(prefix), over("at", shifted(hours))),
  )

/** Changes the hours of each country before the server sees them. */
const eachCountry = (change: (hours: JsonObject) => JsonObject): Defect =>
  asks(
    setHours,
    over("countries", (all) =>
      Object.fromEntries(
        Object.entries(objectOf(all)).map(([name, hours]) => [name, hours === null ? null : change(objectOf(hours))]),
      ),
    ),
  )

const shown = ({ json }: Asked) => ({ agent_id: null, ...objectOf(json), updated_at: "2026-01-05T15:00:00.000Z" })

const contactsWith = (change: (contact: JsonObject) => JsonObject): Defect =>
  asks(
    createCampaign,
    over("contacts", (all) => listOf(all).map(change)),
  )

const blue = ({ timezone, ...contact }: JsonObject): JsonObject =>
  timezone === "blue" ? contact : { ...contact, ...(timezone === undefined ? {} : { timezone }) }

/** Keeps the first hours of each organization, and loses those that come later. */
const keepsFirst = (): Defect =>
  wire(() => {
    const known = new Set<string | null>()
    const lost = swallows(setHours, 200, shown).wire?.()
    return (asked, next) => {
      if (asked.method !== "PUT" || asked.path !== "/v2/callee-hours") return next(asked)
      const key = asked.headers.get("authorization")
      if (known.has(key) && lost !== undefined) return lost(asked, next)
      known.add(key)
      return next(asked)
    }
  })

const settings = [
  ...["HOURS-E1", "HOURS-E24", "HOURS-E5"].map((clause) =>
    m(clause, "Hours go by the clock of UTC.", checksLater("+1212", -5)),
  ),
  m(
    "HOURS-E2",
    "Some hours are there at first.",
    forgives(read, 1200, 200, () => ({ agent_id: null, elsewhere: null })),
  ),
  m(
    "HOURS-E3",
    "The agent's window is not looked at.",
    asks(["POST /v2/agents", "PATCH /v2/agents/*"], cut("calling_guard")),
  ),
  m("HOURS-E4", "Hours of an agent are those of all.", ignores(setHours, "agent_id")),
  c(
    "HOURS-E5",
    "A country that is open at any time is not kept.",
    asks(
      setHours,
      over("countries", (all) =>
        Object.fromEntries(Object.entries(objectOf(all)).filter(([, hours]) => hours !== null)),
      ),
    ),
  ),
  m("HOURS-E6", "Elsewhere it is open at any time.", asks(setHours, cut("elsewhere"))),
  m("HOURS-E7", "Openings in any order are taken.", forgives(setHours, 1001, 200, shown)),
  c(
    "HOURS-E7",
    "Days that are left out are as Wednesdays.",
    eachCountry((hours) => (hours["wednesday"] === undefined ? hours : { tuesday: hours["wednesday"], ...hours })),
  ),
  m(
    "HOURS-E8",
    "A preset is empty.",
    eachCountry(({ preset: _preset, ...hours }) => hours),
  ),
  m(
    "HOURS-E10",
    "Holidays are ignored.",
    eachCountry(({ holidays: _holidays, ...hours }) => hours),
  ),
  m("HOURS-E11", "The zone of unknown numbers is ignored.", asks(setHours, cut("unknown_timezone"))),
  c(
    "HOURS-E11",
    "An unknown number is in no zone, and open.",
    body(
      check,
      over("data", (all) =>
        listOf(all).map((each) => (String(each["to_number"]).startsWith("+999") ? { ...each, is_open: true } : each)),
      ),
    ),
  ),
  m("HOURS-E12", "Only the column timezone is known.", asks(setHours, cut("timezone_column"))),
  c(
    "HOURS-E13",
    "Calls that are set free are bound by a wider scope.",
    asks(
      setHours,
      where(
        (json) => json["enabled"] === false,
        () => ({ elsewhere: {}, unknown_timezone: "UTC" }),
      ),
    ),
  ),
  m("HOURS-E14", "Hours are merged with those before.", merges(setHours)),
  m(
    "HOURS-E15",
    "Hours of an agent are kept, and do not stand.",
    swallows(setHours, 200, shown, ({ query }) => query.has("agent_id")),
  ),
  c(
    "HOURS-E15",
    "Hours of a campaign are kept, and do not stand.",
    swallows(setHours, 200, shown, ({ query }) => query.has("campaign_id")),
  ),
  m(
    "HOURS-E16",
    "Nothing is taken away.",
    swallows(remove, 200, () => ({ deleted: true })),
  ),
  m(
    "HOURS-E17",
    "Where a preset was read is not said.",
    body(
      presets,
      over("hours", (all) => listOf(all).map((each) => ({ ...each, sources: [] }))),
    ),
  ),
  m(
    "HOURS-E18",
    "To which calls a preset applies is not said.",
    body(
      presets,
      over("hours", (all) => listOf(all).map((each) => ({ ...each, about: "" }))),
    ),
  ),
  m(
    "HOURS-E19",
    "When next is not said.",
    row(
      check,
      by("opens_at", () => null),
    ),
  ),
  c(
    "HOURS-E19",
    "Five hundred numbers are too many.",
    refuses(check, ({ json }) => countOf(objectOf(json)) > 500, 1001, 422),
  ),
  m(
    "HOURS-E46",
    "Without hours of its own a scope is not checked.",
    refuses(check, ({ json }) => objectOf(json)["agent_id"] !== undefined, 1200, 404),
  ),
  m(
    "HOURS-E20",
    "A contact's own zone is not looked at.",
    contactsWith(({ timezone: _zone, ...contact }) => contact),
  ),
  m("HOURS-E21", "A zone that is none is dropped.", contactsWith(blue)),
  c(
    "HOURS-E21",
    "The contact is not named.",
    words(createCampaign, 1001, () => "A contact is wrong."),
  ),
  c(
    "HOURS-E22",
    "Without a column there is the usual one.",
    asks(
      setHours,
      where((json) => json["timezone_column"] === null, cut("timezone_column")),
    ),
  ),
  c(
    "HOURS-E23",
    "A zone that is none is far away.",
    contactsWith((contact) =>
      contact["timezone"] === "blue" ? { ...contact, timezone: "Pacific/Kiritimati" } : contact,
    ),
  ),
  ...["HOURS-E25", "HOURS-E28"].map((clause) =>
    c(
      clause,
      "An unknown area code is New York.",
      asks(
        check,
        where((json) => /^\+1(555|800)/.test(numberOf(json)), set("to_numbers", ["+12125550123"])),
      ),
    ),
  ),
  m("HOURS-E26", "Germany is an hour behind.", checksLater("+49", -1)),
  c(
    "HOURS-E27",
    "An unknown number is in no zone, and open.",
    body(
      check,
      over("data", (all) =>
        listOf(all).map((each) => (String(each["to_number"]).startsWith("+999") ? { ...each, is_open: true } : each)),
      ),
    ),
  ),
  c(
    "HOURS-E28",
    "It is winter all year.",
    asks(
      check,
      where((json) => String(json["at"]).slice(5, 7) === "07", over("at", shifted(-1))),
    ),
  ),
]

const madeCalls = [
  m(
    "HOURS-E29",
    "That hours hold a contact is not explained.",
    body(
      explain,
      over("blocking", (all) => listOf(all).map((each) => ({ ...each, reason: "outside_hours" }))),
    ),
  ),
  c(
    "HOURS-E29",
    "When a contact is next due is not said.",
    row(
      contactsOf,
      by("next_attempt_at", () => null),
    ),
  ),
  m("HOURS-E30", "Calls are made at any hour.", calls("override_callee_hours", true)),
  c("HOURS-E30", "That a call was moved is not said.", body(place, cut("deferred_by_calling_guard"))),
  ...["HOURS-E31", "HOURS-E34"].map((clause) =>
    m(
      clause,
      "Bookings are not looked at.",
      calls("override_callee_hours", true, (json) => "scheduled_at" in json),
    ),
  ),
  m("HOURS-E32", "Hours that never open are an invalid number.", recodes(place, 1201, 1001, 422)),
  m(
    "HOURS-E35",
    "Hours that are taken away go on to stand.",
    swallows(remove, 200, () => ({ deleted: true })),
  ),
  m("HOURS-E36", "A call that arrives outside the hours is refused.", restates("POST /_sim/inbound", 201, 409)),
  c("HOURS-E37", "The first hours stand for good.", keepsFirst()),
  m("HOURS-E38", "A call that was begun is hung up.", hangsUp(setHours)),
  m("HOURS-E39", "Nothing overrides.", asks(place, cut("override_callee_hours"))),
  m(
    "HOURS-E40",
    "Everybody may override.",
    forgives(place, 1102, 201, () => ({ execution_id: "exec_x" })),
  ),
  c("HOURS-E40", "The trail does not say who overrode.", row(trail, cut("details.override_callee_hours"))),
  c(
    "HOURS-E41",
    "The finish is told as if all were open.",
    body(
      explain,
      by("estimated_finish_at", () => "2026-01-01T00:00:00.000Z"),
    ),
  ),
  m("HOURS-E42", "Why there is no estimate is not said.", body(explain, set("no_estimate_reason", "too_few_calls"))),
  m(
    "HOURS-E44",
    "Reading needs no scope.",
    forgives(presets, 1102, 200, () => ({ hours: [], holidays: [] })),
  ),
  c(
    "HOURS-E45",
    "Removing needs no scope.",
    forgives(remove, 1102, 200, () => ({ deleted: true })),
  ),
]

/** Servers that each break one promise of callee hours. */
export const calleeHoursMutants = [...settings, ...madeCalls]
