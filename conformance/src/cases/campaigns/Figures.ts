import { isObject } from "../../http/Json.ts"
import type { Answer } from "../../http/Answer.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import {
  askCampaign,
  bucketsAddUp,
  callsOf,
  distantStart,
  magicContacts,
  makeCampaign,
  move,
  orNull,
  readCampaign,
  readStats,
} from "../../trial/Campaigns.ts"
import { dayMs, hourMs, minuteMs, secondMs } from "../../trial/Duration.ts"

const running: Case = {
  id: "campaigns/figures/running",
  title: "While calls are live the figures say so, a pause lets them finish, and a cancel dials nobody else",
  clauses: [
    "CAMPAIGN-CANCEL-1",
    "CAMPAIGN-FIELD-36",
    "CAMPAIGN-STATUS-4",
    "CAMPAIGN-STATUS-5",
    "CAMPAIGN-STATUS-6",
    "CAMPAIGN-STATUS-7",
    "CAMPAIGN-STATUS-10",
    "CAMPAIGN-STATUS-14",
    "SLOT-FULL-4",
    "SLOT-FULL-5",
    "STATS-3",
    "STATS-6",
    "STATS-7",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 2 } })
    const agentId = await activeAgent(trial, client)
    const contacts = Array.from({ length: 7 }, () => ({ to_number: trial.numbers.plain() }))
    const outcome = { result: "completed", ring_ms: secondMs, talk_ms: 5 * minuteMs }
    await trial.rules(contacts.map((match) => ({ match, outcome })))
    const made = await makeCampaign(trial, client, agentId, { contacts })
    const id = made.string("campaign_id")
    const legs = async () => (await trial.telephony.legs({ campaign_id: id })).length
    await clock.advance(minuteMs)
    const stats = await readStats(client, id)
    check.oneOf("dialled", "STATS-3", stats.at("contacts_dialled"), orNull(await legs()), stats)
    check.holds("in-progress", "STATS-6", stats.number("contact_counts.in_progress") > 0, "contacts in progress", stats)
    check.equal("nobody-failed", "SLOT-FULL-4", stats.at("outcome_counts.failed"), 0, stats)
    check.holds("nobody-lost", "SLOT-FULL-5", bucketsAddUp(stats), "contacts that wait among the pending", stats)
    const batch = await client.get(`/v2/batches/${made.string("batch_id")}`)
    const counted = stats.at(`batch_counts.${batch.string("status")}`)
    if (batch.string("status") !== "") check.equal("batch-counted", "STATS-7", counted, 1, stats)
    const live = await readCampaign(client, id)
    check.holds("live-calls", "CAMPAIGN-FIELD-36", live.number("in_progress_calls") > 0, "calls in progress", live)

    trial.made(await move(client, id, "pause"), 200)
    const placed = await legs()
    const held = await readCampaign(client, id)
    check.equal("reads-paused", "CAMPAIGN-STATUS-4", held.at("status"), "paused", held)
    await clock.advance(20 * minuteMs)
    check.equal("paused", ["CAMPAIGN-STATUS-5", "CAMPAIGN-STATUS-6"], await legs(), placed)
    const calls = await callsOf(client, id)
    const ends = calls.map(({ status }) => status)
    check.equal(
      "calls-finish",
      "CAMPAIGN-STATUS-7",
      ends,
      ends.map(() => "completed"),
    )
    const paused = await readStats(client, id)
    const kept = [paused.at("outcome_counts.failed"), paused.at("outcome_counts.pending")]
    check.equal("places-kept", "CAMPAIGN-STATUS-6", kept, [0, contacts.length - placed], paused)

    trial.made(await move(client, id, "resume"), 200)
    await clock.advance(minuteMs)
    const resumed = await readCampaign(client, id)
    check.equal("reads-active", "CAMPAIGN-STATUS-10", resumed.at("status"), "active", resumed)
    const before = await legs()
    check.holds("goes-on", "CAMPAIGN-STATUS-10", before > placed, "new dials", resumed)
    trial.made(await move(client, id, "cancel"), 200)
    await clock.advance(hourMs)
    check.equal("cancelled", ["CAMPAIGN-STATUS-14", "CAMPAIGN-CANCEL-1"], await legs(), before)
  },
}

const retried: Case = {
  id: "campaigns/figures/retried",
  title: "A contact that waits for its retry is pending, names the first attempt, and keeps its budget over a revive",
  clauses: [
    "CALL-FIELD-9",
    "CAMPAIGN-FIELD-17",
    "CAMPAIGN-PATCH-P1",
    "CAMPAIGN-PATCH-P4",
    "CAMPAIGN-STATUS-6",
    "CAMPAIGN-STATUS-19",
    "CONTACT-P1",
    "STATS-4",
    "STATS-12",
    "STATS-14",
    "STATS-P4",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const retry_policy = { max_retries: 2, base_delay_minutes: 10, cooldown_minutes: 0 }
    const run = async (to_number: string) =>
      (await makeCampaign(trial, client, agentId, { retry_policy, contacts: [{ to_number }] })).string("campaign_id")
    const [number, other] = [trial.numbers.magic("busy", 0), trial.numbers.magic("busy", 0)]
    const id = await run(number)
    const revived = await run(other)
    const third = trial.numbers.magic("busy", 0)
    const edited = await run(third)
    const legs = async (to_number: string) => (await trial.telephony.legs({ to_number })).length
    await clock.advance(minuteMs)
    const waiting = await readStats(client, id)
    check.equal("none-in-flight", "STATS-4", waiting.at("in_flight_contacts"), 0, waiting)
    check.equal("policy", "STATS-12", waiting.at("retry_policy.max_retries"), 2, waiting)
    const listed = await client.get(`/v2/campaigns/${id}/contacts`)
    check.equal("waits-for-its-retry", "CONTACT-P1", listed.at("data.0.status"), "retry_scheduled", listed)
    trial.made(await move(client, id, "pause"), 200)
    const paused = await readStats(client, id)
    // Whether a contact that waits counts as failed until it is reached is a reading.
    check.equal("not-failed", "STATS-P4", paused.at("outcome_counts.failed"), 0, paused)
    trial.made(await move(client, id, "resume"), 200)
    trial.made(await client.patch(`/v2/campaigns/${edited}`, { retry_policy: { base_delay_minutes: 30 } }), 200)
    await clock.advance(15 * minuteMs)
    await callsOf(client, id)
    check.equal("second-attempt", "CAMPAIGN-STATUS-6", await legs(number), 2)
    trial.made(await move(client, revived, "cancel"), 200)
    await clock.advance(hourMs)
    trial.made(await move(client, revived, "revive"), 200)
    await clock.advance(dayMs)
    check.equal("attempts", "CAMPAIGN-FIELD-17", await legs(number), 3)
    // The first retry was planned when the policy was edited.
    const dials = await trial.telephony.legs({ to_number: third })
    const waits = dials.slice(1).map(({ placed_at }, nth) => {
      const waited = Date.parse(String(placed_at)) - Date.parse(String(dials[nth]?.ended_at))
      return Math.floor(waited / minuteMs)
    })
    check.equal("edited-policy", "CAMPAIGN-PATCH-P4", waits, [10, 30])
    const most = await legs(other)
    check.holds("budget-kept", "CAMPAIGN-STATUS-19", most <= 3, "three attempts at most")
    await callsOf(client, id)
    const calls = await callsOf(client, id)
    const first = calls.find(({ retry_count }) => retry_count === 0)?.["execution_id"]
    for (const call of calls.filter(({ retry_count }) => Number(retry_count) > 0)) {
      check.equal("names-the-first", "CALL-FIELD-9", call["parent_execution_id"], first)
    }
    const stats = await readStats(client, id)
    check.equal("one-contact", "STATS-14", stats.at("outcome_counts.total"), 1, stats)
    const target = `/v2/campaigns/${id}`
    const policy = { max_retries: 4, base_delay_minutes: 22, cooldown_minutes: 3 }
    trial.made(await client.patch(target, { retry_policy: policy }), 200)
    const patched = await client.patch(target, { retry_policy: { max_retries: 1 } })
    check.equal("delay-kept", "CAMPAIGN-PATCH-P1", patched.at("retry_policy.base_delay_minutes"), 22, patched)
    check.equal("cooldown-kept", "CAMPAIGN-PATCH-P1", patched.at("retry_policy.cooldown_minutes"), 3, patched)
  },
}

const triggers: Case = {
  id: "campaigns/figures/retry-triggers",
  title: "Every failure of a call is retried",
  clauses: ["CAMPAIGN-FIELD-17", "RETRY-P3", "RETRY-P6"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const outcomes = ["failed", "busy", "noAnswer", "voicemail", "error", "callDisconnected"] as const
    const numbers = outcomes.map((outcome) => [outcome, trial.numbers.magic(outcome, 1)] as const)
    const contacts = numbers.map(([, to_number]) => ({ to_number }))
    const lost = trial.numbers.magic("unconfirmedNeverDialled")
    const made = await makeCampaign(trial, client, agentId, {
      contacts: [...contacts, { to_number: lost }],
      retry_policy: { max_retries: 1, base_delay_minutes: 5 },
    })
    await clock.advance(2 * hourMs)
    const unknown = (await callsOf(client, made.string("campaign_id"))).filter(({ to_number }) => to_number === lost)
    check.equal(
      "nobody-knows",
      "RETRY-P6",
      unknown.map(({ status }) => status),
      ["error"],
    )
    for (const [outcome, to_number] of numbers) {
      const dials = (await trial.telephony.legs({ to_number })).length
      check.equal(outcome, "RETRY-P3", dials, 2)
      if (outcome === "busy") check.equal("one-more-attempt", "CAMPAIGN-FIELD-17", dials, 2)
    }
  },
}

const followed: Case = {
  id: "campaigns/figures/followed-up",
  title: "A contact that is followed up is reached once, and follow-ups are counted among the calls",
  clauses: [
    "CAMPAIGN-FIELD-35",
    "CAMPAIGN-FIELD-36",
    "FOLLOW-UP-P1",
    "FOLLOW-UP-P2",
    "FOLLOW-UP-P7",
    "STATS-8",
    "STATS-15",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const run = async (to_number: string, trigger: string, more: object = {}) => {
      const follow_up_policy = { enabled: true, triggers: [trigger], cooldown_minutes: 30, max_attempts: 1, ...more }
      const body = { name: "Conformance", agent_id: agentId, follow_up_policy, retry_policy: { max_retries: 0 } }
      const made = await askCampaign(trial, client, { ...body, contacts: [{ to_number }] })
      return made.string("campaign_id")
    }
    const [again, late] = [trial.numbers.plain(), trial.numbers.plain()]
    await trial.rules([
      { match: { to_number: again }, outcome: { result: "completed", ring_ms: secondMs, talk_ms: secondMs } },
      {
        match: { to_number: late, attempt: 0 },
        outcome: { result: "completed", ring_ms: secondMs, talk_ms: secondMs },
      },
      { match: { to_number: late, attempt: 1 }, outcome: { result: "busy" } },
    ])
    const [both, once] = [await run(again, "completed"), await run(late, "completed")]
    const exhausted = await run(trial.numbers.magic("busy", 0), "after_retries_exhausted")
    const voicemail = await run(trial.numbers.magic("voicemail", 0), "voicemail")
    const busy = trial.numbers.magic("busy", 0)
    const three = await run(busy, "busy", { max_attempts: 3 })
    await clock.advance(dayMs)
    for (const [name, id] of Object.entries({ both, once, exhausted })) {
      const calls = id === "" ? [] : await callsOf(client, id)
      // Which triggers there are beside the one that is shown is open.
      if (calls.length < 2) continue
      const campaign = await readCampaign(client, id)
      const stats = await readStats(client, id)
      const reached = name === "exhausted" ? 0 : 1
      check.equal(`${name}-reached`, "CAMPAIGN-FIELD-35", campaign.at("completed_contacts"), reached, campaign)
      check.equal(`${name}-sticky`, "STATS-15", stats.at("outcome_counts.completed"), reached, stats)
      const extra = calls.length - 1
      check.equal(`${name}-counted`, "CAMPAIGN-FIELD-36", campaign.at("follow_up_calls"), extra, campaign)
      check.equal(`${name}-in-stats`, "STATS-8", stats.at("call_counters.follow_up_calls"), extra, stats)
      if (name !== "once") continue
      check.equal("one-completed-call", "STATS-8", stats.at("call_counters.completed_calls"), 1, stats)
    }
    check.equal("voicemail", "FOLLOW-UP-P1", (await callsOf(client, voicemail)).length, 2)
    const dials = await trial.telephony.legs({ to_number: busy })
    check.equal("busy", "FOLLOW-UP-P1", dials.length > 1, true)
    check.equal("three-more", "FOLLOW-UP-P7", (await callsOf(client, three)).length, 4)
    const gaps = dials.slice(1).map((leg, nth) => {
      const waited = Date.parse(String(leg.placed_at)) - Date.parse(String(dials[nth]?.ended_at))
      return Math.floor(waited / minuteMs)
    })
    check.equal("half-an-hour-each", ["FOLLOW-UP-P2", "FOLLOW-UP-P7"], gaps, [30, 30, 30])
  },
}

const ended: Case = {
  id: "campaigns/figures/ended",
  title: "What a campaign tells moves with its calls, and is still told when it has ended",
  clauses: [
    "CAMPAIGN-BATCHES-1",
    "CAMPAIGN-FIELD-33",
    "CAMPAIGN-FIELD-34",
    "CAMPAIGN-FIELD-39",
    "CAMPAIGN-GET-1",
    "CAMPAIGN-JSON-4",
    "CAMPAIGN-STATS-1",
    "STATS-1",
  ],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const contacts = magicContacts(trial, 3, "completed").map((contact, n) => ({ ...contact, seat: `s${n}` }))
    const made = await makeCampaign(trial, client, agentId, { contacts })
    const id = made.string("campaign_id")
    await readCampaign(client, id)
    await readStats(client, id)
    const more = await client.post(`/v2/campaigns/${id}/contacts`, { contacts: magicContacts(trial, 2, "completed") })
    // A server need not have this route.
    const isMore = more.status === 201
    const all = isMore ? 5 : 3
    await clock.advance(20 * minuteMs)
    const calls = await callsOf(client, id)
    for (const { seat, to_number } of contacts.map((each): Record<string, unknown> => each)) {
      const call = calls.find((each) => each["to_number"] === to_number)
      check.equal("own-variables", "CAMPAIGN-JSON-4", Object(call?.["variables"]).seat, seat)
    }
    const done = await readCampaign(client, id)
    const told = [done.at("completed_calls"), done.at("completed_contacts")]
    check.equal("counters", ["CAMPAIGN-GET-1", "CAMPAIGN-FIELD-39"], told, [all, all], done)
    check.equal("no-batch-runs", "CAMPAIGN-FIELD-34", done.at("active_batches"), 0, done)
    const stats = await readStats(client, id)
    check.equal("stats-of-it", "CAMPAIGN-STATS-1", stats.at("campaign_id"), id, stats)
    check.equal("live", "STATS-1", stats.at("outcome_counts.completed"), all, stats)
    check.equal("all-counted", "CAMPAIGN-FIELD-33", done.at("total_contacts"), all, done)
    const other = await makeCampaign(trial, client, agentId, { contacts: magicContacts(trial, 1, "completed") })
    const batches = await client.get(`/v2/campaigns/${id}/batches`)
    // Under which name they stand is not shown.
    const listed = Object.values(Object(batches.json)).find((value) => Array.isArray(value))
    check.equal("all-batches", "CAMPAIGN-BATCHES-1", listed?.length, isMore ? 2 : 1, batches)
    const isOwn = !batches.text.includes(other.string("batch_id")) && batches.text.includes(made.string("batch_id"))
    check.holds("own-batches", "CAMPAIGN-BATCHES-1", isOwn, "batches of this campaign", batches)
  },
}

const empty: Case = {
  id: "campaigns/figures/empty",
  title: "A campaign without contacts has figures, dials nobody, and stays in its place on the list when it changes",
  clauses: [
    "CAMPAIGN-CREATE-6",
    "CAMPAIGN-FIELD-30",
    "CAMPAIGN-FIELD-32",
    "CAMPAIGN-FIELD-38",
    "CAMPAIGN-LIST-4",
    "CAMPAIGN-STATS-1",
    "STATS-5",
  ],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const make = async (): Promise<Answer> => {
      await clock.advance(minuteMs)
      const body = { name: "Conformance", agent_id: agentId, metadata: { owner: "us" } }
      return askCampaign(trial, client, body)
    }
    const first = await make()
    check.status("policy-only", "CAMPAIGN-CREATE-6", first, 201)
    check.must(first.succeeded)
    const id = first.string("campaign_id")
    const second = (await make()).string("campaign_id")
    await clock.advance(hourMs)
    const read = await readCampaign(client, id)
    check.holds("nothing-dials", "CAMPAIGN-CREATE-6", read.at("status") !== "active", "not active", read)
    const stats = await readStats(client, id)
    check.status("stats", "CAMPAIGN-STATS-1", stats, 200)
    const none = { completed: 0, failed: 0, in_flight: 0, pending: 0, total: 0 }
    check.equal("no-outcomes", "STATS-5", stats.at("outcome_counts"), none, stats)
    trial.made(await client.patch(`/v2/campaigns/${id}`, { name: "Renamed" }), 200)
    const renamed = await readCampaign(client, id)
    check.equal("metadata", "CAMPAIGN-FIELD-30", renamed.at("metadata"), { owner: "us" }, renamed)
    const moved = Date.parse(renamed.string("updated_at")) > Date.parse(renamed.string("created_at"))
    check.holds("updated", "CAMPAIGN-FIELD-38", moved, "a later updated_at", renamed)
    const start_time = await distantStart(trial)
    await makeCampaign(trial, client, agentId, { contacts: magicContacts(trial, 1, "completed"), start_time })
    const list = await client.get("/v2/campaigns")
    const rows = list.items().filter(isObject)
    const order = rows.map(({ campaign_id }) => campaign_id).filter((each) => each === id || each === second)
    check.equal("newest-first", "CAMPAIGN-LIST-4", order, [second, id], list)
    for (const { batch_id } of rows) check.equal("no-batch", "CAMPAIGN-FIELD-32", batch_id ?? null, null, list)
  },
}

/** What campaigns tell of themselves, while they run and afterwards. */
export const figureCases: ReadonlyArray<Case> = [running, retried, triggers, followed, ended, empty]
