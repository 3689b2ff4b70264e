import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { askCampaign, csv, distantStart, uploadCampaign } from "../../../trial/Campaigns.ts"
import { dayMs, hourMs } from "../../../trial/Duration.ts"
import { checkHours, daily, everywhere, never, setHours } from "../../../trial/Openings.ts"

const path = "/v2/callee-hours"

const kept: Case = {
  id: "extensions/callee-hours/kept",
  title: "Hours are set for a scope, replaced whole, read and taken away",
  clauses: ["HOURS-E2", "HOURS-E4", "HOURS-E6", "HOURS-E7", "HOURS-E14", "HOURS-E16"],
  requires: ["fixtures", "extension:callee-hours"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    check.status("none-at-first", "HOURS-E2", await client.get(path), 404)
    const halves = daily(["09:00", "12:00"], ["13:00", "24:00"])
    const set = await setHours(trial, client, everywhere(halves))
    check.equal("openings", "HOURS-E7", set.at("elsewhere.monday"), halves["monday"], set)
    const read = await client.get(path)
    const told = [read.at("agent_id"), read.at("elsewhere.sunday"), read.at("unknown_timezone")]
    check.equal("read", ["HOURS-E4", "HOURS-E16"], told, [null, halves["sunday"], "UTC"], read)
    await setHours(trial, client, never, { agent_id })
    const own = await client.get(path, { agent_id })
    const ofAgent = [own.at("agent_id"), own.at("elsewhere.monday")]
    check.equal("of-an-agent", ["HOURS-E4", "HOURS-E16"], ofAgent, [agent_id, []], own)
    const still = await client.get(path)
    check.equal("scopes-apart", "HOURS-E4", still.at("elsewhere.monday"), halves["monday"], still)
    const back = everywhere(daily(["13:00", "24:00"], ["09:00", "12:00"]))
    check.rejected("in-order", "HOURS-E7", await client.put(path, back))
    const whole = await setHours(trial, client, { countries: { US: null } })
    const left = [whole.at("elsewhere"), whole.at("unknown_timezone"), whole.at("countries")]
    check.equal("replaced-whole", ["HOURS-E14", "HOURS-E6"], left, [null, null, { US: null }], whole)
    const deleted = await client.delete(path)
    check.equal("deleted", "HOURS-E16", [deleted.status, deleted.at("deleted")], [200, true], deleted)
    check.status("gone", "HOURS-E16", await client.get(path), 404)
    check.status("the-agents-stay", "HOURS-E16", await client.get(path, { agent_id }), 200)
  },
}

const presets: Case = {
  id: "extensions/callee-hours/presets",
  title: "Presets say where they were read, and are copied where they are named",
  clauses: ["HOURS-E7", "HOURS-E8", "HOURS-E10", "HOURS-E17", "HOURS-E18"],
  requires: ["fixtures", "extension:callee-hours"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const list = await client.get(`${path}/presets`)
    check.status("listed", "HOURS-E17", list, 200)
    const hours = list.items("hours").filter(isObject)
    const calendars = list.items("holidays").filter(isObject)
    const sourced = [...hours, ...calendars].every(({ sources }) => {
      const all = Array.isArray(sources) ? sources.filter(isObject) : []
      const isRead = ({ retrieved, url }: Readonly<Record<string, unknown>>) =>
        URL.canParse(String(url)) && /^\d{4}-\d{2}-\d{2}$/.test(String(retrieved))
      return all.length > 0 && all.every(isRead)
    })
    check.holds("with-sources", "HOURS-E17", sourced, "a page and a day for each", list)
    const isSaid = hours.every(({ about }) => typeof about === "string" && about !== "")
    check.holds("applies-to", "HOURS-E18", isSaid, "to which calls each applies", list)
    const [preset] = hours
    const [calendar] = calendars
    if (preset === undefined || calendar === undefined) return
    const country = String(preset["country"])
    const named = { preset: preset["name"], sunday: [{ start: "10:00", end: "11:00" }], holidays: [calendar["name"]] }
    const set = await setHours(trial, client, { countries: { [country]: named } })
    const copied = Object(set.at(`countries.${country}`))
    const own = Object(preset["hours"])
    check.equal("copied", "HOURS-E8", copied["tuesday"], own["tuesday"], set)
    check.equal("a-day-of-ones-own", "HOURS-E7", copied["sunday"], named.sunday, set)
    const dates = new Set(copied["holidays"])
    const isClosed = (Array.isArray(calendar["dates"]) ? calendar["dates"] : [null]).every((date) => dates.has(date))
    check.holds("calendar", "HOURS-E10", isClosed, "every date of the calendar", set)
  },
}

/** The next day of a month and day that lies ahead, as a date. */
const dateAhead = (now: number, month: number): string => {
  const year = new Date(now).getUTCFullYear() + 1
  const first = Date.UTC(year, month, 10)
  // A Wednesday, so that no weekend is in the way.
  const wednesday = first + ((3 - new Date(first).getUTCDay() + 7) % 7) * dayMs
  return new Date(wednesday).toISOString().slice(0, 10)
}

const numbers = {
  newYork: "+12125550123",
  losAngeles: "+12135550123",
  unknownArea: "+15555550123",
  freephone: "+18005550123",
  berlin: "+493023125123",
  paris: "+33199001234",
}

const places: Case = {
  id: "extensions/callee-hours/places",
  title: "Hours go by the clock where the phone rings, in all zones where a number may be",
  clauses: [
    "HOURS-E1",
    "HOURS-E5",
    "HOURS-E6",
    "HOURS-E7",
    "HOURS-E10",
    "HOURS-E11",
    "HOURS-E19",
    "HOURS-E24",
    "HOURS-E25",
    "HOURS-E26",
    "HOURS-E27",
    "HOURS-E28",
    "HOURS-E46",
  ],
  requires: ["fixtures", "extension:callee-hours"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const now = await trial.now()
    const [winter, summer] = [dateAhead(now, 0), dateAhead(now, 6)]
    const holiday = new Date(Date.parse(winter) + dayMs).toISOString().slice(0, 10)
    const unbound = await checkHours(client, numbers.newYork, { at: `${winter}T13:59:00Z` })
    check.equal("without-hours", "HOURS-E46", [unbound["is_open"], unbound["closes_at"]], [true, null])
    const thursdays = { wednesday: [{ start: "09:00", end: "17:00" }], thursday: [{ start: "09:00", end: "17:00" }] }
    await setHours(trial, client, {
      countries: { US: { ...thursdays, holidays: [holiday] }, FR: null },
      elsewhere: daily(["10:00", "12:00"]),
      unknown_timezone: "Asia/Tokyo",
    })
    const isOpen = async (number: string, at: string) => (await checkHours(client, number, { at }))["is_open"]
    const at = (date: string, time: string) => `${date}T${time}:00Z`
    const inTwo = async (number: string, closed: string, open: string) => [
      await isOpen(number, closed),
      await isOpen(number, open),
    ]
    const { berlin, freephone, losAngeles, newYork, paris, unknownArea } = numbers
    const winterHours = await inTwo(newYork, at(winter, "13:59"), at(winter, "14:00"))
    check.equal("by-its-clock", ["HOURS-E1", "HOURS-E5", "HOURS-E24"], winterHours, [false, true])
    const ofAgent = await checkHours(client, newYork, { at: at(winter, "13:59"), agent_id })
    check.equal("of-a-wider-scope", "HOURS-E46", ofAgent["is_open"], false)
    const summerHours = await inTwo(newYork, at(summer, "12:59"), at(summer, "13:00"))
    check.equal("daylight-saving", "HOURS-E28", summerHours, [false, true])
    check.equal("area-code", "HOURS-E24", await inTwo(losAngeles, at(winter, "14:30"), at(winter, "17:30")), [
      false,
      true,
    ])
    check.equal("left-out-is-closed", "HOURS-E7", await isOpen(newYork, at(winter, "22:30")), false)
    const nextWeek = new Date(Date.parse(winter) - dayMs).toISOString().slice(0, 10)
    check.equal("day-left-out", "HOURS-E7", await isOpen(newYork, at(nextWeek, "15:00")), false)
    check.equal("holiday", "HOURS-E10", await isOpen(newYork, at(holiday, "15:00")), false)
    check.equal("null-is-any-time", "HOURS-E5", await isOpen(paris, at(winter, "03:00")), true)
    for (const [id, number] of [
      ["unknown-area", unknownArea],
      ["freephone", freephone],
    ] as const) {
      check.equal(id, ["HOURS-E25", "HOURS-E28"], await isOpen(number, at(winter, "14:30")), false)
    }
    const german = await inTwo(berlin, at(winter, "08:59"), at(winter, "09:00"))
    check.equal("elsewhere", ["HOURS-E6", "HOURS-E26"], german, [false, true])
    const nobody = trial.numbers.magic("completed", 1)
    const tokyo = await inTwo(nobody, at(winter, "00:59"), at(winter, "01:00"))
    check.equal("unknown", ["HOURS-E11", "HOURS-E27"], tokyo, [false, true])
    const told = await checkHours(client, newYork, { at: at(winter, "13:00") })
    const next = [told["opens_at"], told["closes_at"]].map((moment) => Date.parse(String(moment)) - Date.parse(winter))
    check.equal("when-next", "HOURS-E19", next, [14 * hourMs, 22 * hourMs])
    const zones = JSON.stringify(told["zones"])
    check.holds("where", "HOURS-E19", zones.includes("America/New_York") && zones.includes('"US"'), "New York, US")
    const thousand = Array.from({ length: 1_000 }, () => trial.numbers.magic("completed", 1))
    const all = await client.post(`${path}/check`, { to_numbers: thousand })
    check.equal("a-thousand", "HOURS-E19", [all.status, all.items().length], [200, 1_000])
    const more = { to_numbers: [...thousand, trial.numbers.magic("completed", 1)] }
    check.rejected("no-more", "HOURS-E19", await client.post(`${path}/check`, more))
    const tooFar = { to_numbers: [newYork], at: "2300-01-01T00:00:00Z" }
    check.rejected("no-further", "HOURS-E19", await client.post(`${path}/check`, tooFar))
    await setHours(trial, client, { elsewhere: daily(["10:00", "12:00"]) })
    check.equal("anywhere", ["HOURS-E11", "HOURS-E27"], await isOpen(nobody, at(winter, "01:00")), false)
  },
}

const columns: Case = {
  id: "extensions/callee-hours/columns",
  title: "A list with a zone that is none is refused while hours stand, in the column that they name",
  clauses: ["HOURS-E12", "HOURS-E21", "HOURS-E22"],
  requires: ["fixtures", "extension:callee-hours"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const start_time = await distantStart(trial)
    const ask = (...variables: ReadonlyArray<Readonly<Record<string, string>>>) =>
      askCampaign(trial, client, {
        name: "Conformance",
        agent_id,
        start_time,
        contacts: variables.map((each) => ({ to_number: trial.numbers.magic("completed", 1), ...each })),
      })
    check.status("no-hours", "HOURS-E21", await ask({ timezone: "blue" }), 201)
    await setHours(trial, client, everywhere(daily(["09:00", "17:00"])))
    const refused = await ask({ timezone: "Europe/Paris" }, { timezone: "blue" })
    check.refused("refused", "HOURS-E21", refused, 1001)
    check.names("names-the-contact", "HOURS-E21", refused, "contacts[1].timezone")
    check.status("empty-or-a-zone", "HOURS-E21", await ask({ timezone: "" }, { timezone: "Asia/Tokyo" }), 201)
    const rows = [0, 1].map((nth) => `${trial.numbers.magic("completed", 1)},${nth === 0 ? "Asia/Tokyo" : "blue"}`)
    const upload = await uploadCampaign(trial, client, [
      { name: "name", value: "Upload" },
      { name: "agent_id", value: agent_id },
      { name: "start_time", value: start_time },
      csv(`to_number,timezone\n${rows.join("\n")}\n`),
    ])
    check.refused("file-refused", "HOURS-E21", upload, 1001)
    check.holds("names-the-line", "HOURS-E21", /\b3\b/.test(upload.message), "line 3", upload)
    await setHours(trial, client, { ...everywhere(daily(["09:00", "17:00"])), timezone_column: "zone" })
    check.status("another-column", ["HOURS-E12", "HOURS-E22"], await ask({ timezone: "blue" }), 201)
    check.refused("the-one-named", ["HOURS-E12", "HOURS-E22"], await ask({ zone: "blue" }), 1001)
    await setHours(trial, client, { ...everywhere(daily(["09:00", "17:00"])), timezone_column: null })
    check.status("none", ["HOURS-E12", "HOURS-E22"], await ask({ timezone: "blue" }), 201)
  },
}

/** Cases of callee hours as they are kept and checked. */
export const keptHoursCases: ReadonlyArray<Case> = [kept, presets, places, columns]
