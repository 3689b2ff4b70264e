import { canonical } from "../../http/Json.ts"
import type { Answer } from "../../http/Answer.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent, moveAgent } from "../../trial/Agents.ts"
import {
  bucketsAddUp,
  callsOf,
  magicContacts,
  makeCampaign,
  move,
  readCampaign,
  orNull,
  readStats,
} from "../../trial/Campaigns.ts"
import { dayMs, hourMs, minuteMs, secondMs } from "../../trial/Duration.ts"
import type { Trial } from "../../trial/Trial.ts"

const noRetries = { retry_policy: { max_retries: 0 } }

const counters: Case = {
  id: "campaigns/dispatch/counters",
  title: "Calls of every outcome are counted once, in the right place, and the buckets always sum to the total",
  clauses: [
    "CAMPAIGN-CREATE-2",
    "CAMPAIGN-JSON-4",
    "CAMPAIGN-FIELD-6",
    "CAMPAIGN-FIELD-35",
    "CAMPAIGN-FIELD-36",
    "CAMPAIGN-FIELD-37",
    "CAMPAIGN-FIELD-39",
    "CAMPAIGN-FIELD-27",
    "CAMPAIGN-STATUS-P5",
    "CAMPAIGN-STATUS-3",
    "STATS-1",
    "STATS-3",
    "STATS-4",
    "STATS-6",
    "STATS-8",
    "STATS-9",
    "STATS-10",
    "STATS-11",
    "STATS-13",
    "STATS-14",
    "STATS-15",
    "STATS-P2",
    "BATCH-STATUS-P1",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client, phoneNumbers } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const made = await makeCampaign(trial, client, agentId, {
      ...noRetries,
      default_call_variables: { greeting: "hello", city: "Paris" },
      contacts: [
        { to_number: trial.numbers.magic("completed", 1), city: "Rome", age: 7 },
        ...magicContacts(trial, 2, "completed"),
        ...magicContacts(trial, 2, "busy", 0),
        ...magicContacts(trial, 3, "noAnswer", 0),
        ...magicContacts(trial, 2, "voicemail", 0),
        ...magicContacts(trial, 1, "failed", 0),
        ...magicContacts(trial, 1, "error", 0),
        ...magicContacts(trial, 1, "callDisconnected", 5),
      ],
    })
    const id = made.string("campaign_id")
    let completed = 0
    let inFlight = 0
    for (let step = 0; step < 30; step++) {
      await clock.advance(3 * secondMs)
      const stats = await readStats(client, id)
      check.holds("buckets-sum", ["STATS-13", "STATS-14"], bucketsAddUp(stats), "four buckets that sum to total", stats)
      const now = stats.number("outcome_counts.completed")
      check.holds("completed-grows", "STATS-15", now >= completed, "at least as many as before", stats)
      completed = now
      inFlight = Math.max(inFlight, stats.number("in_flight_contacts"))
    }
    check.holds("in-flight", ["STATS-4", "STATS-1"], inFlight > 0, "contacts in flight on the way")
    await clock.advance(10 * minuteMs)
    const stats = await readStats(client, id)
    const told = (path: string, clauses: string | ReadonlyArray<string>, value: unknown, at: Answer = stats) =>
      check.equal(path, clauses, at.at(path), value, at)
    told("outcome_counts", ["STATS-13", "STATS-14"], { completed: 3, failed: 10, in_flight: 0, pending: 0, total: 13 })
    // Other statuses may be counted by names of their own.
    const counted = ["pending", "in_progress", "completed", "failed"].map((status) =>
      stats.at(`contact_counts.${status}`),
    )
    check.equal("contact_counts", "STATS-6", counted, [0, 0, 3, 10], stats)
    check.oneOf("contacts_dialled", "STATS-3", stats.at("contacts_dialled"), orNull(13), stats)
    const { failed_calls, ...counters } = Object(stats.at("call_counters"))
    check.equal(
      "call_counters",
      "STATS-8",
      counters,
      { completed_calls: 3, busy_calls: 2, no_answer_calls: 5, voicemail_calls: 2, follow_up_calls: 0 },
      stats,
    )
    // Whether a call that ended by an error, or was dropped, is a failed one is a reading.
    check.oneOf("failed-calls", "STATS-8", failed_calls, [1, 2, 3], stats)
    check.equal("every-failure", "STATS-P2", failed_calls, 3, stats)
    check.oneOf("retry_breakdown", "STATS-9", stats.at("retry_breakdown"), orNull({ 0: 13 }), stats)
    check.oneOf("follow_up_attempts", "STATS-10", stats.at("follow_up_attempts"), orNull(0), stats)
    check.oneOf("total_call_attempts", "STATS-11", stats.at("total_call_attempts"), orNull(13), stats)
    const campaign = await readCampaign(client, id)
    told("completed_contacts", ["CAMPAIGN-FIELD-35"], 3, campaign)
    told("voicemail_calls", "CAMPAIGN-FIELD-37", 2, campaign)
    told("no_answer_calls", ["CAMPAIGN-FIELD-36", "CAMPAIGN-FIELD-37", "CAMPAIGN-FIELD-39"], 5, campaign)
    told("in_progress_calls", "CAMPAIGN-FIELD-36", 0, campaign)
    told("status", ["CAMPAIGN-STATUS-P5"], "completed", campaign)
    const batch = await client.get(`/v2/batches/${made.string("batch_id")}`)
    check.equal("batch-completed", "BATCH-STATUS-P1", batch.at("status"), "completed", batch)
    const calls = await callsOf(client, id)
    check.equal("calls", "CAMPAIGN-CREATE-2", calls.length, 13)
    const rome = calls.find(({ variables }) => canonical(variables).includes("Rome"))
    check.holds("variables", ["CAMPAIGN-JSON-4"], canonical(rome).includes('"age":7'), "the contact's own variables")
    const merged = rome !== undefined && canonical(rome["variables"]).includes("hello")
    check.holds("defaults-merged", "CAMPAIGN-FIELD-27", merged, "default variables, overridden by the contact's")
    const known = calls.every(({ from_number }) => phoneNumbers.includes(String(from_number)))
    check.holds("caller-ids", "CAMPAIGN-FIELD-6", known, "registered numbers only")
  },
}

/** The minutes between the end of each attempt on a number and the start of the next. */
const gaps = async (trial: Trial, to_number: string): Promise<ReadonlyArray<number>> => {
  const legs = await trial.telephony.legs({ to_number })
  return legs.slice(1).map((leg, nth) => {
    const before = legs[nth]
    return Math.floor((Date.parse(String(leg.placed_at)) - Date.parse(String(before?.ended_at))) / minuteMs)
  })
}

const retries: Case = {
  id: "campaigns/dispatch/retries",
  title: "Retries follow their strategy, one budget per contact, and end with an answer",
  clauses: [
    "CAMPAIGN-FIELD-15",
    "CAMPAIGN-FIELD-16",
    "CAMPAIGN-FIELD-17",
    "RETRY-P1",
    "RETRY-P2",
    "RETRY-P3",
    "RETRY-P5",
    "STATS-3",
    "STATS-9",
    "STATS-11",
    "STATS-P1",
    "STATS-P3",
    "STATS-P4",
    "STATUS-18",
    "CAMPAIGN-STATUS-P8",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const run = async (policy: Readonly<Record<string, unknown>> | undefined, to_number: string) => {
      const more = policy === undefined ? {} : { retry_policy: policy }
      const made = await makeCampaign(trial, client, agentId, { contacts: [{ to_number }], ...more })
      return made.string("campaign_id")
    }
    const numbers = {
      standard: trial.numbers.magic("busy", 0),
      linear: trial.numbers.magic("noAnswer", 0),
      exponential: trial.numbers.magic("voicemail", 0),
      capped: trial.numbers.magic("failed", 0),
      cooled: trial.numbers.magic("error", 0),
      none: trial.numbers.magic("callDisconnected", 3),
    }
    const ids = {
      standard: await run(undefined, numbers.standard),
      linear: await run({ strategy: "linear_backoff", base_delay_minutes: 10, max_retries: 3 }, numbers.linear),
      exponential: await run(
        { strategy: "exponential_backoff", base_delay_minutes: 10, max_retries: 3 },
        numbers.exponential,
      ),
      capped: await run(
        { strategy: "exponential_backoff", base_delay_minutes: 10, max_delay_minutes: 15, max_retries: 3 },
        numbers.capped,
      ),
      cooled: await run({ base_delay_minutes: 5, cooldown_minutes: 30, max_retries: 2 }, numbers.cooled),
      none: await run({ max_retries: 0 }, numbers.none),
    }
    await clock.advance(2 * minuteMs)
    const waiting = await readStats(client, ids.standard)
    check.equal("waiting-is-pending", "STATS-P1", waiting.at("contact_counts.pending"), 1, waiting)
    check.equal("waiting-has-no-outcome", "STATS-P4", waiting.at("outcome_counts.pending"), 1, waiting)
    await clock.advance(8 * hourMs)
    const expected: ReadonlyArray<readonly [keyof typeof numbers, ReadonlyArray<string>, ReadonlyArray<number>]> = [
      ["standard", ["CAMPAIGN-FIELD-16", "CAMPAIGN-FIELD-17", "RETRY-P1", "RETRY-P2", "RETRY-P3"], [15, 15, 15]],
      ["linear", ["RETRY-P1", "RETRY-P3"], [10, 20, 30]],
      ["exponential", ["RETRY-P1", "RETRY-P3"], [10, 20, 40]],
      ["capped", ["RETRY-P1", "RETRY-P3"], [10, 15, 15]],
      ["cooled", ["RETRY-P2", "RETRY-P3"], [30, 30]],
      ["none", ["CAMPAIGN-FIELD-17"], []],
    ]
    for (const [name, clauses, minutes] of expected)
      check.equal(name, clauses, await gaps(trial, numbers[name]), minutes)
    const unreached = await readCampaign(client, ids.none)
    check.equal("reached-nobody", "CAMPAIGN-STATUS-P8", unreached.at("status"), "completed", unreached)
    const stats = await readStats(client, ids.standard)
    check.oneOf("breakdown", "STATS-9", stats.at("retry_breakdown"), orNull({ 0: 1, 1: 1, 2: 1, 3: 1 }), stats)
    check.oneOf("attempts", "STATS-11", stats.at("total_call_attempts"), orNull(4), stats)
    check.oneOf("distinct", "STATS-3", stats.at("contacts_dialled"), orNull(1), stats)
    const mixed = trial.numbers.plain()
    const results = ["busy", "no-answer", "failed", "completed"]
    await trial.rules(
      results.map((result, attempt) => ({
        match: { to_number: mixed, attempt },
        outcome: { result, ring_ms: secondMs, talk_ms: secondMs },
      })),
    )
    const mixedId = await run({ max_retries: 5 }, mixed)
    await clock.advance(4 * hourMs)
    const calls = await callsOf(client, mixedId)
    check.equal(
      "one-budget",
      "RETRY-P5",
      calls.map(({ status }) => status),
      results,
    )
    check.equal(
      "depths",
      "RETRY-P5",
      calls.map(({ retry_count }) => retry_count),
      [0, 1, 2, 3],
    )
    const parents = calls.slice(1).map(({ parent_execution_id }) => parent_execution_id)
    const first = calls[0]?.["execution_id"]
    check.equal("parents", "RETRY-P5", parents, [first, first, first])
    const stopped = trial.numbers.magic("holdsLine", 5)
    const stoppedId = await run(undefined, stopped)
    await clock.advance(minuteMs)
    const [live] = await callsOf(client, stoppedId)
    await client.post(`/v2/calls/${String(live?.["execution_id"])}/stop`)
    await clock.advance(2 * hourMs)
    check.equal("stop-is-no-trigger", ["STATUS-18", "RETRY-P3"], (await callsOf(client, stoppedId)).length, 1)
    const ended = await readStats(client, stoppedId)
    check.equal("stopped-is-failed", ["RETRY-P3", "STATS-P3"], ended.at("outcome_counts.failed"), 1, ended)
  },
}

const followUps: Case = {
  id: "campaigns/dispatch/follow-ups",
  title: "Follow-ups come after their trigger with their own agent, are counted apart and never retried",
  clauses: [
    "FOLLOW-UP-P1",
    "FOLLOW-UP-P2",
    "FOLLOW-UP-P3",
    "FOLLOW-UP-P4",
    "FOLLOW-UP-P5",
    "FOLLOW-UP-P6",
    "STATS-9",
    "STATS-10",
    "STATS-11",
    "STATS-15",
    "STATS-P5",
    "CAMPAIGN-FIELD-36",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const other = await activeAgent(trial, client)
    const run = async (to_number: string, policy: Readonly<Record<string, unknown>>) =>
      (
        await makeCampaign(trial, client, agentId, {
          contacts: [{ to_number }],
          retry_policy: { max_retries: 1 },
          follow_up_policy: { enabled: true, ...policy },
        })
      ).string("campaign_id")
    const exhausted = await run(trial.numbers.magic("noAnswer", 0), { follow_up_agent_id: other })
    const done = await run(trial.numbers.magic("completed", 1), { triggers: ["completed"], cooldown_minutes: 60 })
    const untriggered = await run(trial.numbers.magic("completed", 1), {})
    const twice = await run(trial.numbers.magic("busy", 0), { max_attempts: 2, cooldown_minutes: 30 })
    const mixed = await makeCampaign(trial, client, agentId, {
      retry_policy: { max_retries: 0 },
      follow_up_policy: { enabled: true, cooldown_minutes: 30 },
    })
    const listed = { campaign_id: mixed.string("campaign_id"), agent_id: other }
    await client.post("/v2/batches", { ...listed, contacts: [{ to_number: trial.numbers.magic("noAnswer", 0) }] })
    await clock.advance(hourMs)
    const before = await readStats(client, done)
    check.equal("completed-once", "STATS-15", before.at("outcome_counts.completed"), 1, before)
    await clock.advance(3 * dayMs)
    const calls = await callsOf(client, exhausted)
    check.equal("one-more", ["FOLLOW-UP-P1", "FOLLOW-UP-P2", "FOLLOW-UP-P6"], calls.length, 3)
    const last = calls.at(-1) ?? {}
    check.equal("own-agent", "FOLLOW-UP-P3", last["agent_id"], other)
    const followedUp = (await callsOf(client, listed.campaign_id)).find((call) => call["parent_execution_id"] !== null)
    check.equal("the-campaigns-agent", "FOLLOW-UP-P3", followedUp?.["agent_id"], agentId)
    check.equal("parent", "FOLLOW-UP-P4", last["parent_execution_id"], calls[0]?.["execution_id"])
    const gap = Date.parse(String(last["created_at"])) - Date.parse(String(calls[1]?.["completed_at"]))
    check.equal("a-day-later", "FOLLOW-UP-P2", Math.floor(gap / minuteMs), 1440)
    const stats = await readStats(client, exhausted)
    check.oneOf(
      "not-in-breakdown",
      ["FOLLOW-UP-P5", "STATS-9"],
      stats.at("retry_breakdown"),
      orNull({ 0: 1, 1: 1 }),
      stats,
    )
    // One retry; what comes after it are follow-ups, and whether one of them is retried is a reading.
    check.oneOf("counted", ["STATS-10"], stats.at("follow_up_attempts"), orNull(calls.length - 2), stats)
    check.oneOf("all-attempts", "STATS-11", stats.at("total_call_attempts"), orNull(calls.length), stats)
    const campaign = await readCampaign(client, exhausted)
    const spent = campaign.number("follow_up_exhausted")
    check.holds("exhausted", "CAMPAIGN-FIELD-36", spent >= 1, "follow-ups that are spent", campaign)
    check.equal("one-contact", "STATS-P5", spent, 1, campaign)
    const reached = await readCampaign(client, done)
    check.equal("none-of-the-reached", "STATS-P5", reached.at("follow_up_exhausted"), 0, reached)
    const after = await callsOf(client, done)
    check.equal("after-completed", "FOLLOW-UP-P1", after.length, 2)
    check.equal("same-agent", "FOLLOW-UP-P3", after[1]?.["agent_id"], agentId)
    const still = await readStats(client, done)
    check.equal("sticky", "STATS-15", still.at("outcome_counts.completed"), 1, still)
    check.equal("no-trigger", "FOLLOW-UP-P1", (await callsOf(client, untriggered)).length, 1)
    check.equal("two-follow-ups", ["FOLLOW-UP-P2", "FOLLOW-UP-P6"], (await callsOf(client, twice)).length, 4)
  },
}

const holds: Case = {
  id: "campaigns/dispatch/holds",
  title: "A contact is held, not burned, by an empty wallet, a carrier that is away, or an agent that is not active",
  clauses: [
    "CONTACT-HOLD-P1",
    "CONTACT-HOLD-P2",
    "CONTACT-HOLD-P3",
    "CONTACT-HOLD-P4",
    "CONTACT-HOLD-P5",
    "CONTACT-HOLD-P6",
  ],
  requires: ["fixtures", "clock", "telephony", "magic", "faults:telephony"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client, organizationId } = await trial.organization({ wallet: { balance: 0, currency: "USD" } })
    const agentId = await activeAgent(trial, client)
    const start = (count = 3) =>
      makeCampaign(trial, client, agentId, { contacts: magicContacts(trial, count, "completed") })
    const judge = async (name: string, clause: string, id: string, mend: () => Promise<unknown>) => {
      await clock.advance(30 * secondMs)
      const held = await readStats(client, id)
      check.equal(`${name}-pending`, [clause, "CONTACT-HOLD-P3"], held.at("outcome_counts.pending"), 3, held)
      check.oneOf(`${name}-no-attempt`, [clause, "CONTACT-HOLD-P3"], held.at("total_call_attempts"), orNull(0), held)
      const explained = await client.get(`/v2/campaigns/${id}/explain`)
      check.holds(`${name}-explained`, "CONTACT-HOLD-P4", explained.items("blocking").length > 0, "a reason", explained)
      await mend()
      await clock.advance(20 * minuteMs)
      const after = await readStats(client, id)
      check.equal(`${name}-completed`, clause, after.at("outcome_counts.completed"), 3, after)
    }
    const poor = (await start()).string("campaign_id")
    await judge("wallet", "CONTACT-HOLD-P1", poor, () =>
      trial.control.ask("PATCH", `/organizations/${organizationId}`, { wallet: { balance: 100 } }),
    )
    await trial.breaks("telephony", { mode: "unreachable" })
    const away = (await start()).string("campaign_id")
    await judge("carrier", "CONTACT-HOLD-P2", away, () => trial.restores("telephony"))
    trial.made(await moveAgent(client, agentId, "INACTIVE"), 200)
    const idle = (await start()).string("campaign_id")
    await judge("agent", "CONTACT-HOLD-P3", idle, () => moveAgent(client, agentId, "ACTIVE"))
    const invalid = await makeCampaign(trial, client, agentId, {
      ...noRetries,
      contacts: magicContacts(trial, 1, "invalidDestination", 0),
    })
    await clock.advance(10 * minuteMs)
    const [call] = await callsOf(client, invalid.string("campaign_id"))
    check.equal(
      "invalid",
      "CONTACT-HOLD-P6",
      [call?.["status"], call?.["hangup_reason"]],
      ["failed", "invalid_destination"],
    )
    await trial.breaks("telephony", { mode: "unreachable" })
    const lost = await makeCampaign(trial, client, agentId, {
      ...noRetries,
      contacts: magicContacts(trial, 1, "completed"),
    })
    await clock.advance(hourMs)
    const given = await readStats(client, lost.string("campaign_id"))
    check.equal("ten-in-a-row", "CONTACT-HOLD-P5", given.at("outcome_counts.failed"), 1, given)
    await trial.restores("telephony")
  },
}

const pauseAndCancel: Case = {
  id: "campaigns/dispatch/pause-cancel-revive",
  title: "Pausing keeps places and retries, cancelling skips what was not dialled, reviving brings exactly that back",
  clauses: [
    "CAMPAIGN-STATUS-6",
    "CAMPAIGN-STATUS-7",
    "CAMPAIGN-STATUS-14",
    "CAMPAIGN-STATUS-15",
    "CAMPAIGN-STATUS-17",
    "CAMPAIGN-STATUS-18",
    "CAMPAIGN-STATUS-19",
    "CAMPAIGN-STATUS-20",
    "CAMPAIGN-CANCEL-1",
    "CAMPAIGN-CANCEL-P2",
    "CAMPAIGN-CANCEL-P4",
    "CAMPAIGN-STATUS-P7",
    "STATS-14",
    "STATS-15",
    "STATS-P1",
    "STATS-P4",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 2 } })
    const agentId = await activeAgent(trial, client)
    const made = await makeCampaign(trial, client, agentId, {
      retry_policy: { max_retries: 2, base_delay_minutes: 30 },
      contacts: [
        ...magicContacts(trial, 2, "busy", 0),
        ...magicContacts(trial, 2, "holdsLine", 2),
        ...magicContacts(trial, 4, "completed", 2),
      ],
    })
    const id = made.string("campaign_id")
    const other = trial
      .made(await client.post(`/v2/campaigns/${id}/contacts`, { contacts: magicContacts(trial, 2, "completed") }), 201)
      .string("batch_id")
    trial.made(await client.post(`/v2/batches/${other}/stop`), 200)
    await clock.advance(40 * secondMs)
    trial.made(await move(client, id, "pause"), 200)
    const legs = async () => (await trial.telephony.legs({ campaign_id: id })).length
    const placed = await legs()
    await clock.advance(10 * minuteMs)
    check.equal("paused-dials-nothing", "CAMPAIGN-STATUS-6", await legs(), placed)
    const paused = await readStats(client, id)
    const finished = paused.number("outcome_counts.completed")
    check.equal(
      "connected-calls-finish",
      "CAMPAIGN-STATUS-7",
      [finished, paused.at("in_flight_contacts")],
      [2, 0],
      paused,
    )
    trial.made(await move(client, id, "resume"), 200)
    await clock.advance(8 * secondMs)
    const inFlight = (await readStats(client, id)).number("in_flight_contacts")
    trial.made(await move(client, id, "cancel"), 200)
    await clock.advance(2 * hourMs)
    const cancelled = await readStats(client, id)
    const count = cancelled.number("outcome_counts.completed")
    check.equal("live-calls-count", "CAMPAIGN-CANCEL-P2", count, finished + inFlight, cancelled)
    check.holds(
      "skipped-is-pending",
      ["STATS-P1", "STATS-14"],
      bucketsAddUp(cancelled),
      "buckets that sum to total",
      cancelled,
    )
    const dialled = await legs()
    await clock.advance(dayMs)
    check.equal(
      "no-retries-left",
      ["CAMPAIGN-STATUS-14", "CAMPAIGN-STATUS-15", "CAMPAIGN-CANCEL-1"],
      await legs(),
      dialled,
    )
    trial.made(await move(client, id, "revive"), 200)
    await clock.advance(dayMs)
    const revived = await readStats(client, id)
    // Whether a cancel hangs up on whoever is connected is a reading.
    const hungUp = (await callsOf(client, id)).filter(({ status }) => status === "stopped").length
    const reached = revived.number("outcome_counts.completed")
    check.equal("brought-back", "CAMPAIGN-STATUS-17", reached + hungUp, 6, revived)
    check.holds(
      "never-reset",
      ["CAMPAIGN-STATUS-18", "STATS-15"],
      revived.number("outcome_counts.completed") >= count,
      "no fewer",
      revived,
    )
    check.oneOf(
      "budget-kept",
      "CAMPAIGN-STATUS-19",
      revived.at("retry_breakdown"),
      orNull({ 0: 8, 1: 2, 2: 2 }),
      revived,
    )
    const rung = await makeCampaign(trial, client, agentId, { contacts: magicContacts(trial, 1, "completed", 1) })
    await clock.advance(secondMs)
    trial.made(await move(client, rung.string("campaign_id"), "cancel"), 200)
    await clock.advance(hourMs)
    const answered = await readStats(client, rung.string("campaign_id"))
    check.equal("ringing-runs-to-its-end", "CAMPAIGN-CANCEL-P4", answered.at("outcome_counts.completed"), 1, answered)
    check.equal(
      "others-stay-skipped",
      ["CAMPAIGN-STATUS-P7", "STATS-P4"],
      revived.at("outcome_counts.pending"),
      2,
      revived,
    )
  },
}

const duplicates: Case = {
  id: "campaigns/dispatch/duplicates",
  title: "A number given twice is two contacts, rung one after the other",
  clauses: ["CONTACT-P2", "CAMPAIGN-FIELD-33"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const to_number = trial.numbers.magic("completed", 3)
    const made = await makeCampaign(trial, client, agentId, { contacts: [{ to_number }, { to_number }, { to_number }] })
    check.equal("kept", "CONTACT-P2", made.at("total_contacts"), 3, made)
    await clock.advance(10 * minuteMs)
    const legs = await trial.telephony.legs({ to_number })
    check.equal("all-rung", "CONTACT-P2", legs.length, 3)
    const apart = legs.every((leg, nth) => nth === 0 || String(leg.placed_at) >= String(legs[nth - 1]?.ended_at))
    check.holds("never-together", "CONTACT-P2", apart, "each after the end of the one before")
  },
}

const callerIds: Case = {
  id: "campaigns/dispatch/caller-ids",
  title: "Caller IDs go round, or to the number with the fewest live calls",
  clauses: [
    "CAMPAIGN-FIELD-5",
    "CAMPAIGN-FIELD-7",
    "CAMPAIGN-FIELD-8",
    "CALLER-ID-P1",
    "CALLER-ID-P2",
    "CALLER-ID-P3",
    "CALLER-ID-P4",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const numbers = ["+15555551001", "+15555551002", "+15555551003"]
    const { client } = await trial.organization({ phone_numbers: numbers })
    const agentId = await activeAgent(trial, client)
    const from = async (id: string) =>
      (await trial.telephony.legs({ campaign_id: id })).map(({ from_number }) => String(from_number))
    const run = async (strategy: string, count: number) => {
      const contacts = magicContacts(trial, count, "completed", 2)
      const made = await makeCampaign(trial, client, agentId, {
        contacts,
        phone_number_strategy: strategy,
        phone_numbers: numbers,
      })
      await clock.advance(hourMs)
      return made.string("campaign_id")
    }
    const round = await run("round_robin", 7)
    const used = await from(round)
    const times = numbers.map((number) => used.filter((each) => each === number).length)
    check.equal("round", ["CAMPAIGN-FIELD-7", "CALLER-ID-P1"], times, [3, 2, 2])
    const cursor = (await readCampaign(client, round)).number("phone_number_index")
    check.equal("cursor", "CALLER-ID-P1", cursor % numbers.length, 7 % numbers.length)
    const least = await from(await run("least_loaded", 6))
    const loads = numbers.map((number) => least.slice(0, 6).filter((each) => each === number).length)
    check.equal("least-loaded", "CALLER-ID-P2", loads, [2, 2, 2])
    const random = await from(await run("random", 12))
    check.holds(
      "random",
      ["CAMPAIGN-FIELD-7", "CALLER-ID-P3"],
      random.every((each) => numbers.includes(each)),
      "registered numbers",
    )
    const one = await makeCampaign(trial, client, agentId, {
      contacts: magicContacts(trial, 1, "busy", 0),
      phone_numbers: numbers.slice(0, 2),
    })
    await clock.advance(3 * hourMs)
    const anew = await from(one.string("campaign_id"))
    check.equal("retries-pick-anew", "CALLER-ID-P4", anew, [numbers[0], numbers[1], numbers[0], numbers[1]])
  },
}

export const campaignDispatchCases: ReadonlyArray<Case> = [
  counters,
  retries,
  followUps,
  holds,
  pauseAndCancel,
  duplicates,
  callerIds,
]
