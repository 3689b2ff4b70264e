import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import {
  askCampaign,
  type Body,
  distantStart,
  magicContacts,
  makeCampaign,
  readCampaign,
  readStats,
} from "../../trial/Campaigns.ts"
import { dayMs } from "../../trial/Duration.ts"

const policyOnly: Case = {
  id: "campaigns/create/policy-only",
  title: "A campaign without contacts is a policy with every default, and stays created",
  clauses: [
    "CAMPAIGN-CREATE-3",
    "CAMPAIGN-CREATE-4",
    "CAMPAIGN-CREATE-6",
    "CAMPAIGN-STATUS-2",
    "CAMPAIGN-STATUS-P4",
    "CAMPAIGN-JSON-1",
    "CAMPAIGN-JSON-2",
    "CAMPAIGN-JSON-P3",
    "CAMPAIGN-FIELD-1",
    "CAMPAIGN-FIELD-7",
    "CAMPAIGN-FIELD-8",
    "CAMPAIGN-FIELD-9",
    "CAMPAIGN-FIELD-10",
    "CAMPAIGN-FIELD-13",
    "CAMPAIGN-FIELD-16",
    "CAMPAIGN-FIELD-18",
    "CAMPAIGN-FIELD-20",
    "CAMPAIGN-FIELD-21",
    "CAMPAIGN-FIELD-31",
    "CAMPAIGN-FIELD-33",
    "CAMPAIGN-FIELD-34",
    "CAMPAIGN-FIELD-36",
    "CAMPAIGN-GET-1",
    "FOLLOW-UP-P2",
    "RETRY-P8",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const answer = await askCampaign(trial, client, { name: "x", agent_id: agentId })
    check.status(
      "created",
      ["CAMPAIGN-CREATE-3", "CAMPAIGN-CREATE-6", "CAMPAIGN-JSON-1", "CAMPAIGN-JSON-2", "CAMPAIGN-JSON-P3"],
      answer,
      201,
    )
    check.must(answer.succeeded)
    check.holds("id", "CAMPAIGN-FIELD-1", answer.string("campaign_id") !== "", "an id", answer)
    const defaults: ReadonlyArray<readonly [path: string, clauses: ReadonlyArray<string>, value: unknown]> = [
      ["status", ["CAMPAIGN-CREATE-3", "CAMPAIGN-STATUS-2"], "created"],
      ["batch_id", ["CAMPAIGN-CREATE-4", "CAMPAIGN-CREATE-6", "CAMPAIGN-FIELD-31"], null],
      ["total_contacts", ["CAMPAIGN-CREATE-4", "CAMPAIGN-FIELD-33"], 0],
      ["total_batches", ["CAMPAIGN-FIELD-34"], 0],
      ["active_batches", ["CAMPAIGN-FIELD-34"], 0],
      ["completed_calls", ["CAMPAIGN-FIELD-36"], 0],
      ["phone_number_strategy", ["CAMPAIGN-FIELD-7"], "round_robin"],
      ["phone_number_index", ["CAMPAIGN-FIELD-8"], 0],
      ["timezone", ["CAMPAIGN-FIELD-9"], "UTC"],
      ["working_hours_enforced", ["CAMPAIGN-FIELD-10"], false],
      ["max_concurrent_calls", ["CAMPAIGN-FIELD-13"], null],
      ["retry_policy.max_retries", ["CAMPAIGN-FIELD-16"], 3],
      ["retry_policy.strategy", ["CAMPAIGN-FIELD-16", "CAMPAIGN-FIELD-18"], "fixed_delay"],
      ["retry_policy.base_delay_minutes", ["CAMPAIGN-FIELD-16"], 15],
      ["retry_policy.cooldown_minutes", ["RETRY-P8"], 0],
      ["retry_policy.respect_working_hours", ["CAMPAIGN-FIELD-16"], true],
      ["follow_up_policy.enabled", ["CAMPAIGN-FIELD-20"], false],
      ["follow_up_policy.max_attempts", ["FOLLOW-UP-P2"], 1],
      ["follow_up_policy.cooldown_minutes", ["FOLLOW-UP-P2"], 1440],
      ["transliteration.enabled", ["CAMPAIGN-FIELD-21"], false],
    ]
    for (const [path, clauses, value] of defaults)
      check.equal(`default-${path}`, clauses, answer.at(path), value, answer)
    const read = await readCampaign(client, answer.string("campaign_id"))
    check.status("readable", "CAMPAIGN-GET-1", read, 200)
    check.equal("stays-created", "CAMPAIGN-STATUS-P4", read.at("status"), "created", read)
  },
}

const withContacts: Case = {
  id: "campaigns/create/with-contacts",
  title: "Contacts in the body become a batch, whose id only the creating answer shows",
  clauses: [
    "CAMPAIGN-CREATE-3",
    "CAMPAIGN-CREATE-4",
    "CAMPAIGN-CREATE-5",
    "CAMPAIGN-JSON-3",
    "CAMPAIGN-FIELD-31",
    "CAMPAIGN-FIELD-32",
    "CAMPAIGN-FIELD-33",
    "CAMPAIGN-FIELD-34",
    "CAMPAIGN-GET-1",
    "CAMPAIGN-STATS-1",
    "CAMPAIGN-BATCHES-1",
    "CAMPAIGN-BATCHES-P1",
    "CAMPAIGN-EXTENSION-P1",
    "CAMPAIGN-EXTENSION-P2",
    "STATS-5",
    "STATS-14",
    "CONTACT-P1",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const to = () => trial.numbers.magic("completed", 1)
    const contacts = [{ to_number: to(), name: "Ada" }, { phone_number: to(), age: 7 }, { to_number: to() }]
    const answer = await makeCampaign(trial, client, agentId, { contacts, start_time: await distantStart(trial) })
    const campaignId = answer.string("campaign_id")
    const batchId = answer.string("batch_id")
    check.equal("status", ["CAMPAIGN-CREATE-3"], answer.at("status"), "created", answer)
    check.holds("batch", ["CAMPAIGN-CREATE-4", "CAMPAIGN-FIELD-31"], batchId !== "", "a batch_id", answer)
    check.equal(
      "contacts",
      ["CAMPAIGN-CREATE-4", "CAMPAIGN-CREATE-5", "CAMPAIGN-JSON-3", "CAMPAIGN-FIELD-33"],
      answer.at("total_contacts"),
      3,
      answer,
    )
    check.equal("batches", "CAMPAIGN-FIELD-34", answer.at("total_batches"), 1, answer)
    const read = await readCampaign(client, campaignId)
    check.equal("batch-not-read", "CAMPAIGN-FIELD-32", read.at("batch_id"), null, read)
    check.equal("contacts-read", ["CAMPAIGN-GET-1", "CAMPAIGN-FIELD-33"], read.at("total_contacts"), 3, read)
    const list = await client.get(`/v2/campaigns/${campaignId}/batches`)
    check.status("batches-route", "CAMPAIGN-BATCHES-1", list, 200)
    check.equal("batches-listed", "CAMPAIGN-BATCHES-P1", list.at("data.0.batch_id"), batchId, list)
    const stats = await readStats(client, campaignId)
    check.status("stats", "CAMPAIGN-STATS-1", stats, 200)
    check.equal(
      "all-pending",
      ["STATS-5", "STATS-14"],
      stats.at("outcome_counts"),
      { completed: 0, failed: 0, in_flight: 0, pending: 3, total: 3 },
      stats,
    )
    const listed = await client.get(`/v2/campaigns/${campaignId}/contacts`)
    check.equal("listed-total", "CAMPAIGN-EXTENSION-P1", listed.at("pagination.total"), 3, listed)
    check.equal("listed-status", ["CAMPAIGN-EXTENSION-P1", "CONTACT-P1"], listed.at("data.0.status"), "pending", listed)
    const more = await client.post(`/v2/campaigns/${campaignId}/contacts`, {
      contacts: magicContacts(trial, 2, "completed"),
    })
    check.status("appended", "CAMPAIGN-EXTENSION-P2", more, 201)
    const after = await readCampaign(client, campaignId)
    check.equal("appended-counted", "CAMPAIGN-EXTENSION-P2", after.at("total_contacts"), 5, after)
  },
}

const echoed: Case = {
  id: "campaigns/create/every-field",
  title: "Every field of a create is answered as it was given",
  clauses: [
    "CAMPAIGN-JSON-5",
    "CAMPAIGN-FIELD-3",
    "CAMPAIGN-FIELD-4",
    "CAMPAIGN-FIELD-7",
    "CAMPAIGN-FIELD-9",
    "CAMPAIGN-FIELD-10",
    "CAMPAIGN-FIELD-11",
    "CAMPAIGN-FIELD-13",
    "CAMPAIGN-FIELD-15",
    "CAMPAIGN-FIELD-19",
    "CAMPAIGN-FIELD-21",
    "CAMPAIGN-FIELD-23",
    "CAMPAIGN-FIELD-27",
    "CAMPAIGN-FIELD-28",
    "CAMPAIGN-FIELD-30",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const at = (days: number) => trial.now().then((now) => Math.floor((now + days * dayMs) / 1_000) * 1_000)
    const [start, end] = [await at(3), await at(9)]
    const inKolkata = (ms: number) => `${new Date(ms + 19_800_000).toISOString().slice(0, 19)}+05:30`
    const body: Body = {
      name: "ü".repeat(200),
      phone_number_strategy: "least_loaded",
      timezone: "Asia/Kolkata",
      working_hours_enforced: true,
      working_hours: { monday: { start: "09:00", end: "17:30", enabled: true } },
      max_concurrent_calls: 10_000,
      retry_policy: {
        // Not the default; how many a server allows is a reading.
        max_retries: 2,
        strategy: "fixed_delay",
        cooldown_minutes: 5,
        base_delay_minutes: 20,
        max_delay_minutes: 60,
        respect_working_hours: false,
      },
      follow_up_policy: {
        enabled: true,
        max_attempts: 2,
        cooldown_minutes: 60,
        triggers: ["after_retries_exhausted"],
        next_working_day_only: true,
        follow_up_agent_id: agentId,
        follow_up_prompt: "Call again.",
        follow_up_extra_logic: { any: [1] },
      },
      transliteration: {
        enabled: true,
        fields: ["name"],
        target_language_code: "hi",
        source_language_code: "en",
        keep_original: true,
      },
      default_call_variables: { greeting: "hello", nested: { a: [1, null] } },
      default_call_context: { anything: true },
      metadata: { owner: "us" },
    }
    const answer = await makeCampaign(trial, client, agentId, {
      ...body,
      start_time: inKolkata(start),
      end_time: inKolkata(end),
    })
    const clauses: Readonly<Record<string, string>> = {
      name: "CAMPAIGN-FIELD-3",
      phone_number_strategy: "CAMPAIGN-FIELD-7",
      timezone: "CAMPAIGN-FIELD-9",
      working_hours_enforced: "CAMPAIGN-FIELD-10",
      working_hours: "CAMPAIGN-FIELD-11",
      max_concurrent_calls: "CAMPAIGN-FIELD-13",
      retry_policy: "CAMPAIGN-FIELD-15",
      follow_up_policy: "CAMPAIGN-FIELD-19",
      transliteration: "CAMPAIGN-FIELD-21",
      default_call_variables: "CAMPAIGN-FIELD-27",
      default_call_context: "CAMPAIGN-FIELD-28",
      metadata: "CAMPAIGN-FIELD-30",
    }
    for (const [name, clause] of Object.entries(clauses)) {
      check.equal(name, ["CAMPAIGN-JSON-5", clause], answer.at(name), body[name], answer)
    }
    check.equal("agent", "CAMPAIGN-FIELD-4", answer.at("agent_id"), agentId, answer)
    check.equal(
      "start",
      ["CAMPAIGN-FIELD-23", "CAMPAIGN-JSON-5"],
      Date.parse(answer.string("start_time")),
      start,
      answer,
    )
    check.equal("end", ["CAMPAIGN-FIELD-23", "CAMPAIGN-JSON-5"], Date.parse(answer.string("end_time")), end, answer)
    const read = await readCampaign(client, answer.string("campaign_id"))
    for (const name of ["start_time", "end_time"]) {
      const isUtc = /(Z|\+00:00)$/.test(read.string(name))
      check.holds(`${name}-in-utc`.replaceAll("_", "-"), "CAMPAIGN-FIELD-23", isUtc, "a time in UTC", read)
    }
  },
}

/** A body that is refused: its fields, the code, the field that the message names. */
type Wrong = readonly [name: string, clauses: ReadonlyArray<string>, body: Body, code: number, names?: string]

const wrong = (agentId: string, number: string): ReadonlyArray<Wrong> => [
  ["no-name", ["DECODE-P2"], { name: undefined }, 1002, "name"],
  ["empty-name", ["CAMPAIGN-JSON-1", "CONSTANT-9"], { name: "" }, 1001, "name"],
  ["long-name", ["CAMPAIGN-JSON-1", "CONSTANT-9"], { name: "x".repeat(201) }, 1001, "name"],
  ["no-agent", ["DECODE-P2"], { agent_id: undefined }, 1002, "agent_id"],
  ["empty-agent", ["CAMPAIGN-JSON-2"], { agent_id: "" }, 1001, "agent_id"],
  ["unknown-agent", ["CAMPAIGN-CREATE-8"], { agent_id: "agt_unknown" }, 1200],
  ["no-contacts", ["CAMPAIGN-JSON-P2"], { contacts: [] }, 1000],
  [
    "contact-without-number",
    ["CAMPAIGN-JSON-P1", "DECODE-P4", "DECODE-P15"],
    { contacts: [{ to_number: number }, {}] },
    1001,
    "contacts[1].to_number",
  ],
  [
    "number-of-a-wrong-type",
    ["DECODE-P3"],
    { contacts: [{ to_number: 15555550100, phone_number: number }] },
    1001,
    "contacts[0].to_number",
  ],
  // Both are wrong, and contacts stand first.
  [
    "contacts-before-others",
    ["DECODE-P4"],
    { contacts: [{ to_number: "+123456" }], max_concurrent_calls: 0, metadata: 1 },
    1001,
    "contacts[0]",
  ],
  ["agent-before-contacts", ["DECODE-P4"], { agent_id: "", contacts: [{ to_number: "+123456" }] }, 1001, "agent_id"],
  ["short-number", ["CAMPAIGN-LIMITS-3"], { contacts: [{ to_number: "+123456" }] }, 1001, "contacts"],
  ["long-number", ["CAMPAIGN-LIMITS-3"], { contacts: [{ to_number: "+1234567890123456" }] }, 1001, "contacts"],
  ["plain-digits", ["DECODE-P14"], { contacts: [{ to_number: number.slice(1) }] }, 1001, "contacts[0]"],
  ["foreign-caller-id", ["CAMPAIGN-FIELD-5"], { phone_numbers: ["+15555550000"] }, 1001, "phone_numbers"],
  ["strategy", ["CAMPAIGN-FIELD-7"], { phone_number_strategy: "first" }, 1001, "phone_number_strategy"],
  ["zone", ["CAMPAIGN-ERROR-1"], { timezone: "Mars/Olympus" }, 1000],
  ["hours", ["CAMPAIGN-ERROR-2"], { working_hours: { monday: { start: "9am", end: "17:00", enabled: true } } }, 1000],
  [
    "hours-24",
    ["CAMPAIGN-ERROR-2"],
    { working_hours: { monday: { start: "09:00", end: "25:00", enabled: true } } },
    1000,
  ],
  [
    "end-at-start",
    ["CAMPAIGN-ERROR-3"],
    { start_time: "2040-01-01T00:00:00Z", end_time: "2040-01-01T01:00:00+01:00" },
    1000,
  ],
  ["no-offset", ["CAMPAIGN-FIELD-23"], { start_time: "2040-01-01T00:00:00" }, 1001, "start_time"],
  ["no-ceiling", ["CAMPAIGN-FIELD-13"], { max_concurrent_calls: 0 }, 1001, "max_concurrent_calls"],
  ["high-ceiling", ["CAMPAIGN-FIELD-13"], { max_concurrent_calls: 10_001 }, 1001, "max_concurrent_calls"],
  ["retries", ["RETRY-P4"], { retry_policy: { max_retries: 11 } }, 1001, "retry_policy.max_retries"],
  ["follow-ups", ["FOLLOW-UP-P2"], { follow_up_policy: { max_attempts: 11 } }, 1001, "follow_up_policy.max_attempts"],
  ["follow-up-agent", ["TENANCY-P1"], { follow_up_policy: { follow_up_agent_id: `${agentId}x` } }, 1200],
]

/** What is refused by the specification's own text, where the code alone is a reading. */
const required: Readonly<Record<string, string>> = { "no-name": "CAMPAIGN-JSON-1", "no-agent": "CAMPAIGN-JSON-2" }

const refusals: Case = {
  id: "campaigns/create/refusals",
  title: "What is wrong is refused with the code and the field that say so, and leaves nothing behind",
  clauses: [
    "CAMPAIGN-JSON-1",
    "CAMPAIGN-JSON-2",
    "CAMPAIGN-JSON-3",
    "CAMPAIGN-JSON-P1",
    "CAMPAIGN-JSON-P2",
    "CAMPAIGN-CREATE-7",
    "CAMPAIGN-CREATE-8",
    "CAMPAIGN-ERROR-1",
    "CAMPAIGN-ERROR-2",
    "CAMPAIGN-ERROR-3",
    "CAMPAIGN-ERROR-6",
    "CAMPAIGN-ERROR-7",
    "CAMPAIGN-LIMITS-1",
    "CAMPAIGN-LIMITS-3",
    "CAMPAIGN-FIELD-5",
    "CAMPAIGN-FIELD-7",
    "CAMPAIGN-FIELD-13",
    "CAMPAIGN-FIELD-23",
    "CONSTANT-9",
    "CONSTANT-10",
    "DECODE-P2",
    "DECODE-P3",
    "DECODE-P4",
    "DECODE-P14",
    "DECODE-P15",
    "RETRY-P4",
    "FOLLOW-UP-P2",
    "TENANCY-P1",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const before = (await client.get("/v2/campaigns")).number("pagination.total")
    // What only a reading refuses, a server may take.
    let taken = 0
    for (const [name, clauses, body, code, named] of wrong(agentId, trial.numbers.magic("completed", 1))) {
      const answer = await askCampaign(trial, client, { name: "x", agent_id: agentId, ...body })
      check.refused(name, clauses, answer, code)
      const own = required[name]
      if (own !== undefined) check.oneOf(`${name}-refused`, own, answer.code, [1001, 1002], answer)
      if (answer.succeeded) taken += 1
      if (named !== undefined) check.names(`${name}-named`, clauses, answer, named)
    }
    const list = await client.send("POST", "/v2/campaigns", { body: [] })
    check.refused("not-an-object", "CAMPAIGN-ERROR-6", list, 1000)
    const many = Array.from({ length: 50_001 }, (_, nth) => ({ to_number: `+1555555${String(1_000_000 + nth)}` }))
    const tooMany = await askCampaign(trial, client, { name: "x", agent_id: agentId, contacts: many })
    check.rejected("too-many-contacts", ["CAMPAIGN-LIMITS-1", "CONSTANT-10"], tooMany)
    check.refused("too-many-code", "DECODE-P15", tooMany, 1001)
    const after = await client.get("/v2/campaigns")
    check.equal("nothing-stored", "CAMPAIGN-CREATE-7", after.at("pagination.total"), before + taken, after)
  },
}

const fifty: Case = {
  id: "campaigns/create/fifty-thousand",
  title: "Fifty thousand contacts are taken in one request",
  clauses: ["CAMPAIGN-LIMITS-1", "CONSTANT-10", "CAMPAIGN-FIELD-33", "DECODE-P12"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const padding = "x".repeat(40)
    const contacts = Array.from({ length: 50_000 }, (_, nth) => ({ to_number: `+1555555${1_000_000 + nth}`, padding }))
    const start_time = await distantStart(trial)
    const answer = await askCampaign(trial, client, { name: "x", agent_id: agentId, contacts, start_time })
    check.status("taken", ["CAMPAIGN-LIMITS-1", "CONSTANT-10", "DECODE-P12"], answer, 201)
    check.equal("counted", "CAMPAIGN-FIELD-33", answer.at("total_contacts"), 50_000, answer)
  },
}

export const campaignCreateCases: ReadonlyArray<Case> = [policyOnly, withContacts, echoed, refusals, fifty]
