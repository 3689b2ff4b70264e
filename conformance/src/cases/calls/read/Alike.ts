import type { Answer } from "../../../http/Answer.ts"
import type { Client } from "../../../http/Client.ts"
import { isObject, type JsonObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, readCall, schedule, stopCall } from "../../../trial/Calls.ts"
import { callsOf, makeCampaign, readCampaign, readStats } from "../../../trial/Campaigns.ts"
import { dayMs, minuteMs } from "../../../trial/Duration.ts"
import type { MagicOutcome } from "../../../trial/Numbers.ts"
import type { Trial } from "../../../trial/Trial.ts"

/** How a magic number ends, and the clause of that status. */
const endings: ReadonlyArray<readonly [outcome: MagicOutcome, status: string, clause: string]> = [
  ["completed", "completed", "STATUS-10"],
  ["busy", "busy", "STATUS-13"],
  ["noAnswer", "no-answer", "STATUS-14"],
  ["voicemail", "no-answer", "STATUS-15"],
  ["failed", "failed", "STATUS-12"],
  ["error", "error", "STATUS-21"],
  ["callDisconnected", "call-disconnected", "STATUS-22"],
]

/** The clause of each status. */
const clauseOf: Readonly<Record<string, string>> = {
  scheduled: "STATUS-5",
  initiated: "STATUS-7",
  ringing: "STATUS-8",
  "in-progress": "STATUS-9",
  completed: "STATUS-10",
  failed: "STATUS-12",
  busy: "STATUS-13",
  "no-answer": "STATUS-14",
  canceled: "STATUS-16",
  stopped: "STATUS-17",
  error: "STATUS-21",
  "call-disconnected": "STATUS-22",
}

/** The clause of each field of a call. */
const fields: Readonly<Record<string, string>> = {
  execution_id: "CALL-FIELD-1",
  is_terminal: "CALL-FIELD-3",
  direction: "CALL-FIELD-4",
  agent_id: "CALL-FIELD-5",
  batch_id: "CALL-FIELD-6",
  campaign_id: "CALL-FIELD-7",
  contact_id: "CALL-FIELD-8",
  parent_execution_id: "CALL-FIELD-9",
  retry_count: "CALL-FIELD-10",
  to_number: "CALL-FIELD-12",
  from_number: "CALL-FIELD-12",
  provider: "CALL-FIELD-13",
  duration_seconds: "CALL-FIELD-14",
  answered_by_voicemail: "CALL-FIELD-15",
  hangup_by: "CALL-FIELD-16",
  hangup_reason: "CALL-FIELD-17",
  recording_url: "CALL-FIELD-18",
  cost: "CALL-FIELD-19",
  summary: "CALL-FIELD-20",
  sentiment: "CALL-FIELD-21",
  extracted_data: "CALL-FIELD-22",
  custom_analytics: "CALL-FIELD-23",
  variables: "CALL-FIELD-24",
  scheduled_at: "CALL-FIELD-26",
  created_at: "CALL-FIELD-27",
  updated_at: "CALL-FIELD-27",
  completed_at: "CALL-FIELD-27",
}

const rowsOf = (answer: Answer): ReadonlyArray<JsonObject> => answer.items().filter(isObject)

/** Holds every row of a list against the single read of the same call, at the same moment. */
const compare = async (
  { check }: Trial,
  client: Client,
  path: string,
  clauses: ReadonlyArray<string>,
): Promise<void> => {
  const list = await client.get(path, { page_size: 100 })
  check.holds(`rows-${clauses.join("-").toLowerCase()}`, clauses, list.items().length > 0, "calls on the list", list)
  for (const row of rowsOf(list)) {
    const call = await readCall(client, String(row["execution_id"]))
    const status = call.string("status")
    const own = clauseOf[status]
    check.equal(`status-${status}`, ["CALL-FIELD-2", ...(own === undefined ? [] : [own])], row["status"], status, call)
    for (const [field, clause] of Object.entries(fields)) {
      check.equal(field.replaceAll("_", "-"), clause, row[field] ?? null, call.at(field) ?? null, call)
    }
    // Whether the error of a call stands at the root of a success is not said.
    check.equal("error", "ENVELOPE-P2", isObject(row["error"]), isObject(call.at("error")), call)
  }
}

const alike: Case = {
  id: "calls/read/alike",
  title: "A call on a list is the call as it is read by itself, in every status, whoever placed it",
  clauses: [
    ...new Set([...Object.values(clauseOf), ...Object.values(fields)]),
    "CALL-FIELD-2",
    "CALL-FIELD-25",
    "ENVELOPE-P2",
    "CALL-GET-4",
    "CALL-LIST-3",
    "CALL-OF-AGENT-10",
    "STATUS-2",
    "STATUS-3",
  ],
  requires: ["fixtures", "telephony", "magic", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const analytics = { custom: [{ name: "booking", prompt: "Was a table booked?", required_keys: ["booked"] }] }
    const agentId = await activeAgent(trial, client, { analytics })
    const slow = [trial.numbers.plain(), trial.numbers.plain(), trial.numbers.plain()]
    const outcome = { result: "completed", ring_ms: 4_000, talk_ms: 60_000, hangup_by: "agent" } as const
    await trial.rules(slow.map((to_number) => ({ match: { to_number }, outcome })))
    await schedule(trial, client, agentId, dayMs)
    const canceled = await schedule(trial, client, agentId, dayMs)
    await stopCall(client, canceled)
    const ids: Array<string> = []
    for (const to of slow) ids.push(await dial(trial, client, agentId, to, { variables: { seat: "window" } }))
    for (const [magic] of endings) await dial(trial, client, agentId, trial.numbers.magic(magic, 1))
    const both = async () => {
      await compare(trial, client, "/v2/calls", ["CALL-LIST-3", "CALL-GET-4"])
      await compare(trial, client, `/v2/agents/${agentId}/executions`, ["CALL-OF-AGENT-10"])
    }
    for (const ms of [0, 700, 1_500, 4_500]) {
      await trial.clock.advance(ms)
      await both()
    }
    await stopCall(client, ids[0] ?? "")
    await both()
    await trial.clock.advance(15 * minuteMs)
    await both()
    const ended = await readCall(client, ids[1] ?? "")
    check.oneOf("hung-up-by", "CALL-FIELD-16", ended.at("hangup_by"), ["agent", null], ended)
    const list = await client.get("/v2/calls", { page_size: 100 })
    for (const row of rowsOf(list)) {
      const inFlight = ["queued", "scheduled", "rescheduled", "initiated", "ringing", "in-progress"]
      const isOver = !inFlight.includes(String(row["status"]))
      check.equal("terminal", ["STATUS-2", "STATUS-3", "CALL-FIELD-3"], row["is_terminal"], isOver, list)
    }
    for (const row of rowsOf(list).filter(({ status }) => status === "canceled")) {
      check.holds(
        "still-told",
        "CALL-FIELD-26",
        typeof row["scheduled_at"] === "string",
        "the time that will not come",
        list,
      )
      check.equal("costs-nothing", "CALL-FIELD-19", Number(Object(row["cost"]).total ?? 0), 0, list)
    }
  },
}

const ofBatch: Case = {
  id: "calls/read/of-a-batch",
  title: "Calls of a batch end as calls do, name their batch, campaign and contact, and count where they belong",
  clauses: [
    ...new Set([...Object.values(clauseOf), ...Object.values(fields)]),
    "CALL-FIELD-2",
    "CALL-FIELD-25",
    "ENVELOPE-P2",
    "CAMPAIGN-FIELD-35",
    "CAMPAIGN-FIELD-36",
    "CAMPAIGN-FIELD-37",
    "STATS-5",
    "STATS-8",
    "STATS-13",
    "STATS-14",
    "STATUS-11",
    "STATUS-15",
  ],
  requires: ["fixtures", "telephony", "magic", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const contacts = endings.map(([magic], n) => ({ to_number: trial.numbers.magic(magic, 1), seat: `s${n}` }))
    const made = await makeCampaign(trial, client, agentId, { contacts, retry_policy: { max_retries: 0 } })
    const [campaignId, batchId] = [made.string("campaign_id"), made.string("batch_id")]
    await trial.clock.advance(20 * minuteMs)
    await compare(trial, client, `/v2/batches/${batchId}/executions`, ["CALL-FIELD-6"])
    const calls = await callsOf(client, campaignId)
    check.equal("calls", "STATUS-11", calls.length, endings.length)
    for (const [n, [, status, clause]] of endings.entries()) {
      const call = calls.find(({ to_number }) => to_number === contacts[n]?.to_number)
      check.equal(`ended-${n}`, clause, call?.["status"], status)
      check.equal("batch", "CALL-FIELD-6", call?.["batch_id"], batchId)
      check.equal("campaign", "CALL-FIELD-7", call?.["campaign_id"], campaignId)
      check.holds("contact", "CALL-FIELD-8", typeof call?.["contact_id"] === "string", "the contact of the call")
      check.equal("seat", "CALL-FIELD-24", Object(call?.["variables"]).seat, `s${n}`)
    }
    const contactIds = new Set(calls.map(({ contact_id }) => contact_id))
    check.equal("contacts", "CALL-FIELD-8", contactIds.size, endings.length)
    const stats = await readStats(client, campaignId)
    check.equal("reached", ["STATUS-11", "STATS-5"], stats.at("outcome_counts.completed"), 1, stats)
    check.equal("failed", ["STATS-5", "STATS-13"], stats.at("outcome_counts.failed"), endings.length - 1, stats)
    check.equal("total", ["STATS-14", "STATS-5"], stats.at("outcome_counts.total"), endings.length, stats)
    check.equal("none-pending", "STATS-13", stats.at("outcome_counts.pending"), 0, stats)
    const counters = await readCampaign(client, campaignId)
    for (const [name, clause, expected] of [
      ["completed_contacts", ["CAMPAIGN-FIELD-35", "STATUS-11"], 1],
      ["completed_calls", ["CAMPAIGN-FIELD-36"], 1],
      ["busy_calls", ["CAMPAIGN-FIELD-36"], 1],
      ["no_answer_calls", ["CAMPAIGN-FIELD-36", "CAMPAIGN-FIELD-37"], 2],
      ["voicemail_calls", ["CAMPAIGN-FIELD-37"], 1],
      ["in_progress_calls", ["CAMPAIGN-FIELD-36"], 0],
      ["follow_up_calls", ["CAMPAIGN-FIELD-36"], 0],
    ] as const) {
      check.equal(`campaign-${name}`.replaceAll("_", "-"), clause, counters.at(name), expected, counters)
      const [, short] = /^(\w+_calls)$/.exec(name) ?? []
      if (short === undefined || name === "in_progress_calls") continue
      check.equal(`stats-${name}`.replaceAll("_", "-"), "STATS-8", stats.at(`call_counters.${name}`), expected, stats)
    }
  },
}

const attempts: Case = {
  id: "calls/read/attempts",
  title: "A retry names the original attempt and counts those before it; what was stopped or unpaid is not retried",
  clauses: [
    "CALL-FIELD-6",
    "CALL-FIELD-7",
    "CALL-FIELD-9",
    "CALL-FIELD-10",
    "CAMPAIGN-FIELD-17",
    "STATS-3",
    "STATS-9",
    "STATS-11",
    "STATUS-17",
    "STATUS-18",
    "STATUS-20",
  ],
  requires: ["fixtures", "telephony", "magic", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const [often, talker, poor] = [trial.numbers.plain(), trial.numbers.plain(), trial.numbers.magic("walletEmpty", 1)]
    await trial.rules([
      { match: { to_number: often, attempt: 0 }, outcome: { result: "busy" } },
      { match: { to_number: often, attempt: 1 }, outcome: { result: "failed" } },
      { match: { to_number: often, attempt: 2 }, outcome: { result: "completed" } },
      { match: { to_number: talker }, outcome: { result: "completed", ring_ms: 1_000, talk_ms: 120_000 } },
    ])
    const contacts = [often, talker, poor].map((to_number) => ({ to_number }))
    const retry_policy = { max_retries: 3, base_delay_minutes: 1 }
    const made = await makeCampaign(trial, client, agentId, { contacts, retry_policy })
    const campaignId = made.string("campaign_id")
    await trial.clock.advance(20_000)
    const talking = (await callsOf(client, campaignId)).find(({ to_number }) => to_number === talker)
    const stopped = await stopCall(client, String(talking?.["execution_id"]))
    check.status("stopped", "STATUS-17", stopped, 202)
    await trial.clock.advance(60 * minuteMs)
    const calls = await callsOf(client, campaignId)
    // Which of them comes first on the list is not shown.
    const own = calls
      .filter(({ to_number }) => to_number === often)
      .toSorted((a, b) => Number(a["retry_count"]) - Number(b["retry_count"]))
    const [first] = own
    check.equal(
      "attempts",
      "CAMPAIGN-FIELD-17",
      own.map(({ status }) => status),
      ["busy", "failed", "completed"],
    )
    check.equal(
      "counts",
      "CALL-FIELD-10",
      own.map(({ retry_count }) => retry_count),
      [0, 1, 2],
    )
    const parents = own.map(({ parent_execution_id }) => parent_execution_id ?? null)
    check.equal("parents", "CALL-FIELD-9", parents, [null, first?.["execution_id"], first?.["execution_id"]])
    for (const { batch_id, campaign_id } of own) {
      check.equal("batch", "CALL-FIELD-6", batch_id, made.at("batch_id"))
      check.equal("campaign", "CALL-FIELD-7", campaign_id, campaignId)
    }
    const once = calls.filter(({ to_number }) => to_number === talker)
    check.equal(
      "not-again",
      "STATUS-18",
      once.map(({ status }) => status),
      ["stopped"],
    )
    const unpaid = calls.filter(({ to_number }) => to_number === poor)
    check.equal(
      "unpaid-once",
      "STATUS-20",
      unpaid.map(({ status }) => status),
      ["balance-low"],
    )
    const counters = await readCampaign(client, campaignId)
    check.equal("no-failure", ["STATUS-18", "STATUS-20"], counters.at("failed_calls"), 1, counters)
    const stats = await readStats(client, campaignId)
    check.oneOf("dialled", "STATS-3", stats.at("contacts_dialled"), [3, null], stats)
    check.oneOf("all-attempts", "STATS-11", stats.at("total_call_attempts"), [5, null], stats)
    check.oneOf("by-depth", "STATS-9", stats.at("retry_breakdown"), [{ "0": 3, "1": 1, "2": 1 }, null], stats)
  },
}

/** Calls, wherever they are read. */
export const alikeCases: ReadonlyArray<Case> = [alike, ofBatch, attempts]
