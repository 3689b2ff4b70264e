/** Mistakes in suppressions. */
import type { JsonObject } from "../../../src/http/Json.ts"
import {
  answers,
  asks,
  body,
  by,
  cut,
  failing,
  forgives,
  forms,
  fresh,
  over,
  recodes,
  refuses,
  row,
  set,
  where,
  words,
  wire,
  writes,
} from "../Defects.ts"
import { type Asked, type Defect, objectOf } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"
import { after, before, calls, contactsOf, hangsUp, listOf, place, swallows, trail } from "./ExtensionDefects.ts"

const add = "POST /v2/suppressions"
const check = "POST /v2/suppressions/check"
const remove = "POST /v2/suppressions/remove"
const list = "GET /v2/suppressions"
const rules = "PUT /v2/suppressions/rules"

const numbersOf = ({ json }: Asked): ReadonlyArray<unknown> => {
  const { to_numbers } = objectOf(json)
  return Array.isArray(to_numbers) ? to_numbers : []
}

const isForm = ({ headers }: Asked): boolean => (headers.get("content-type") ?? "").startsWith("multipart/")

/** Changes the lines of a file with one calling code, or with any. */
const lines = (code: string | undefined, change: (text: string) => string): Defect =>
  forms(add, async (form) => {
    const file = form.get("file")
    if (!(file instanceof File) || (code !== undefined && form.get("calling_code") !== code)) return
    form.set("file", new File([change(await file.text())], file.name, { type: file.type }))
  })

/** Changes each rule before the server sees it. */
const eachRule = (change: (rule: JsonObject, nth: number) => JsonObject | ReadonlyArray<JsonObject>): Defect =>
  asks(rules, (json) => ({ ...json, suppress_on: listOf(json["suppress_on"]).flatMap(change) }))

/** Changes each suppression that is shown. */
const shown = (change: (suppression: JsonObject) => JsonObject): Defect =>
  row(
    [check, list],
    over("suppressions", (all) => listOf(all).map(change)),
  )

const counts = (asked: Asked) => ({ added: numbersOf(asked).length, replaced: 0, unchanged: 0, refused: 0 })

const later = (value: unknown): unknown =>
  typeof value === "string" ? new Date(Date.parse(value) + 60_000).toISOString() : value

const kept = [
  m(
    "SUPPRESSION-E1",
    "Somebody is suppressed from the beginning.",
    body(list, (json) =>
      listOf(json["data"]).length === 0 ? { ...json, data: [{ to_number: "+15550000000", suppressions: [] }] } : json,
    ),
  ),
  m(
    "SUPPRESSION-E2",
    "A thousand numbers are too many.",
    refuses(add, (asked) => numbersOf(asked).length > 1_000, 1001, 422),
  ),
  c(
    "SUPPRESSION-E2",
    "5,001 numbers are taken.",
    forgives(add, 1001, 201, counts, (asked) => numbersOf(asked).length > 5_000),
  ),
  m("SUPPRESSION-E3", "Files are not taken.", refuses(add, isForm, 1000, 415)),
  m(
    "SUPPRESSION-E5",
    "A number without a plus gets one.",
    asks(
      add,
      over("to_numbers", (all) =>
        Array.isArray(all) ? all.map((n: unknown) => `+${String(n).replace("+", "")}`) : all,
      ),
    ),
  ),
  m("SUPPRESSION-E6", "The agent of a suppression is ignored.", asks(add, cut("agent_id"))),
  c("SUPPRESSION-E6", "The campaign of a suppression is ignored.", asks(add, cut("campaign_id"))),
  m(
    "SUPPRESSION-E7",
    "Of an agent and a campaign the agent counts.",
    asks(
      add,
      where((json) => "agent_id" in json, cut("campaign_id")),
    ),
  ),
  c(
    "SUPPRESSION-E8",
    "A suppression of all calls is one of the agent that called first.",
    fresh(() => {
      let first: unknown
      return asks(place, (json) => {
        first ??= json["agent_id"]
        return json["agent_id"] === first ? json : { ...json, override_suppression: true }
      })
    }),
  ),
  m("SUPPRESSION-E9", "Notes are dropped.", asks(add, cut("note"))),
  m("SUPPRESSION-E10", "A suppression stands a minute longer.", asks(add, over("expires_at", later))),
  m(
    "SUPPRESSION-E11",
    "The calling code is ignored.",
    forms(add, (form) => form.delete("calling_code")),
  ),
  m("SUPPRESSION-E12", "Nothing is ever said to be added.", body(add, set("added", 0))),
  c(
    "SUPPRESSION-E13",
    "The same request again replaces.",
    before(add, async (send, asked) => {
      if (!isForm(asked)) await send("POST", "/v2/suppressions/remove", objectOf({ to_numbers: numbersOf(asked) }))
    }),
  ),
  ...["SUPPRESSION-E14", "SUPPRESSION-E15"].map((clause) =>
    m(
      clause,
      "An add replaces whatever stands.",
      before(add, async (send, asked) => {
        if (!isForm(asked)) await send("POST", "/v2/suppressions/remove", { to_numbers: numbersOf(asked) })
      }),
    ),
  ),
  each(
    "SUPPRESSION-E16 SUPPRESSION-E29 SUPPRESSION-E64 SUPPRESSION-E65",
    "Nothing is ever removed.",
    swallows(remove, 200, () => ({ removed: 1 })),
  ),
  c("SUPPRESSION-E17", "Refused numbers are not counted.", body(add, set("refused", 0))),
  c(
    "SUPPRESSION-E18",
    "One for all calls is refused where its words are long.",
    refuses(
      add,
      ({ json }) => String(objectOf(json)["note"] ?? "").length > 500 && !("agent_id" in objectOf(json)),
      1001,
      422,
    ),
  ),
  c("SUPPRESSION-E19", "Where all are refused it is a conflict.", recodes(add, 1001, 1201, 409)),
  c(
    "SUPPRESSION-E20",
    "The first line is always a header.",
    lines(undefined, (text) => (/[a-z]/.test(text) ? text : text.slice(text.indexOf("\n") + 1))),
  ),
  m(
    "SUPPRESSION-E21",
    "The line is not named.",
    words(add, 1001, () => "The file has a wrong number."),
  ),
  c(
    "SUPPRESSION-E22",
    "The area code may have no column.",
    lines("1", (text) => text.replace(/^(\d{3}),/gm, "x$1,")),
  ),
  c(
    "SUPPRESSION-E23",
    "Two zeros are a plus.",
    lines("44", (text) => text.replace(/^00/gm, "+")),
  ),
  c(
    "SUPPRESSION-E24",
    "Italy loses its zero.",
    lines("39", (text) => text.replace(/^0/gm, "")),
  ),
  c(
    "SUPPRESSION-E25",
    "Britain keeps its zero.",
    lines("44", (text) => text.replace(/^0(?!0)/gm, "+440")),
  ),
  c(
    "SUPPRESSION-E26",
    "A zero goes everywhere.",
    lines("34", (text) => text.replace(/^0/gm, "")),
  ),
  m(
    "SUPPRESSION-E27",
    "The newest is not listed.",
    body(
      list,
      over("data", (all) => listOf(all).slice(1)),
    ),
  ),
  c(
    "SUPPRESSION-E28",
    "A number that is named twice is told twice.",
    body(
      check,
      over("data", (all) => [...listOf(all), ...listOf(all).slice(0, 1)]),
    ),
  ),
  c(
    "SUPPRESSION-E65",
    "What has ended is not listed.",
    body(
      list,
      over("data", (all) =>
        listOf(all).filter(({ suppressions }) => listOf(suppressions).some(({ in_force }) => in_force === true)),
      ),
    ),
  ),
  c(
    "SUPPRESSION-E66",
    "What has ended stays beside the next.",
    row(
      check,
      over("suppressions", (all) => [...listOf(all), { agent_id: "agt_old", in_force: false }]),
    ),
  ),
  m(
    "SUPPRESSION-E70",
    "Whoever may read nothing may list.",
    forgives(list, 1102, 200, () => ({ data: [] })),
  ),
  c(
    "SUPPRESSION-E70",
    "Adding needs agents:write.",
    answers(add, (reply) => (reply.status === 201 ? failing(reply, 1102, 403) : reply)),
  ),
]

const madeCalls = [
  ...["SUPPRESSION-E31", "SUPPRESSION-E34"].map((clause) =>
    c(
      clause,
      "A suppression that comes after the contacts is not kept.",
      wire(() => {
        let hasContacts = false
        const lost = swallows(add, 201, counts).wire?.()
        return (asked, next) => {
          hasContacts ||= asked.method === "POST" && asked.path === "/v2/campaigns"
          return hasContacts && lost !== undefined ? lost(asked, next) : next(asked)
        }
      }),
    ),
  ),
  m("SUPPRESSION-E33", "A call that was begun is hung up.", hangsUp(add)),
  m(
    "SUPPRESSION-E34",
    "Why a contact is skipped is not said.",
    row(
      contactsOf,
      by("skip_reason", () => null),
    ),
  ),
  m("SUPPRESSION-E35", "A suppressed number is an invalid one.", recodes(place, 1201, 1001, 422)),
  ...["SUPPRESSION-E37", "SUPPRESSION-E38"].map((clause) =>
    m(
      clause,
      "Bookings are not looked at.",
      calls("override_suppression", true, (json) => "scheduled_at" in json),
    ),
  ),
  m(
    "SUPPRESSION-E39",
    "Who is skipped is not pending.",
    body("GET /v2/campaigns/*/stats", set("outcome_counts.pending", 0)),
  ),
  c("SUPPRESSION-E39", "A batch does not count who is skipped.", body("GET /v2/batches/*", set("skipped_contacts", 0))),
  c(
    "SUPPRESSION-E40",
    "Who is released waits again.",
    wire(() => {
      let isReleased = false
      return async (asked, next) => {
        isReleased ||= asked.path === "/v2/suppressions/remove"
        const reply = await next(asked)
        const json = objectOf(reply.json)
        return isReleased && asked.path.endsWith("/contacts") && asked.method === "GET"
          ? {
              ...reply,
              json: { ...json, data: listOf(json["data"]).map((contact) => ({ ...contact, skip_reason: null })) },
            }
          : reply
      }
    }),
  ),
  m("SUPPRESSION-E41", "Nothing overrides.", asks(place, cut("override_suppression"))),
  m(
    "SUPPRESSION-E42",
    "Everybody may override.",
    forgives(place, 1102, 201, () => ({ execution_id: "exec_x" })),
  ),
  c("SUPPRESSION-E42", "The trail does not say who overrode.", row(trail, cut("details.override_suppression"))),
]

const byRules = [
  m(
    "SUPPRESSION-E43",
    "Calls that were over before suppress, too.",
    after(rules, async (send) => {
      const all = listOf(objectOf((await send("GET", "/v2/calls")).json)["data"])
      const to_numbers = all.filter(({ status }) => status === "busy").map(({ to_number }) => to_number)
      if (to_numbers.length > 0) await send("POST", "/v2/suppressions", { to_numbers })
    }),
  ),
  m(
    "SUPPRESSION-E44",
    "The status is not looked at as it is.",
    eachRule((rule) => ({ ...rule, ...("outcomes" in rule ? { outcomes: ["canceled"] } : {}) })),
  ),
  m(
    "SUPPRESSION-E45",
    "The reason is not looked at as it is.",
    eachRule((rule) => ({ ...rule, ...("hangup_reasons" in rule ? { hangup_reasons: ["user_request"] } : {}) })),
  ),
  m(
    "SUPPRESSION-E47",
    "A rule looks at the calls of all agents.",
    eachRule(({ agent_id: _agent, ...rule }) => rule),
  ),
  c(
    "SUPPRESSION-E47",
    "A rule looks at the calls of all campaigns.",
    eachRule(({ campaign_id: _campaign, ...rule }) => rule),
  ),
  m(
    "SUPPRESSION-E48",
    "Every rule is for all calls.",
    eachRule(({ suppress_for: _for, ...rule }) => rule),
  ),
  m(
    "SUPPRESSION-E49",
    "Every rule suppresses for good.",
    eachRule(({ days: _days, ...rule }) => rule),
  ),
  m(
    "SUPPRESSION-E50",
    "A rule's reason is dropped.",
    eachRule(({ reason: _reason, ...rule }) => rule),
  ),
  c(
    "SUPPRESSION-E51",
    "One list that holds is enough.",
    eachRule(({ hangup_reasons, outcomes, ...rule }) =>
      outcomes !== undefined && hangup_reasons !== undefined
        ? [
            { ...rule, outcomes },
            { ...rule, hangup_reasons },
          ]
        : {
            ...rule,
            ...(outcomes === undefined ? {} : { outcomes }),
            ...(hangup_reasons === undefined ? {} : { hangup_reasons }),
          },
    ),
  ),
  m(
    "SUPPRESSION-E51",
    "A rule that asks for nothing is taken.",
    forgives(rules, 1001, 200, ({ json }) => json),
  ),
  c(
    "SUPPRESSION-E52",
    "Two rules are kept at most.",
    eachRule((rule, nth) => (nth < 2 ? rule : [])),
  ),
  m(
    "SUPPRESSION-E53",
    "Rules are added to those before.",
    fresh(() => {
      let known: ReadonlyArray<JsonObject> = []
      return asks(rules, (json) => {
        known = [...known, ...listOf(json["suppress_on"])]
        return { ...json, suppress_on: known }
      })
    }),
  ),
  m(
    "SUPPRESSION-E54",
    "What rules brought goes with them.",
    after(rules, async (send, asked) => {
      if (listOf(objectOf(asked.json)["suppress_on"]).length > 0) return
      const all = listOf(objectOf((await send("GET", "/v2/suppressions")).json)["data"])
      await send("POST", "/v2/suppressions/remove", { to_numbers: all.map(({ to_number }) => to_number) })
    }),
  ),
  m(
    "SUPPRESSION-E55",
    "The last rule is not read.",
    body(
      "GET /v2/suppressions/rules",
      over("suppress_on", (all) => listOf(all).slice(0, 1)),
    ),
  ),
  m(
    "SUPPRESSION-E56",
    "A number is suppressed when it is dialled.",
    after(place, (send, asked) =>
      send("POST", "/v2/suppressions", { to_numbers: [objectOf(asked.json)["to_number"]] }),
    ),
  ),
  c(
    "SUPPRESSION-E57",
    "Rules of campaigns are not looked at.",
    eachRule((rule) => ("campaign_id" in rule ? { ...rule, outcomes: ["canceled"] } : rule)),
  ),
  c(
    "SUPPRESSION-E58",
    "Who called is not suppressed.",
    writes((change, commit) =>
      change.put === "callee" &&
      commit.changes.some((other) => "put" in other && other.put === "call" && other.row.direction === "inbound")
        ? null
        : change,
    ),
  ),
  c(
    "SUPPRESSION-E59",
    "The number is suppressed for the challenger.",
    writes((change, commit) => {
      if (change.put !== "callee") return change
      const call = commit.changes.find((other) => other.put === "call")
      const agent_id = call?.put === "call" ? call.row.agent_id : null
      const suppressions = change.row.suppressions.map((one) =>
        one.agent_id === null ? one : { ...one, agent_id: agent_id ?? one.agent_id },
      )
      return { ...change, row: { ...change.row, suppressions } }
    }),
  ),
  c(
    "SUPPRESSION-E60",
    "Without a campaign a rule of campaigns suppresses for all calls.",
    eachRule((rule) => (rule["suppress_for"] === "campaign" ? { ...rule, suppress_for: "organization" } : rule)),
  ),
  c(
    "SUPPRESSION-E61",
    "Where there is no room nothing is suppressed.",
    writes((change) =>
      change.put === "callee" && change.row.suppressions.length > 2
        ? {
            ...change,
            row: { ...change.row, suppressions: change.row.suppressions.filter(({ source }) => source === null) },
          }
        : change,
    ),
  ),
  c(
    "SUPPRESSION-E61",
    "Where there is no room it is for an agent all the same.",
    writes((change) => {
      if (change.put !== "callee" || change.row.suppressions.length <= 2) return change
      const suppressions = change.row.suppressions.map((one) =>
        one.source === null ? one : { ...one, agent_id: "agt_other" },
      )
      return { ...change, row: { ...change.row, suppressions } }
    }),
  ),
  m(
    "SUPPRESSION-E62",
    "Where it was heard is not said.",
    shown((one) => ({ ...one, source: null })),
  ),
  c(
    "SUPPRESSION-E63",
    "A call suppresses again when it is corrected.",
    wire(() => {
      let released: ReadonlyArray<unknown> = []
      const again = before("POST /v2/suppressions/check", async (send) => {
        if (released.length > 0) await send("POST", "/v2/suppressions", { to_numbers: released })
      }).wire?.()
      return (asked, next) => {
        if (asked.path === "/v2/suppressions/remove") released = numbersOf(asked)
        return again === undefined ? next(asked) : again(asked, next)
      }
    }),
  ),
]

/** Servers that each break one promise of suppressions. */
export const suppressionMutants = [...kept, ...madeCalls, ...byRules]
