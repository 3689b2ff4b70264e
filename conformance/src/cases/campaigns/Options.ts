import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import {
  askCampaign,
  type Body,
  callsOf,
  csv,
  distantStart,
  magicContacts,
  makeCampaign,
  move,
  readCampaign,
  readStats,
  uploadCampaign,
} from "../../trial/Campaigns.ts"
import { dayMs, hourMs, minuteMs } from "../../trial/Duration.ts"
import type { Trial } from "../../trial/Trial.ts"

type Option = readonly [clause: string, path: string, first: unknown, second: unknown]

const monday = { monday: { start: "09:00", end: "17:00", enabled: true } }

/** Everything that a campaign may be given, with a second value for an update. */
const options: ReadonlyArray<Option> = [
  ["CAMPAIGN-FIELD-7", "phone_number_strategy", "least_loaded", "random"],
  ["CAMPAIGN-FIELD-9", "timezone", "Europe/Paris", "Asia/Kolkata"],
  ["CAMPAIGN-FIELD-10", "working_hours_enforced", false, true],
  ["CAMPAIGN-FIELD-11", "working_hours", monday, { friday: { start: "10:00", end: "11:30", enabled: false } }],
  ["CAMPAIGN-FIELD-13", "max_concurrent_calls", 1, 10_000],
  ["CAMPAIGN-FIELD-15", "retry_policy.max_retries", 2, 1],
  ["CAMPAIGN-FIELD-18", "retry_policy.strategy", "fixed_delay", "fixed_delay"],
  ["CAMPAIGN-FIELD-15", "retry_policy.cooldown_minutes", 7, 8],
  ["CAMPAIGN-FIELD-15", "retry_policy.base_delay_minutes", 20, 25],
  ["CAMPAIGN-FIELD-15", "retry_policy.max_delay_minutes", 90, 80],
  ["CAMPAIGN-FIELD-15", "retry_policy.respect_working_hours", false, true],
  ["CAMPAIGN-FIELD-19", "follow_up_policy.enabled", true, false],
  ["CAMPAIGN-FIELD-19", "follow_up_policy.max_attempts", 2, 3],
  ["CAMPAIGN-FIELD-19", "follow_up_policy.cooldown_minutes", 60, 90],
  ["CAMPAIGN-FIELD-19", "follow_up_policy.triggers", ["after_retries_exhausted"], ["after_retries_exhausted"]],
  ["CAMPAIGN-FIELD-19", "follow_up_policy.next_working_day_only", true, false],
  ["CAMPAIGN-FIELD-19", "follow_up_policy.follow_up_prompt", "Call back.", "Again."],
  ["CAMPAIGN-FIELD-19", "follow_up_policy.follow_up_extra_logic", { a: 1 }, { a: 2 }],
  ["CAMPAIGN-FIELD-21", "transliteration.enabled", false, false],
  ["CAMPAIGN-FIELD-21", "transliteration.fields", ["name"], ["city"]],
  ["CAMPAIGN-FIELD-21", "transliteration.target_language_code", "hi", "hi"],
  ["CAMPAIGN-FIELD-21", "transliteration.source_language_code", "en", "en"],
  ["CAMPAIGN-FIELD-21", "transliteration.keep_original", true, false],
  ["CAMPAIGN-FIELD-27", "default_call_variables", { greeting: "Hello" }, { greeting: "Hi" }],
  ["CAMPAIGN-FIELD-28", "default_call_context", { list: [1, { deep: null }] }, { other: true }],
  ["CAMPAIGN-FIELD-30", "metadata", { n: 1, list: [1], deep: { a: null, b: false } }, { m: "2" }],
]

const clauses = [...new Set(options.map(([clause]) => clause))]

const bodyOf = (path: string, value: unknown): Body => {
  const [name = "", ...rest] = path.split(".")
  return { [name]: rest.length === 0 ? value : bodyOf(rest.join("."), value) }
}

const whole = (): Body => {
  const all: Record<string, unknown> = {}
  for (const [, path, value] of options) {
    const [name = "", inner] = path.split(".")
    const before = all[name]
    all[name] = inner === undefined ? value : { ...(isObject(before) ? before : {}), [inner]: value }
  }
  return all
}

/** A value in which what is left out of an object and null count as the same. */
const holds = (
  trial: Trial,
  where: string,
  answer: Answer,
  rows: ReadonlyArray<readonly [string, string, unknown]>,
) => {
  for (const [clause, path, value] of rows) {
    trial.check.equal(`${where}-${path}`.replaceAll("_", "-"), clause, answer.at(path), value, answer)
  }
}

const hoursOf = (answer: Answer, day: string): unknown => {
  const row = answer.at(`working_hours.${day}`)
  return isObject(row) ? [row["start"], row["end"], row["enabled"]] : undefined
}

const plain = (rows: ReadonlyArray<readonly [string, string, unknown]>) =>
  rows.filter(([, path]) => path !== "working_hours")

const stored: Case = {
  id: "campaigns/options/kept",
  title: "Every setting of a campaign is kept, and an update loses nothing that it does not name",
  clauses: [...clauses, "CAMPAIGN-GET-1", "CAMPAIGN-JSON-5", "CAMPAIGN-PATCH-1"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const made = await askCampaign(trial, client, { name: "Conformance", agent_id: agentId, ...whole() })
    check.status("made", "CAMPAIGN-JSON-5", made, 201)
    const firsts = options.map(([clause, path, value]) => [clause, path, value] as const)
    const campaignId = made.string("campaign_id")
    const path = `/v2/campaigns/${campaignId}`
    const read = await readCampaign(client, campaignId)
    for (const [name, answer] of [
      ["made", made],
      ["read", read],
    ] as const) {
      holds(trial, name, answer, plain(firsts))
      holds(trial, `json-${name}`, answer, plain(firsts.map(([, at, value]) => ["CAMPAIGN-JSON-5", at, value])))
      check.equal(`${name}-monday`, "CAMPAIGN-FIELD-11", hoursOf(answer, "monday"), ["09:00", "17:00", true], answer)
      check.equal(`json-${name}-monday`, "CAMPAIGN-JSON-5", hoursOf(answer, "monday"), ["09:00", "17:00", true], answer)
    }
    const now = new Map<string, unknown>(firsts.map(([, at, value]) => [at, value]))
    for (const [clause, at, , second] of options) {
      const patched = await client.patch(path, bodyOf(at, second))
      check.status("patched", "CAMPAIGN-PATCH-1", patched, 200)
      now.set(at, second)
      if (at === "working_hours") {
        check.equal("patched-friday", clause, hoursOf(patched, "friday"), ["10:00", "11:30", false], patched)
        continue
      }
      check.equal(`patched-${at}`.replaceAll("_", "-"), clause, patched.at(at), second, patched)
      // The other settings stand, those of the same object too.
      for (const [other, value] of now) {
        if (other === "working_hours") continue
        check.equal("kept", "CAMPAIGN-PATCH-1", [other, patched.at(other)], [other, value], patched)
      }
    }
    holds(
      trial,
      "then",
      await readCampaign(client, campaignId),
      plain(options.map(([clause, at]) => [clause, at, now.get(at)])),
    )
    const renamed = await client.patch(path, { name: "Other" })
    check.equal("metadata-kept", "CAMPAIGN-FIELD-30", renamed.at("metadata"), { m: "2" }, renamed)
    check.equal("name", "CAMPAIGN-PATCH-1", renamed.at("name"), "Other", renamed)
  },
}

const form: Case = {
  id: "campaigns/options/form",
  title: "The structured settings of a form are read as those of JSON are",
  clauses: [
    "CAMPAIGN-CREATE-3",
    "CAMPAIGN-CREATE-4",
    "CAMPAIGN-CREATE-5",
    "CAMPAIGN-CSV-1",
    "CAMPAIGN-CSV-6",
    "CAMPAIGN-FIELD-31",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const settings = {
      working_hours: monday,
      retry_policy: { max_retries: 2 },
      follow_up_policy: { enabled: true, max_attempts: 2 },
      transliteration: { enabled: false, fields: ["name"] },
      default_call_variables: { greeting: "Hello" },
      metadata: { n: 1 },
    }
    const fields = Object.entries(settings).map(([name, value]) => ({ name, value: JSON.stringify(value) }))
    const made = await uploadCampaign(trial, client, [
      { name: "name", value: "Conformance" },
      { name: "agent_id", value: agentId },
      { name: "start_time", value: await distantStart(trial) },
      ...fields,
      csv(`to_number\n${trial.numbers.magic("completed", 1)}\n${trial.numbers.magic("completed", 1)}\n`),
    ])
    check.status("made", ["CAMPAIGN-CREATE-5", "CAMPAIGN-CREATE-3", "CAMPAIGN-CSV-1"], made, 201)
    check.equal("created", "CAMPAIGN-CREATE-3", made.at("status"), "created", made)
    check.equal("counted", "CAMPAIGN-CREATE-4", made.at("total_contacts"), 2, made)
    const batchId = made.string("batch_id")
    check.status("batch", ["CAMPAIGN-CREATE-4", "CAMPAIGN-FIELD-31"], await client.get(`/v2/batches/${batchId}`), 200)
    check.equal("hours", "CAMPAIGN-CSV-6", hoursOf(made, "monday"), ["09:00", "17:00", true], made)
    for (const [path, value] of [
      ["retry_policy.max_retries", 2],
      ["follow_up_policy.enabled", true],
      ["follow_up_policy.max_attempts", 2],
      ["transliteration.fields", ["name"]],
      ["default_call_variables", { greeting: "Hello" }],
      ["metadata", { n: 1 }],
    ] as const) {
      check.equal(path.replaceAll("_", "-"), "CAMPAIGN-CSV-6", made.at(path), value, made)
    }
  },
}

/** Both sides of the bounds of a campaign. */
const edges: ReadonlyArray<readonly [name: string, clauses: ReadonlyArray<string>, body: Body, status: number]> = [
  ["name-200", ["CAMPAIGN-FIELD-3", "CONSTANT-9", "CAMPAIGN-JSON-1"], { name: "n".repeat(200) }, 200],
  ["name-201", ["CAMPAIGN-FIELD-3", "CONSTANT-9", "CAMPAIGN-JSON-1"], { name: "n".repeat(201) }, 422],
  ["name-empty", ["CAMPAIGN-FIELD-3", "CONSTANT-9", "CAMPAIGN-JSON-1"], { name: "" }, 422],
  ["lines-1", ["CAMPAIGN-FIELD-13"], { max_concurrent_calls: 1 }, 200],
  ["lines-0", ["CAMPAIGN-FIELD-13"], { max_concurrent_calls: 0 }, 422],
  ["lines-10000", ["CAMPAIGN-FIELD-13"], { max_concurrent_calls: 10_000 }, 200],
  ["lines-10001", ["CAMPAIGN-FIELD-13"], { max_concurrent_calls: 10_001 }, 422],
  ["lines-null", ["CAMPAIGN-FIELD-13"], { max_concurrent_calls: null }, 200],
  ["strategy-random", ["CAMPAIGN-FIELD-7"], { phone_number_strategy: "random" }, 200],
  ["strategy-round-robin", ["CAMPAIGN-FIELD-7"], { phone_number_strategy: "round_robin" }, 200],
  ["strategy-least-loaded", ["CAMPAIGN-FIELD-7"], { phone_number_strategy: "least_loaded" }, 200],
  ["fixed-delay", ["CAMPAIGN-FIELD-18"], { retry_policy: { strategy: "fixed_delay" } }, 200],
  ["retries-10", ["RETRY-P4"], { retry_policy: { max_retries: 10 } }, 200],
  ["retries-11", ["RETRY-P4"], { retry_policy: { max_retries: 11 } }, 422],
  ["trigger", ["CAMPAIGN-FIELD-19"], { follow_up_policy: { triggers: ["after_retries_exhausted"] } }, 200],
  ["context-list", ["CAMPAIGN-FIELD-28"], { default_call_context: { list: [1, 2] } }, 200],
  ["zone", ["CAMPAIGN-ERROR-1"], { timezone: "Mars/Olympus" }, 400],
  ["hours-9", ["CAMPAIGN-ERROR-2"], { working_hours: { monday: { start: "9:00", end: "17:00", enabled: true } } }, 400],
  [
    "hours-24",
    ["CAMPAIGN-ERROR-2"],
    { working_hours: { monday: { start: "09:00", end: "24:30", enabled: true } } },
    400,
  ],
  [
    "hours-60",
    ["CAMPAIGN-ERROR-2"],
    { working_hours: { monday: { start: "09:60", end: "17:00", enabled: true } } },
    400,
  ],
  ["end-at-start", ["CAMPAIGN-ERROR-3"], { start_time: "2030-01-01T00:00:00Z", end_time: "2030-01-01T00:00:00Z" }, 400],
  ["end-before", ["CAMPAIGN-ERROR-3"], { start_time: "2030-01-01T00:00:00Z", end_time: "2029-01-01T00:00:00Z" }, 400],
  ["end-offset", ["CAMPAIGN-FIELD-23", "TIME-2"], { end_time: "2030-01-01T00:00:00+05:30" }, 200],
  ["start-offset", ["CAMPAIGN-FIELD-23", "TIME-2"], { start_time: "2029-06-01T00:00:00-08:00" }, 200],
  ["start-local", ["CAMPAIGN-FIELD-23", "TIME-2"], { start_time: "2029-06-01T00:00:00" }, 422],
]

const bounds: Case = {
  id: "campaigns/options/bounds",
  title: "The last permitted setting is taken and the first forbidden one refused, on create and on PATCH",
  clauses: [
    ...new Set(edges.flatMap(([, own]) => own)),
    "CAMPAIGN-ERROR-6",
    "CAMPAIGN-FIELD-4",
    "CAMPAIGN-FIELD-5",
    "CAMPAIGN-FIELD-16",
    "CAMPAIGN-FIELD-20",
    "CAMPAIGN-FIELD-33",
    "CAMPAIGN-JSON-2",
    "CAMPAIGN-PATCH-2",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const make = (body: Body) => askCampaign(trial, client, { name: "Conformance", agent_id: agentId, ...body })
    const path = `/v2/campaigns/${(await make({})).string("campaign_id")}`
    for (const [name, own, body, status] of edges) {
      check.status(`${name}-create`, own, await make(body), status === 200 ? 201 : status)
      check.status(`${name}-patch`, own, await client.patch(path, body), status)
      await client.patch(path, { start_time: null, end_time: null })
    }
    const early = await client.patch(path, { end_time: "2030-01-01T00:00:00+05:30" })
    check.equal("utc", "CAMPAIGN-FIELD-23", Date.parse(early.string("end_time")), Date.UTC(2029, 11, 31, 18, 30), early)
    check.holds("zulu", "CAMPAIGN-FIELD-23", /(Z|\+00:00)$/.test(early.string("end_time")), "UTC", early)
    await client.patch(path, { end_time: null })
    check.refused("foreign-agent", "CAMPAIGN-FIELD-4", await client.patch(path, { agent_id: "agt_none" }), 1200)
    check.refused("unknown-agent", "CAMPAIGN-FIELD-4", await make({ agent_id: "agt_none" }), 1200)
    check.refused("empty-agent", "CAMPAIGN-JSON-2", await make({ agent_id: "" }), 1001)
    const numbers = ["+15550009999"]
    check.rejected("number", "CAMPAIGN-FIELD-5", await make({ phone_numbers: numbers }))
    check.rejected("number-patch", "CAMPAIGN-FIELD-5", await client.patch(path, { phone_numbers: numbers }))
    check.refused("nothing", "CAMPAIGN-PATCH-2", await client.patch(path, {}), 1000)
    for (const body of [[], "text", null, 5]) {
      check.refused("no-object", "CAMPAIGN-ERROR-6", await client.send("POST", "/v2/campaigns", { body }), 1000)
    }
    const some = await make({ retry_policy: { max_retries: 1 }, follow_up_policy: { max_attempts: 2 } })
    check.equal("delay", "CAMPAIGN-FIELD-16", some.at("retry_policy.base_delay_minutes"), 15, some)
    check.equal("respects", "CAMPAIGN-FIELD-16", some.at("retry_policy.respect_working_hours"), true, some)
    check.equal(
      "strategy",
      ["CAMPAIGN-FIELD-16", "CAMPAIGN-FIELD-18"],
      some.at("retry_policy.strategy"),
      "fixed_delay",
      some,
    )
    check.equal("no-follow-ups", "CAMPAIGN-FIELD-20", some.at("follow_up_policy.enabled"), false, some)
    const none = await make({})
    check.equal("retries", "CAMPAIGN-FIELD-16", none.at("retry_policy.max_retries"), 3, none)
    check.equal("default-zone", "CAMPAIGN-FIELD-16", none.at("retry_policy.base_delay_minutes"), 15, none)
    check.equal("off", "CAMPAIGN-FIELD-20", none.at("follow_up_policy.enabled"), false, none)
    check.equal("no-contacts", "CAMPAIGN-FIELD-33", none.at("total_contacts"), 0, none)
  },
}

/** How many dials of a campaign there were. */
const dials = async (client: Client, campaignId: string): Promise<number> => (await callsOf(client, campaignId)).length

const always = Object.fromEntries(
  ["monday", "tuesday", "wednesday", "thursday", "friday"].map((day) => [
    day,
    { start: "09:00", end: "17:00", enabled: true },
  ]),
)

/** The next time at which a day of the week (0 is Sunday) begins in UTC. */
const next = (now: number, day: number): number => {
  const midnight = Math.ceil((now + 1) / dayMs) * dayMs
  return midnight + ((day - new Date(midnight).getUTCDay() + 7) % 7) * dayMs
}

const weekend: Case = {
  id: "campaigns/options/weekend",
  title: "What is left on Friday evening waits for Monday morning; omitted and disabled days are closed",
  clauses: ["CAMPAIGN-FIELD-10", "CAMPAIGN-FIELD-11", "CAMPAIGN-FIELD-12", "CAMPAIGN-STATUS-10", "CAMPAIGN-STATUS-12"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const saturday = next(await trial.now(), 6)
    await trial.clock.advance(saturday - (await trial.now()) - 6 * hourMs)
    const disabled = { saturday: { start: "00:00", end: "23:59", enabled: false } }
    const body = { working_hours_enforced: true, working_hours: { ...always, ...disabled } }
    const one = { contacts: magicContacts(trial, 1, "completed"), ...body }
    const made = (await makeCampaign(trial, client, agentId, one)).string("campaign_id")
    const paused = (
      await makeCampaign(trial, client, agentId, { ...one, contacts: magicContacts(trial, 1, "completed") })
    ).string("campaign_id")
    trial.made(await move(client, paused, "pause"), 200)
    const resumed = await move(client, paused, "resume")
    check.equal("resumed", "CAMPAIGN-STATUS-10", resumed.at("status"), "active", resumed)
    const later = (
      await makeCampaign(trial, client, agentId, {
        contacts: magicContacts(trial, 1, "completed"),
        start_time: new Date(saturday - hourMs).toISOString(),
      })
    ).string("campaign_id")
    trial.made(await client.patch(`/v2/campaigns/${later}`, body), 200)
    for (let day = 0; day < 2; day++) {
      await trial.clock.advance(dayMs)
      for (const id of [made, paused, later]) {
        const name = id === made ? "closed" : id === paused ? "closed-resumed" : "closed-later"
        check.equal(
          name,
          ["CAMPAIGN-FIELD-12", "CAMPAIGN-FIELD-11", "CAMPAIGN-FIELD-10", "CAMPAIGN-STATUS-12"],
          await dials(client, id),
          0,
        )
      }
    }
    await trial.clock.advance(dayMs)
    for (const id of [made, paused, later]) {
      const calls = await callsOf(client, id)
      check.equal("opened", ["CAMPAIGN-FIELD-12", "CAMPAIGN-STATUS-12"], calls.length, 1)
      const at = new Date(String(calls[0]?.["created_at"]))
      check.equal("on-monday", "CAMPAIGN-FIELD-12", at.getUTCDay(), 1)
      check.holds("in-hours", "CAMPAIGN-FIELD-11", at.getUTCHours() >= 9 && at.getUTCHours() < 17, "within the hours")
    }
  },
}

const times: Case = {
  id: "campaigns/options/times",
  title: "Nothing dials before the start or after the end, offsets are heeded, and a later end re-opens",
  clauses: [
    "CAMPAIGN-CONFLICT-1",
    "CAMPAIGN-CONFLICT-2",
    "CAMPAIGN-CONFLICT-3",
    "CAMPAIGN-CONFLICT-6",
    "CAMPAIGN-FIELD-24",
    "CAMPAIGN-FIELD-25",
    "CAMPAIGN-FIELD-26",
    "CAMPAIGN-STATUS-1",
    "CAMPAIGN-STATUS-2",
    "CAMPAIGN-STATUS-3",
    "CAMPAIGN-STATUS-17",
    "CAMPAIGN-STATUS-23",
    "CAMPAIGN-STATUS-24",
  ],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const now = await trial.now()
    const local = (ms: number, hours: number) =>
      `${new Date(ms + hours * hourMs).toISOString().slice(0, 19)}+0${hours}:00`
    const contacts = () => magicContacts(trial, 1, "completed")
    const started = await makeCampaign(trial, client, agentId, {
      contacts: contacts(),
      start_time: local(now + 2 * hourMs, 3),
    })
    const id = started.string("campaign_id")
    check.equal("created", "CAMPAIGN-STATUS-2", started.at("status"), "created", started)
    await trial.clock.advance(2 * hourMs - minuteMs)
    check.equal("not-yet", "CAMPAIGN-FIELD-24", await dials(client, id), 0)
    check.equal("still-created", "CAMPAIGN-STATUS-3", (await readCampaign(client, id)).at("status"), "created")
    await trial.clock.advance(2 * minuteMs)
    check.equal("started", "CAMPAIGN-FIELD-24", await dials(client, id), 1)
    const ending = {
      retry_policy: { max_retries: 5, base_delay_minutes: 30 },
      contacts: magicContacts(trial, 1, "busy"),
    }
    const end_time = new Date((await trial.now()) + hourMs).toISOString()
    const ended = (await makeCampaign(trial, client, agentId, { ...ending, end_time })).string("campaign_id")
    const other = { ...ending, contacts: magicContacts(trial, 1, "busy"), end_time }
    const again = (await makeCampaign(trial, client, agentId, other)).string("campaign_id")
    await trial.clock.advance(3 * hourMs)
    const calls = await callsOf(client, ended)
    const late = calls.filter(({ created_at }) => Date.parse(String(created_at)) > Date.parse(end_time))
    check.equal("nothing-after", "CAMPAIGN-FIELD-25", late, [])
    for (const each of [ended, again]) {
      const read = await readCampaign(client, each)
      check.equal("expired", ["CAMPAIGN-FIELD-26", "CAMPAIGN-STATUS-23"], read.at("status"), "expired", read)
    }
    const list = await client.get("/v2/campaigns", { status: "expired" })
    const listed = list.items().filter(isObject)
    check.equal(
      "listed",
      ["CAMPAIGN-STATUS-1", "CAMPAIGN-STATUS-23"],
      listed.map(({ status }) => status),
      ["expired", "expired"],
      list,
    )
    const all = await client.get("/v2/campaigns")
    const statuses = all
      .items()
      .filter(isObject)
      .filter(({ campaign_id }) => campaign_id === ended || campaign_id === again)
    check.equal(
      "on-the-list",
      ["CAMPAIGN-STATUS-1", "CAMPAIGN-STATUS-23"],
      statuses.map(({ status }) => status),
      ["expired", "expired"],
      all,
    )
    check.refused("pause", "CAMPAIGN-CONFLICT-1", await move(client, ended, "pause"), 1201)
    for (const how of ["resume", "cancel"] as const)
      check.refused(how, "CAMPAIGN-CONFLICT-2", await move(client, ended, how), 1201)
    const revived = await move(client, again, "revive")
    check.status("revived", "CAMPAIGN-STATUS-17", revived, 200)
    await trial.clock.advance(5 * minuteMs)
    check.equal("again", "CAMPAIGN-CONFLICT-6", (await readCampaign(client, again)).at("status"), "expired")
    const pushed = await client.patch(`/v2/campaigns/${ended}`, {
      end_time: new Date((await trial.now()) + dayMs).toISOString(),
    })
    check.status("pushed", "CAMPAIGN-STATUS-24", pushed, 200)
    check.equal("active", "CAMPAIGN-STATUS-24", (await readCampaign(client, ended)).at("status"), "active")
    check.refused("running", "CAMPAIGN-CONFLICT-3", await move(client, ended, "revive"), 1201)
  },
}

/** Every status that a campaign can have, and the moves that are conflicts there. */
const conflicts: Case = {
  id: "campaigns/options/conflicts",
  title: "Pause, resume, cancel and revive are refused wherever the table says so",
  clauses: [
    "CAMPAIGN-CONFLICT-1",
    "CAMPAIGN-CONFLICT-2",
    "CAMPAIGN-CONFLICT-3",
    "CAMPAIGN-CONFLICT-5",
    "CAMPAIGN-DELETE-3",
    "CAMPAIGN-DELETE-4",
    "CAMPAIGN-MOVE-2",
    "CAMPAIGN-MOVE-3",
    "CAMPAIGN-STATUS-4",
    "CAMPAIGN-STATUS-8",
    "CAMPAIGN-STATUS-13",
    "CAMPAIGN-STATUS-16",
    "CAMPAIGN-STATUS-21",
    "CAMPAIGN-STATUS-22",
    "STATS-15",
  ],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const contacts = () => magicContacts(trial, 1, "completed")
    const make = async (body: Body) => (await makeCampaign(trial, client, agentId, body)).string("campaign_id")
    const completed = await make({ contacts: contacts() })
    await trial.clock.advance(10 * minuteMs)
    const start_time = await distantStart(trial)
    const cancelled = await make({ contacts: [...contacts(), ...contacts()], start_time })
    const paused = await move(client, cancelled, "pause")
    check.equal("paused", "CAMPAIGN-STATUS-4", paused.at("status"), "paused", paused)
    const twice = await move(client, cancelled, "pause")
    check.equal("paused-twice", "CAMPAIGN-STATUS-8", [twice.status, twice.at("status")], [200, "paused"], twice)
    check.equal("still-paused", "CAMPAIGN-STATUS-8", (await readCampaign(client, cancelled)).at("status"), "paused")
    check.refused("revive-paused", "CAMPAIGN-CONFLICT-3", await move(client, cancelled, "revive"), 1201)
    check.refused(
      "delete-paused",
      ["CAMPAIGN-CONFLICT-5", "CAMPAIGN-DELETE-3"],
      await client.delete(`/v2/campaigns/${cancelled}`),
      1201,
    )
    const cancel = await move(client, cancelled, "cancel")
    check.status("cancelled", "CAMPAIGN-STATUS-13", cancel, 200)
    const archived = await make({})
    for (const again of [204, 204]) {
      const gone = await client.delete(`/v2/campaigns/${archived}`)
      check.status("deleted", ["CAMPAIGN-STATUS-22", "CAMPAIGN-DELETE-4"], gone, again)
    }
    const soft = await readCampaign(client, archived)
    check.equal("archived", "CAMPAIGN-STATUS-21", soft.at("status"), "archived", soft)
    for (const [status, id] of Object.entries({ completed, cancelled, archived })) {
      check.refused(`pause-${status}`, "CAMPAIGN-CONFLICT-1", await move(client, id, "pause"), 1201)
      const resume = await move(client, id, "resume")
      check.refused(
        `resume-${status}`,
        status === "cancelled" ? ["CAMPAIGN-CONFLICT-2", "CAMPAIGN-STATUS-16"] : "CAMPAIGN-CONFLICT-2",
        resume,
        1201,
      )
      check.refused(`cancel-${status}`, "CAMPAIGN-CONFLICT-2", await move(client, id, "cancel"), 1201)
    }
    const stats = await readStats(client, completed)
    check.equal("completed", "STATS-15", stats.at("outcome_counts.completed"), 1, stats)
    const revived = await move(client, cancelled, "revive")
    check.equal("revived", "CAMPAIGN-MOVE-3", [revived.status, revived.at("campaign_id")], [200, cancelled], revived)
    check.status("without-a-body", "CAMPAIGN-MOVE-2", revived, 200)
    trial.made(await move(client, cancelled, "cancel"), 200)
    const once = await make({ contacts: [...contacts(), ...magicContacts(trial, 1, "holdsLine", 60)] })
    await trial.clock.advance(10 * minuteMs)
    trial.made(await move(client, once, "cancel"), 200)
    const after = await readStats(client, once)
    check.equal("sticky", "STATS-15", after.at("outcome_counts.completed"), 1, after)
  },
}

/** Settings of campaigns, and what becomes of them. */
export const optionCases: ReadonlyArray<Case> = [stored, form, bounds, weekend, times, conflicts]
