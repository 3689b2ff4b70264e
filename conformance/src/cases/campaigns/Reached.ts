import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { bookCall, dial, placeCall, readCall, stopCall } from "../../trial/Calls.ts"
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

const noRetry = { max_retries: 0 }

const reached: Case = {
  id: "campaigns/reached",
  title: "Only a completed call reaches a contact, and a leg that is told of twice is counted once",
  clauses: ["STATUS-11", "STATS-16", "STATS-2", "CAMPAIGN-FIELD-35"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const made = await makeCampaign(trial, client, agentId, {
      retry_policy: noRetry,
      contacts: (["completed", "busy", "voicemail", "failed", "callDisconnected"] as const).flatMap((outcome) =>
        magicContacts(trial, 1, outcome, 2),
      ),
    })
    await trial.clock.advance(hourMs)
    const campaign = await readCampaign(client, made.string("campaign_id"))
    check.equal("one-reached", ["STATUS-11", "CAMPAIGN-FIELD-35"], campaign.at("completed_contacts"), 1, campaign)
    const twice = await makeCampaign(trial, client, agentId, {
      retry_policy: noRetry,
      contacts: [...magicContacts(trial, 2, "duplicateReports"), ...magicContacts(trial, 1, "folds")],
    })
    await trial.clock.advance(hourMs)
    const stats = await readStats(client, twice.string("campaign_id"))
    check.equal("contacts-once", "STATS-16", stats.at("outcome_counts.total"), 3, stats)
    check.holds("buckets", "STATS-16", bucketsAddUp(stats), "buckets that sum to total", stats)
    check.oneOf("attempts-once", "STATS-16", stats.at("total_call_attempts"), orNull(3), stats)
    check.oneOf("first-attempts-once", "STATS-16", stats.at("retry_breakdown"), orNull({ 0: 3 }), stats)
    const counted = stats.number("call_counters.completed_calls")
    check.holds("calls-once", "STATS-16", counted <= 3, "three calls at most", stats)
    check.oneOf("dialled-once", "STATS-2", stats.at("contacts_dialled"), orNull(3), stats)
  },
}

const broke: Case = {
  id: "campaigns/balance-low",
  title: "A call that the wallet cannot carry ends so; it is no failure, and nobody is dialled again for it",
  clauses: ["STATUS-19", "STATUS-20"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const scheduled_at = new Date((await trial.now()) + 10 * minuteMs).toISOString()
    const to_number = trial.numbers.magic("walletEmpty")
    const booked = await bookCall(trial, client, { agent_id: agentId, to_number, scheduled_at })
    await trial.clock.advance(hourMs)
    const call = await readCall(client, trial.made(booked, 202).string("execution_id"))
    check.equal("status", "STATUS-19", [call.at("status"), call.at("is_terminal")], ["balance-low", true], call)
    check.equal("no-error", "STATUS-20", call.at("error") ?? null, null, call)
    const made = await makeCampaign(trial, client, agentId, {
      retry_policy: { max_retries: 3, base_delay_minutes: 1 },
      contacts: magicContacts(trial, 1, "walletEmpty"),
    })
    const id = made.string("campaign_id")
    await trial.clock.advance(2 * hourMs)
    const calls = await callsOf(client, id)
    const low = calls.filter(({ status }) => status === "balance-low").map(({ execution_id }) => execution_id)
    const parents = calls.map(({ parent_execution_id }) => parent_execution_id)
    check.equal(
      "no-retry",
      "STATUS-20",
      parents.filter((parent) => low.includes(parent)),
      [],
    )
    const failures = ["failed", "error", "call-disconnected"]
    const failed = calls.filter(({ status }) => failures.some((each) => each === status)).length
    const campaign = await readCampaign(client, id)
    // Which of these are counted is a reading.
    check.holds("no-failure", "STATUS-20", campaign.number("failed_calls") <= failed, `${failed} at most`, campaign)
  },
}

const guard: Case = {
  id: "campaigns/agent-guard",
  title: "The calling window of an agent holds back calls of its own, never those of a campaign",
  clauses: ["AGENT-GUARD-5"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const now = new Date(await clock.now())
    // Two hours of the day that lie ten hours away from now.
    const hour = (now.getUTCHours() + 10) % 22
    const text = (value: number) => `${String(value).padStart(2, "0")}:00`
    const calling_guard = { enabled: true, timezone: "UTC", start: text(hour), end: text(hour + 2) }
    const agentId = await activeAgent(trial, client, { calling_guard })
    const direct = await placeCall(trial, client, { agent_id: agentId, to_number: trial.numbers.magic("completed", 1) })
    check.equal("direct-waits", "AGENT-GUARD-5", direct.at("status"), "scheduled", direct)
    trial.made(await stopCall(client, direct.string("execution_id")), 200)
    const made = await makeCampaign(trial, client, agentId, { contacts: magicContacts(trial, 1, "completed", 1) })
    await clock.advance(30 * minuteMs)
    const stats = await readStats(client, made.string("campaign_id"))
    check.equal("campaign-dials", "AGENT-GUARD-5", stats.at("outcome_counts.completed"), 1, stats)
  },
}

const waiting: Case = {
  id: "campaigns/waiting-contact",
  title: "A contact without a line is never refused: it waits, goes back among the pending and is dialled later",
  clauses: ["SLOT-FULL-4", "SLOT-FULL-5", "SLOT-8"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 2 } })
    const agentId = await activeAgent(trial, client)
    for (let line = 0; line < 2; line++) await dial(trial, client, agentId, trial.numbers.magic("holdsLine", 5))
    const made = await makeCampaign(trial, client, agentId, {
      retry_policy: noRetry,
      contacts: magicContacts(trial, 3, "completed", 2),
    })
    const id = made.string("campaign_id")
    const legs = async () => (await trial.telephony.legs({ campaign_id: id })).length
    for (const [name, ms] of [
      ["soon", 10 * secondMs],
      ["past-the-wait", 60 * secondMs],
    ] as const) {
      await clock.advance(ms)
      const stats = await readStats(client, id)
      check.equal(`${name}-nobody-failed`, "SLOT-FULL-4", stats.at("outcome_counts.failed"), 0, stats)
      check.equal(`${name}-nobody-dialled`, "SLOT-FULL-5", await legs(), 0, stats)
    }
    await clock.advance(hourMs)
    const stats = await readStats(client, id)
    check.equal("dialled-later", "SLOT-FULL-5", stats.at("outcome_counts.completed"), 3, stats)
    check.equal("each-once", "SLOT-FULL-5", await legs(), 3, stats)

    const capped = await makeCampaign(trial, client, agentId, {
      max_concurrent_calls: 1,
      contacts: magicContacts(trial, 4, "completed", 2),
    })
    let most = 0
    for (let step = 0; step < 60; step++) {
      await clock.advance(2 * secondMs)
      const live = await trial.telephony.legs({ campaign_id: capped.string("campaign_id"), live: "true" })
      most = Math.max(most, live.length)
    }
    check.equal("own-ceiling", "SLOT-8", most, 1)
  },
}

const unreserved: Case = {
  id: "campaigns/ceiling-reserves-nothing",
  title: "The ceiling of a campaign keeps no line from anybody else",
  clauses: ["FAIR-10", "FAIR-11"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 4 } })
    const agentId = await activeAgent(trial, client)
    const made = await makeCampaign(trial, client, agentId, {
      max_concurrent_calls: 3,
      contacts: magicContacts(trial, 1, "holdsLine", 20),
    })
    await clock.advance(10 * secondMs)
    for (let nth = 0; nth < 3; nth++) {
      const to_number = trial.numbers.magic("holdsLine", 20)
      check.status(
        "others-have-the-rest",
        "FAIR-10",
        await placeCall(trial, client, { agent_id: agentId, to_number }),
        201,
      )
    }
    await move(client, made.string("campaign_id"), "cancel")
    await clock.advance(hourMs)
    await makeCampaign(trial, client, agentId, {
      max_concurrent_calls: 10_000,
      contacts: magicContacts(trial, 8, "holdsLine", 5),
    })
    await clock.advance(10 * secondMs)
    const live = await trial.telephony.legs({ agent_id: agentId, live: "true" })
    check.equal("never-above-the-organization", "FAIR-11", live.length, 4)
  },
}

const stopped: Case = {
  id: "campaigns/stopped-batch",
  title: "A revived campaign dials what its own cancelling skipped, never what was skipped before",
  clauses: ["CAMPAIGN-STATUS-20", "CAMPAIGN-BATCHES-1"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 1 } })
    const agentId = await activeAgent(trial, client)
    const made = await makeCampaign(trial, client, agentId, {
      retry_policy: noRetry,
      contacts: [...magicContacts(trial, 1, "holdsLine", 2), ...magicContacts(trial, 2, "completed", 1)],
    })
    const id = made.string("campaign_id")
    await clock.advance(5 * secondMs)
    const list = await client.get(`/v2/campaigns/${id}/batches`)
    check.status("batches", "CAMPAIGN-BATCHES-1", list, 200)
    check.exists("stop", "CAMPAIGN-BATCHES-1", await client.post(`/v2/batches/${made.string("batch_id")}/stop`))
    const still = await client.get(`/v2/campaigns/${id}/batches`)
    const listed = still.items().map((_, nth) => still.at(`data.${nth}.batch_id`))
    check.equal("stopped-one-listed", "CAMPAIGN-BATCHES-1", listed, [made.at("batch_id")], still)
    await move(client, id, "cancel")
    await clock.advance(hourMs)
    const revived = await move(client, id, "revive")
    await clock.advance(dayMs)
    const legs = await trial.telephony.legs({ campaign_id: id })
    check.equal("stay-skipped", "CAMPAIGN-STATUS-20", legs.length, 1, revived)
  },
}

/** Cases of who is reached, who waits and who is left alone. */
export const reachedCases: ReadonlyArray<Case> = [reached, broke, guard, waiting, unreserved, stopped]
