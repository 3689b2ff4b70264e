import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, placeCall, readCall } from "../../../trial/Calls.ts"
import { callsOf, magicContacts, makeCampaign, readStats } from "../../../trial/Campaigns.ts"
import { hourMs, minuteMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"
import type { Trial } from "../../../trial/Trial.ts"

const empty: Case = {
  id: "calls/create/wallet/empty",
  title: "A wallet that cannot fund the call answers 402, and nobody is rung",
  clauses: ["ERROR-12", "CALL-CREATE-18", "MESSAGE-G10", "CALL-CREATE-P5", "STATUS-19"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({ wallet: { balance: 0, currency: "USD" } })
    const agent_id = await activeAgent(trial, client)
    const answer = await client.post("/v2/calls", { agent_id, to_number: trial.numbers.magic("completed", 1) })
    check.refused("refused", ["ERROR-12", "CALL-CREATE-18"], answer, 1400)
    check.equal("wording", "MESSAGE-G10", answer.message, "Insufficient credits to place this call.", answer)
    const list = await client.get("/v2/calls")
    const statuses = list
      .items()
      .filter(isObject)
      .map(({ status }) => status)
    check.equal("record-stays", "CALL-CREATE-P5", statuses, ["balance-low"], list)
  },
}

const magic: Case = {
  id: "calls/create/wallet/magic",
  title: "The number whose call no wallet can carry answers 402 on a direct dial",
  clauses: ["ERROR-12", "CALL-CREATE-P5"],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const to_number = trial.numbers.magic("walletEmpty")
    check.refused("refused", "ERROR-12", await placeCall(trial, client, { agent_id, to_number }), 1400)
    const live = (await trial.telephony.legs({ to_number })).filter((leg) => leg.live === true)
    check.equal("nobody-rung", "CALL-CREATE-P5", live.length, 0)
  },
}

const contact: Case = {
  id: "calls/create/wallet/contact",
  title: "A contact whose call no wallet can carry ends once, without a retry, and holds up nobody",
  clauses: ["STATUS-19", "STATS-P3", "CALL-CREATE-P5"],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const to_number = trial.numbers.magic("walletEmpty")
    const campaign = await makeCampaign(trial, client, agentId, {
      contacts: [{ to_number }, ...magicContacts(trial, 2, "completed")],
      retry_policy: { max_retries: 3, base_delay_minutes: 1 },
    })
    const campaignId = campaign.string("campaign_id")
    await trial.clock.advance(10 * minuteMs)
    const stats = await readStats(client, campaignId)
    const buckets = ["outcome_counts.failed", "outcome_counts.completed"].map((path) => stats.at(path))
    check.equal("buckets", "STATS-P3", buckets, [1, 2], stats)
    const calls = (await callsOf(client, campaignId)).filter((call) => call["to_number"] === to_number)
    const others = calls.filter(({ status }) => status !== "balance-low")
    check.holds("once", "STATUS-19", calls.length <= 1 && others.length === 0, "balance-low, once", stats)
    check.equal("recorded", "CALL-CREATE-P5", calls.length, 1)
  },
}

const debited: Case = {
  id: "calls/create/wallet/debited",
  title: "The wallet is debited by the final cost of a call",
  clauses: ["CALL-CREATE-P14", "ERROR-12"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({ wallet: { balance: 0.000_001, currency: "USD" } })
    const agent_id = await activeAgent(trial, client)
    const executionId = await dial(trial, client, agent_id, trial.numbers.magic("completed", 3))
    const ended = await untilEnded(trial, client, executionId)
    check.holds("cost", "CALL-CREATE-P14", ended.number("cost.total") > 0, "a cost", ended)
    const next = await client.post("/v2/calls", { agent_id, to_number: trial.numbers.magic("completed", 3) })
    check.refused("next", "CALL-CREATE-P14", next, 1400)
  },
}

/** What an organization has left, where the control surface tells it. */
const balanceOf = async (trial: Trial, organizationId: string): Promise<unknown> =>
  (await trial.control.send("PATCH", `/organizations/${organizationId}`, { concurrency: {} })).at("wallet.balance")

const balance: Case = {
  id: "calls/create/wallet/debited-once",
  title: "Each call is debited once by its final cost, however often and late that is told and corrected",
  clauses: ["CALL-CREATE-P14", "USAGE-P2"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const before = 100
    const { client, organizationId } = await trial.organization({ wallet: { balance: before, currency: "USD" } })
    const agentId = await activeAgent(trial, client)
    let spent = 0
    for (const outcome of ["corrected", "duplicateReports", "folds", "analysisLate", "busy"] as const) {
      const id = await dial(trial, client, agentId, trial.numbers.magic(outcome, 1))
      await clock.advance(2 * hourMs)
      spent += (await readCall(client, id)).number("cost.total") || 0
      const left = await balanceOf(trial, organizationId)
      // The contract does not say that an organization's wallet is shown.
      if (typeof left !== "number") return
      check.holds(outcome, "CALL-CREATE-P14", Math.abs(before - spent - left) < 1e-6, "the costs of the calls")
    }
    const usage = await client.get("/v2/usage")
    check.holds("usage", "USAGE-P2", Math.abs(usage.number("total_cost") - spent) < 1e-6, "the same sum", usage)
  },
}

const order: Case = {
  id: "calls/create/wallet/before-the-gate",
  title: "The wallet is looked at before a line is waited for, and not for a booking",
  clauses: ["CALL-CREATE-P13", "CALL-DUE-P4"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({
      wallet: { balance: 0, currency: "USD" },
      concurrency: { organization: 1 },
    })
    const agent_id = await activeAgent(trial, client)
    const to_number = trial.numbers.magic("completed", 1)
    const pending = client.post("/v2/calls", { agent_id, to_number })
    check.equal("not-parked", "CALL-CREATE-P13", await trial.parked(pending), "settled")
    check.refused("refused", "CALL-CREATE-P13", await trial.settle(pending), 1400)
    const scheduled_at = new Date((await trial.now()) + 600_000).toISOString()
    const booked = await client.post("/v2/calls", { agent_id, to_number, scheduled_at })
    check.status("booking-accepted", "CALL-DUE-P4", booked, 202)
    const ended = await untilEnded(trial, client, booked.string("execution_id"))
    check.equal("booking-ends-balance-low", "CALL-DUE-P4", ended.at("status"), "balance-low", ended)
  },
}

const exactly: Case = {
  id: "calls/create/wallet/spent-exactly",
  title: "A wallet of which calls have cost all is at zero: it carries no further call, and its contacts wait",
  clauses: ["CALL-CREATE-P14", "CONTACT-HOLD-P1"],
  requires: ["fixtures", "clock", "telephony"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ wallet: { balance: 0.6, currency: "USD" } })
    const agentId = await activeAgent(trial, client)
    // Six times 0.1 is 0.6, and in binary fractions it is a little less.
    const numbers = Array.from({ length: 6 }, () => trial.numbers.plain())
    await trial.rules(
      numbers.map((to_number) => ({ match: { to_number }, outcome: { result: "completed", cost: { total: 0.1 } } })),
    )
    for (const to_number of numbers) {
      await untilEnded(trial, client, await dial(trial, client, agentId, to_number))
    }
    const usage = await client.get("/v2/usage")
    if (usage.at("total_cost") !== 0.6) return check.note("cost", "CALL-CREATE-P14", "the calls cost something else")
    const next = await client.post("/v2/calls", { agent_id: agentId, to_number: trial.numbers.plain() })
    check.refused("direct", "CALL-CREATE-P14", next, 1400)
    const made = await makeCampaign(trial, client, agentId, { contacts: [{ to_number: trial.numbers.plain() }] })
    await clock.advance(minuteMs)
    check.equal("contact", "CONTACT-HOLD-P1", await callsOf(client, made.string("campaign_id")), [])
  },
}

export const walletCases: ReadonlyArray<Case> = [empty, magic, contact, debited, balance, order, exactly]
