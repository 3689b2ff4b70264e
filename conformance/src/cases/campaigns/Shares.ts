import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { type Body, magicContacts, makeCampaign, readStats } from "../../trial/Campaigns.ts"
import { minuteMs, secondMs } from "../../trial/Duration.ts"
import type { Trial } from "../../trial/Trial.ts"
import { refusedDial } from "../concurrency/Gate.ts"

/** Calls of an agent that all take the same time. */
const evenly = (trial: Trial, agentId: string): Promise<void> =>
  trial.rules([
    {
      match: { agent_id: agentId },
      outcome: { result: "completed", ring_ms: secondMs, talk_ms: 20 * secondMs, processing_ms: 0 },
    },
  ])

const start = async (trial: Trial, client: Client, agentId: string, count: number, more: Body = {}) =>
  (
    await makeCampaign(trial, client, agentId, { contacts: magicContacts(trial, count, "holdsLine", 20), ...more })
  ).string("campaign_id")

const live = async (trial: Trial, campaignId: string): Promise<number> =>
  (await trial.telephony.legs({ campaign_id: campaignId, live: "true" })).length

const overShare: Case = {
  id: "campaigns/shares/over-share",
  title: "A campaign that has more than its share starts no new call while others are short of theirs",
  clauses: ["FAIR-6"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 6 } })
    const agentId = await activeAgent(trial, client)
    await evenly(trial, agentId)
    const big = await start(trial, client, agentId, 60)
    await clock.advance(10 * secondMs)
    const small: Array<string> = []
    for (let nth = 0; nth < 2; nth++) small.push(await start(trial, client, agentId, 12))
    // Whatever had been dialled before is over by then.
    await clock.advance(30 * secondMs)
    for (let step = 0; step < 4; step++) {
      const waiting = []
      for (const id of small) waiting.push((await readStats(client, id)).number("outcome_counts.pending"))
      const isAsked = waiting.every((count) => count > 0)
      const lines = await live(trial, big)
      // Six lines, of which two are each small one's.
      if (isAsked) check.holds("starts-no-more", "FAIR-6", lines <= 2, "two lines at most")
      await clock.advance(5 * secondMs)
    }
  },
}

const equalTurns: Case = {
  id: "campaigns/shares/equal-turns",
  title: "Of two campaigns that begin at one moment each gets as many turns as the other",
  clauses: ["FAIR-7"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 4 } })
    const agentId = await activeAgent(trial, client)
    await evenly(trial, agentId)
    const start_time = new Date((await clock.now()) + 5 * minuteMs).toISOString()
    const ids: Array<string> = []
    for (let nth = 0; nth < 2; nth++) ids.push(await start(trial, client, agentId, 24, { start_time }))
    await clock.advance(5 * minuteMs + 90 * secondMs)
    const turns: Array<number> = []
    for (const id of ids) turns.push((await trial.telephony.legs({ campaign_id: id })).length)
    const [one = 0, two = 0] = turns
    check.holds("dialled", "FAIR-7", one > 0 && two > 0, "dials of both")
    // A turn may be under way when it is looked at.
    check.holds("equal", "FAIR-7", Math.abs(one - two) <= 2, "as many turns for each")
  },
}

const ceilings: Case = {
  id: "campaigns/shares/ceilings",
  title: "The ceiling of a campaign keeps no line from another campaign, and adds none to the organization's",
  clauses: ["FAIR-10", "FAIR-11"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const four = await trial.organization({ concurrency: { organization: 4 } })
    const agentOfFour = await activeAgent(trial, four.client)
    await start(trial, four.client, agentOfFour, 1, { max_concurrent_calls: 3 })
    await clock.advance(5 * secondMs)
    const other = await start(trial, four.client, agentOfFour, 6)
    await clock.advance(10 * secondMs)
    // The one with a ceiling of three asks for no more than the line that it has.
    check.equal("the-rest-is-others", "FAIR-10", await live(trial, other), 3)

    const two = await trial.organization({ concurrency: { organization: 2 } })
    const agentOfTwo = await activeAgent(trial, two.client)
    const high = await start(trial, two.client, agentOfTwo, 4, { max_concurrent_calls: 10_000 })
    await clock.advance(10 * secondMs)
    check.equal("not-above", "FAIR-11", await live(trial, high), 2)
    // An agent of its own, lest the first one's share of the lines be what refuses.
    const answer = await refusedDial(trial, two.client, await activeAgent(trial, two.client))
    check.refused("no-line-beside-it", "FAIR-11", answer, 1300)
  },
}

const reserved: Case = {
  id: "campaigns/shares/held-back",
  title: "A campaign without a line waits for its turn while others are dialled, and then has its whole share",
  clauses: ["FAIR-1", "FAIR-7"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 2 } })
    const agentId = await activeAgent(trial, client)
    await evenly(trial, agentId)
    const busy = await start(trial, client, agentId, 20)
    const turns = async (id: string) => (await trial.telephony.legs({ campaign_id: id })).length
    await clock.advance(10 * secondMs)
    // It comes while every line is taken, and can use none of its turns until one ends.
    const late = await start(trial, client, agentId, 6)
    check.equal("waits", "FAIR-7", await turns(late), 0)
    await clock.advance(25 * secondMs)
    const before = await turns(busy)
    check.holds("first-served", "FAIR-1", (await turns(late)) >= 1, "its line as soon as there is one")
    await clock.advance(66 * secondMs)
    const [gained, own] = [(await turns(busy)) - before, await turns(late)]
    check.holds("turn-about", "FAIR-7", Math.abs(gained - own) <= 2, "as many turns for each")
  },
}

/** What a share of the lines is, seen from each side. */
export const shareCases: ReadonlyArray<Case> = [overShare, equalTurns, ceilings, reserved]
