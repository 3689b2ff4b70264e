import type { Case } from "../../run/Case.ts"
import { activeAgent, agentName, makeAgent } from "../../trial/Agents.ts"
import { callsOf, magicContacts, makeCampaign } from "../../trial/Campaigns.ts"
import { dayMs, hourMs, minuteMs } from "../../trial/Duration.ts"
import type { Trial } from "../../trial/Trial.ts"

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

const daily = (start: string, end: string) =>
  Object.fromEntries(days.map((day) => [day, { start, end, enabled: true }]))

const clockOf = (zone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" })

/** The wall clock of a zone: minutes after midnight. */
const minutesOf = (clock: Intl.DateTimeFormat, at: number): number => {
  const parts = clock.formatToParts(at)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return of("hour") * 60 + of("minute")
}

const minutesIn = (zone: string, at: number): number => minutesOf(clockOf(zone), at)

const placedAt = async (trial: Trial, campaignId: string): Promise<ReadonlyArray<number>> =>
  (await trial.telephony.legs({ campaign_id: campaignId })).map(({ placed_at }) => Date.parse(String(placed_at)))

const until = async (trial: Trial, moment: number): Promise<void> => {
  const now = await trial.now()
  if (moment > now) await trial.clock.advance(moment - now)
}

const closed: Case = {
  id: "campaigns/hours/enforced",
  title: "Enforced hours bind first dials and retries; days left out are closed; edited hours apply at once",
  clauses: [
    "CAMPAIGN-FIELD-10",
    "CAMPAIGN-FIELD-11",
    "CAMPAIGN-FIELD-12",
    "CAMPAIGN-FIELD-16",
    "CAMPAIGN-STATUS-12",
    "CAMPAIGN-PATCH-P5",
    "CAMPAIGN-EXTENSION-P3",
    "RETRY-P2",
    "RETRY-P9",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    // From a Monday, 06:00.
    const now = await trial.now()
    const monday = Math.ceil((now - 4 * dayMs) / (7 * dayMs)) * 7 * dayMs + 4 * dayMs
    await until(trial, monday + 6 * hourMs)
    const enforced = { working_hours_enforced: true }
    const hours = {
      wednesday: { start: "10:00", end: "10:20", enabled: true },
      thursday: { start: "10:00", end: "18:00", enabled: true },
    }
    const made = await makeCampaign(trial, client, agentId, {
      ...enforced,
      working_hours: hours,
      contacts: magicContacts(trial, 1, "busy", 0),
      retry_policy: { max_retries: 2, base_delay_minutes: 30 },
    })
    const id = made.string("campaign_id")
    const bold = await makeCampaign(trial, client, agentId, {
      ...enforced,
      working_hours: hours,
      contacts: magicContacts(trial, 1, "busy", 0),
      retry_policy: { max_retries: 1, base_delay_minutes: 30, respect_working_hours: false },
    })
    await clock.advance(hourMs)
    const explained = await client.get(`/v2/campaigns/${id}/explain`)
    check.equal("explained", "CAMPAIGN-EXTENSION-P3", explained.at("blocking.0.reason"), "outside_hours", explained)
    await until(trial, monday + 2 * dayMs + 9 * hourMs)
    check.equal("closed-before", ["CAMPAIGN-FIELD-12", "CAMPAIGN-STATUS-12"], (await placedAt(trial, id)).length, 0)
    await until(trial, monday + 2 * dayMs + 10 * hourMs + minuteMs)
    const [first] = await placedAt(trial, id)
    check.equal("opens", ["CAMPAIGN-FIELD-10", "CAMPAIGN-FIELD-11"], first, monday + 2 * dayMs + 10 * hourMs)
    await until(trial, monday + 5 * dayMs)
    const [, second, third] = await placedAt(trial, id)
    check.equal("retry-in-hours", "RETRY-P2", second, monday + 3 * dayMs + 10 * hourMs)
    const kept = await placedAt(trial, bold.string("campaign_id"))
    const openings = [2, 3].map((days) => monday + days * dayMs + 10 * hourMs)
    check.equal("enforced-for-retries", "RETRY-P9", kept, openings)
    const gap = (third ?? 0) - (second ?? 0)
    check.holds("retry-after-delay", "RETRY-P2", gap >= 30 * minuteMs && gap < 35 * minuteMs, "half an hour later")
    const none = await makeCampaign(trial, client, agentId, {
      ...enforced,
      contacts: magicContacts(trial, 1, "completed"),
    })
    await clock.advance(7 * dayMs)
    check.equal("no-hours-no-dial", "CAMPAIGN-FIELD-12", (await placedAt(trial, none.string("campaign_id"))).length, 0)
    const at = await trial.now()
    await client.patch(`/v2/campaigns/${none.string("campaign_id")}`, { working_hours: daily("00:00", "23:59") })
    await clock.advance(2 * minuteMs)
    const opened = await placedAt(trial, none.string("campaign_id"))
    check.holds("edited-hours", "CAMPAIGN-PATCH-P5", opened.length === 1 && (opened[0] ?? 0) >= at, "one dial at once")
  },
}

const zones = ["America/New_York", "Europe/London", "America/Sao_Paulo", "Asia/Kolkata", "Australia/Lord_Howe"]

/** The next change of a zone's clock within so many days, or undefined. */
const changeOf = (zone: string, from: number, withinDays: number): number | undefined => {
  const clock = clockOf(zone)
  // Minutes after midnight UTC are the remainder of a whole day.
  const offsetAt = (at: number): number => minutesOf(clock, at) - Math.floor((at % dayMs) / minuteMs)
  for (let at = Math.ceil(from / hourMs) * hourMs; at < from + withinDays * dayMs; at += hourMs) {
    if ((offsetAt(at - minuteMs) - offsetAt(at)) % 1440 !== 0) return at
  }
  return undefined
}

const daylight: Case = {
  id: "campaigns/hours/daylight-saving",
  title: "Hours follow the wall clock of the zone over every change of it",
  clauses: ["CAMPAIGN-FIELD-9", "CAMPAIGN-FIELD-10", "CAMPAIGN-FIELD-11", "CAMPAIGN-STATUS-12"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const now = await trial.now()
    const changes = zones
      .map((zone) => ({ zone, at: changeOf(zone, now + 3 * dayMs, 120) ?? now + 3 * dayMs }))
      .toSorted((a, b) => a.at - b.at)
    for (const { zone, at } of changes) {
      await until(trial, at - 2 * dayMs)
      const made = await makeCampaign(trial, client, agentId, {
        timezone: zone,
        working_hours_enforced: true,
        working_hours: daily("10:15", "10:45"),
        contacts: magicContacts(trial, 1, "busy", 0),
        retry_policy: { max_retries: 4, base_delay_minutes: 720 },
      })
      await clock.advance(6 * dayMs)
      const placed = await placedAt(trial, made.string("campaign_id"))
      check.equal(`${zone}-every-day`, "CAMPAIGN-FIELD-11", placed.length, 5)
      const atOpening = placed.map((each) => minutesIn(zone, each))
      check.equal(
        `${zone}-wall-clock`,
        ["CAMPAIGN-FIELD-9", "CAMPAIGN-FIELD-10", "CAMPAIGN-STATUS-12"],
        atOpening,
        placed.map(() => 615),
      )
    }
  },
}

const transliteration: Case = {
  id: "campaigns/transliteration/inherited",
  title: "Named fields are written in the target script, originals kept when asked, for later uploads too",
  clauses: ["CAMPAIGN-CREATE-2", "CAMPAIGN-FIELD-21", "CAMPAIGN-FIELD-22", "TRANSLITERATION-P1"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const contacts = () => [{ to_number: trial.numbers.magic("busy", 0), name: "Rahul", city: "Pune" }]
    const made = await makeCampaign(trial, client, agentId, {
      contacts: contacts(),
      retry_policy: { max_retries: 1 },
      transliteration: {
        enabled: true,
        fields: ["name"],
        target_language_code: "hi",
        source_language_code: "en",
        keep_original: true,
      },
    })
    const id = made.string("campaign_id")
    trial.made(await client.post(`/v2/campaigns/${id}/contacts`, { contacts: contacts() }), 201)
    await clock.advance(hourMs)
    const calls = await callsOf(client, id)
    check.equal("dialled", "CAMPAIGN-CREATE-2", calls.length, 4)
    for (const call of calls) {
      const variables = JSON.stringify(call["variables"])
      check.holds(
        "written",
        ["CAMPAIGN-CREATE-2", "CAMPAIGN-FIELD-21", "TRANSLITERATION-P1"],
        /[\u0900-\u097F]/u.test(variables),
        "letters of the target script",
      )
      check.holds(
        "original",
        "TRANSLITERATION-P1",
        variables.includes('"name_original":"Rahul"'),
        "the original beside it",
      )
      check.holds("inherited", "CAMPAIGN-FIELD-22", variables.includes('"city":"Pune"'), "other fields as they were")
    }
  },
}

const given: Case = {
  id: "campaigns/hours/given-later",
  title: "Hours that come after a retry was planned bind it; a follow-up that is switched off is not made",
  clauses: ["CAMPAIGN-PATCH-P5", "RETRY-P2", "CAMPAIGN-EXTENSION-P1"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const make = (retry_policy: object) =>
      makeCampaign(trial, client, agentId, {
        contacts: magicContacts(trial, 1, "busy", 0),
        retry_policy,
        follow_up_policy: { enabled: true, cooldown_minutes: 60 },
      })
    // Both are called at noon; in the hours that come, it is six in the morning of another day before somebody may be.
    const now = await trial.now()
    await until(trial, Math.ceil(now / dayMs) * dayMs + 12 * hourMs)
    const retried = (await make({ max_retries: 1 })).string("campaign_id")
    const followed = (await make({ max_retries: 0 })).string("campaign_id")
    await clock.advance(10 * minuteMs)
    const opening = Math.ceil((await trial.now()) / dayMs) * dayMs + 6 * hourMs
    trial.made(await client.patch(`/v2/campaigns/${retried}`, { working_hours: daily("06:00", "09:00") }), 200)
    trial.made(await client.patch(`/v2/campaigns/${followed}`, { follow_up_policy: { enabled: false } }), 200)
    const nextOf = async (id: string) => (await client.get(`/v2/campaigns/${id}/contacts`)).at("data.0.next_attempt_at")
    const shown = Date.parse(String(await nextOf(retried)))
    check.equal("shown", ["CAMPAIGN-EXTENSION-P1", "CAMPAIGN-PATCH-P5"], shown, opening)
    check.equal("nothing-shown", "CAMPAIGN-EXTENSION-P1", await nextOf(followed), null)
    await until(trial, opening - minuteMs)
    const early = (await placedAt(trial, retried)).length
    // That retries respect hours which nobody enforces is a reading: the specification only says that they are respected.
    check.equal("not-before", ["CAMPAIGN-PATCH-P5", "RETRY-P2"], early, 1)
    await until(trial, opening + minuteMs)
    check.equal("when-told", ["CAMPAIGN-PATCH-P5", "RETRY-P2"], (await placedAt(trial, retried))[1], opening)
    // Whether a follow-up that was planned before is still made the specification leaves open, too.
    check.equal("no-follow-up", "CAMPAIGN-PATCH-P5", (await placedAt(trial, followed)).length, 1)
    const done = await client.get(`/v2/campaigns/${followed}`)
    check.equal("done", "CAMPAIGN-PATCH-P5", done.at("status"), "completed", done)
  },
}

const untransliterated: Case = {
  id: "campaigns/transliteration/refused",
  title: "A language that nobody knows, and a variable that would be lost, are refused, and nothing is made",
  clauses: ["TRANSLITERATION-P1"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = (await makeAgent(trial, client)).string("agent_id")
    const name = agentName(trial)
    const contacts = [{ to_number: trial.numbers.magic("busy", 0), name: "Rahul", name_original: "R." }]
    const settings = { enabled: true, fields: ["name"], target_language_code: "hi", keep_original: true }
    const post = (transliteration: object) =>
      client.post("/v2/campaigns", { name, agent_id, contacts, transliteration, start_time: "2099-01-01T00:00:00Z" })
    check.refused("displaced", "TRANSLITERATION-P1", await post(settings), 1001)
    const unknown = { ...settings, keep_original: false, target_language_code: "x-nobody" }
    check.refused("unknown-language", "TRANSLITERATION-P1", await post(unknown), 1001)
    const named = (await client.get("/v2/campaigns", { page_size: 100 }))
      .items()
      .filter((row) => Object(row).name === name)
    check.equal("nothing-made", "TRANSLITERATION-P1", named.length, 0)
  },
}

export const campaignHourCases: ReadonlyArray<Case> = [closed, given, transliteration, untransliterated, daylight]
