import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { type Body, callsOf, magicContacts, makeCampaign, readStats } from "../../trial/Campaigns.ts"
import { hourMs, minuteMs, secondMs } from "../../trial/Duration.ts"
import type { Trial } from "../../trial/Trial.ts"

const lines = 20

/** Contacts of which each call takes exactly as long as the next, and gives its line back at its end. */
const even = (trial: Trial, count: number): ReadonlyArray<Body> => magicContacts(trial, count, "completed", 3)

const evenly = (agentId: string) => [
  {
    match: { agent_id: agentId },
    outcome: { result: "completed", ring_ms: secondMs, talk_ms: 20 * secondMs, processing_ms: 0 },
  },
]

const start = async (trial: Trial, client: Client, agentId: string, count: number, more: Body = {}) =>
  (await makeCampaign(trial, client, agentId, { contacts: even(trial, count), ...more })).string("campaign_id")

const live = async (trial: Trial, campaignId: string): Promise<number> =>
  (await trial.telephony.legs({ campaign_id: campaignId, live: "true" })).length

/** Looks at the lines in use, and how far they stand apart: what a carrier needs to settle between two calls. */
const looks = 8
const betweenLooksMs = 300

/** The most calls that a campaign has at one of several moments: a line that has just become free may not be dialled on yet. */
const mostLive = async (trial: Trial, campaignId: string): Promise<number> => {
  let most = await live(trial, campaignId)
  for (let look = 1; look < looks && most < lines; look++) {
    await trial.clock.advance(betweenLooksMs)
    most = Math.max(most, await live(trial, campaignId))
  }
  return most
}

const pending = (stats: Answer): number => stats.number("outcome_counts.pending")

const share: Case = {
  id: "campaigns/fairness/fifty-to-one",
  title: "Of five campaigns, 50:1:1:1:1, each small one has its floor, and no line is left unused",
  clauses: [
    "FAIR-1",
    "FAIR-2",
    "FAIR-3",
    "FAIR-4",
    "FAIR-6",
    "FAIR-7",
    "FAIR-P2",
    "FAIR-P3",
    "FAIR-P5",
    "FAIR-P6",
    "FAIR-P7",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: lines } })
    const agentId = await activeAgent(trial, client)
    await trial.rules(evenly(agentId))
    const big = await start(trial, client, agentId, 600)
    await clock.advance(10 * secondMs)
    check.equal("alone-uses-all", ["FAIR-3", "FAIR-4"], await live(trial, big), lines)
    const small: Array<string> = []
    for (let nth = 0; nth < 4; nth++) small.push(await start(trial, client, agentId, 12))
    check.equal("nobody-is-cut", "FAIR-6", await live(trial, big), lines)
    await clock.advance(30 * secondMs)
    const floor = Math.floor(lines / 5)
    for (let step = 0; step < 8; step++) {
      const counts = new Map<string, number>()
      for (const id of [big, ...small]) counts.set(id, await live(trial, id))
      const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
      check.equal("all-lines-used", "FAIR-P6", all, lines)
      for (const id of small) {
        const stats = await readStats(client, id)
        if (pending(stats) === 0) continue
        const has = counts.get(id) ?? 0
        check.holds(
          "floor-held",
          ["FAIR-1", "FAIR-2", "FAIR-P2", "FAIR-P3", "FAIR-P5", "FAIR-P7"],
          has >= floor,
          `${floor} lines or more`,
          stats,
        )
      }
      await clock.advance(5 * secondMs)
    }
    await clock.advance(10 * minuteMs)
    for (const id of small) {
      const stats = await readStats(client, id)
      check.equal("small-ones-finish", "FAIR-7", stats.at("outcome_counts.completed"), 12, stats)
    }
    check.equal("borrows-again", ["FAIR-3", "FAIR-P6"], await mostLive(trial, big), lines)
  },
}

const many: Case = {
  id: "campaigns/fairness/more-campaigns-than-lines",
  title: "With more campaigns than lines nobody waits longer than a round, turns being equal",
  clauses: ["FAIR-7", "FAIR-P8", "FAIR-P10"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 2 } })
    const agentId = await activeAgent(trial, client)
    await trial.rules(evenly(agentId))
    const ids: Array<string> = []
    for (let nth = 0; nth < 6; nth++) ids.push(await start(trial, client, agentId, 4))
    const dialled = async () =>
      Promise.all(ids.map(async (id) => (await trial.telephony.legs({ campaign_id: id })).length))
    for (let round = 0; round < 4; round++) {
      await clock.advance(22 * secondMs)
      const counts = await dialled()
      check.holds(
        "within-a-round",
        ["FAIR-P8", "FAIR-P10"],
        Math.max(...counts) - Math.min(...counts) <= 1,
        "turns that differ by one at most",
      )
    }
    await clock.advance(10 * minuteMs)
    check.equal(
      "all-served",
      "FAIR-P10",
      await dialled(),
      ids.map(() => 4),
    )
  },
}

const ceiling: Case = {
  id: "campaigns/fairness/ceiling",
  title: "A campaign's own ceiling lowers its run, and what it cannot use others may",
  clauses: [
    "FAIR-9",
    "FAIR-11",
    "FAIR-P4",
    "FAIR-P5",
    "FAIR-P6",
    "FAIR-P13",
    "CAMPAIGN-FIELD-14",
    "CAMPAIGN-EXTENSION-P3",
    "FAIR-5",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 10 } })
    const agentId = await activeAgent(trial, client)
    await trial.rules(evenly(agentId))
    const capped = await start(trial, client, agentId, 40, { max_concurrent_calls: 2 })
    await clock.advance(10 * secondMs)
    check.equal("lowered", ["FAIR-9", "CAMPAIGN-FIELD-14"], await live(trial, capped), 2)
    const explained = await client.get(`/v2/campaigns/${capped}/explain`)
    const reasons = explained.items("blocking").map((_, nth) => explained.at(`blocking.${nth}.reason`))
    check.holds(
      "explained",
      "CAMPAIGN-EXTENSION-P3",
      reasons.includes("campaign_ceiling"),
      "campaign_ceiling",
      explained,
    )
    const other = await start(trial, client, agentId, 60, { max_concurrent_calls: 10_000 })
    await clock.advance(10 * secondMs)
    check.equal("the-rest", ["FAIR-P4", "FAIR-P5", "FAIR-P6", "FAIR-P13"], await live(trial, other), 8)
    const contacts = even(trial, 3)
    const start_time = new Date((await clock.now()) + hourMs).toISOString()
    const later = await makeCampaign(trial, client, agentId, { contacts, start_time })
    const laterId = later.string("campaign_id")
    trial.made(await client.patch(`/v2/campaigns/${laterId}`, { max_concurrent_calls: 1 }), 200)
    const all = (await trial.telephony.legs({ agent_id: agentId, live: "true" })).length
    // How much of what others leave a campaign borrows beside them is a reading.
    check.holds("never-above-the-organization", ["CAMPAIGN-FIELD-14", "FAIR-11"], all <= 10, "ten lines at most")
    await clock.advance(hourMs + 5 * secondMs)
    check.equal("lowered-later", ["CAMPAIGN-FIELD-14", "FAIR-9"], await live(trial, laterId), 1)
    const ends = (await callsOf(client, capped)).map(({ status }) => status)
    check.equal("nobody-hung-up", "FAIR-5", [...new Set(ends)], ["completed"])
  },
}

const alone: Case = {
  id: "campaigns/fairness/batches-alone",
  title: "A batch without campaign has a fair share of its own",
  clauses: ["FAIR-P1", "BATCH-CREATE-P2", "BATCH-CREATE-1", "BATCH-CREATE-2"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 4 } })
    const agentId = await activeAgent(trial, client)
    await trial.rules(evenly(agentId))
    const id = await start(trial, client, agentId, 40)
    const contacts = even(trial, 20)
    const batch = await client.post("/v2/batches", { agent_id: agentId, contacts, concurrency_limit: 1 })
    check.status("accepted", "BATCH-CREATE-1", batch, 201)
    // Whether it is shown is not said; where it is, it is what was stored.
    const stored = batch.at("concurrency_limit")
    if (stored !== undefined) check.equal("stored", "BATCH-CREATE-1", stored, 1, batch)
    // The campaign was alone when it began, and may have every line until its first calls have ended.
    await clock.advance(40 * secondMs)
    const all = (await trial.telephony.legs({ agent_id: agentId, live: "true" })).length
    const ofCampaign = await live(trial, id)
    check.equal("halves", ["FAIR-P1", "BATCH-CREATE-P2"], [ofCampaign, all - ofCampaign], [2, 2])
    // Nor is it said when a batch begins.
    const placed = (await trial.telephony.legs({ agent_id: agentId })).length
    if (placed > (await trial.telephony.legs({ campaign_id: id })).length)
      check.holds("no-effect", "BATCH-CREATE-2", all - ofCampaign > 1, "more calls than concurrency_limit")
  },
}

const direct: Case = {
  id: "campaigns/fairness/direct-dials",
  title: "Direct dials and contacts share one pool, and a waiting dial is served first",
  clauses: ["FAIR-P11", "FAIR-P12", "SLOT-FULL-4"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 2 } })
    const agentId = await activeAgent(trial, client)
    await trial.rules([
      {
        match: { agent_id: agentId },
        outcome: { result: "completed", ring_ms: secondMs, talk_ms: 3 * secondMs, processing_ms: 0 },
      },
    ])
    const id = await start(trial, client, agentId, 200)
    await clock.advance(2 * secondMs)
    let served = 0
    for (let nth = 0; nth < 4; nth++) {
      const to_number = trial.numbers.magic("completed", 1)
      const answer = await trial.settle(client.post("/v2/calls", { agent_id: agentId, to_number }))
      if (answer.status === 201) served += 1
    }
    check.equal("dials-served", ["FAIR-P11", "FAIR-P12"], served, 4)
    await clock.advance(hourMs)
    const stats = await readStats(client, id)
    check.equal("contacts-never-refused", ["SLOT-FULL-4", "FAIR-P12"], stats.at("outcome_counts.completed"), 200, stats)
  },
}

export const campaignFairnessCases: ReadonlyArray<Case> = [share, many, ceiling, alone, direct]
