import { type Contender, type Round, timed } from "../Harness.ts"
import { World } from "../World.ts"

const organizations = 10
const campaignsEach = 10
const linesEach = 100
/** A day of so many calls is enough to become warm by, again and again. */
const warmCalls = 3_000
const mix = {
  completed: 0.58,
  "no-answer": 0.2,
  voicemail: 0.1,
  busy: 0.06,
  failed: 0.03,
  "call-disconnected": 0.02,
  error: 0.01,
}

/** Calls that a contact takes on average under this mix with three retries. */
const unreached = 1 - mix.completed
const callsPerContact = 1 + unreached + unreached ** 2 + unreached ** 3

export const campaignDayName = "Carillon simulator, a day of 100 campaigns"

interface Made {
  readonly key: string
  readonly campaign_id: string
}

const organization = async (world: World, nth: number, contacts: number): Promise<ReadonlyArray<Made>> => {
  const made = await world.ask("POST", "/_sim/organizations", {
    concurrency: { organization: linesEach, per_agent: null, enforced: true },
  })
  const key = made.keys?.[0]?.key ?? ""
  const { agent_id } = await world.ask("POST", "/v2/agents", { display_name: "a", status: "ACTIVE" }, key)
  await world.ask("POST", "/v2/webhooks", { callback_url: `https://o${nth}.inbox.test/`, secret: "s".repeat(32) }, key)
  const campaigns: Array<Made> = []
  for (let campaign = 0; campaign < campaignsEach; campaign++) {
    const from = 10_000_000 + (nth * campaignsEach + campaign) * contacts
    const list = Array.from({ length: contacts }, (_, row) => ({ to_number: `+1555${from + row}`, order_id: `${row}` }))
    const answer = await world.ask("POST", "/v2/campaigns", { name: "x", agent_id, contacts: list }, key)
    campaigns.push({ key, campaign_id: answer.campaign_id ?? "" })
  }
  return campaigns
}

/** One day: its calls, and what was done wrongly. */
const day = async (calls: number, measure: typeof timed): Promise<Round> => {
  const world = await World.start({ mix })
  const contacts = Math.max(1, Math.round(calls / organizations / campaignsEach / callsPerContact))
  const campaigns: Array<Made> = []
  for (let nth = 0; nth < organizations; nth++) campaigns.push(...(await organization(world, nth, contacts)))
  const round = await measure(async () => {
    await world.ask("POST", "/_sim/clock/advance", { until_idle: true })
    let operations = 0
    let errors = 0
    for (const { campaign_id, key } of campaigns) {
      const stats = await world.ask("GET", `/v2/campaigns/${campaign_id}/stats`, undefined, key)
      operations += stats.total_call_attempts ?? 0
      errors += stats.status === "completed" ? 0 : 1
    }
    return { operations, errors }
  })
  const { violations = [] } = await world.ask("GET", "/_sim/invariants")
  const { live_peak = 0, webhooks } = await world.ask("GET", "/_sim/stats")
  await world.close()
  const isWrong = [(webhooks?.["delivered"] ?? 0) < round.operations, live_peak > organizations * linesEach]
  return { ...round, errors: round.errors + violations.length + isWrong.filter(Boolean).length }
}

/**
 * A day of campaigns: ten organizations with ten each, ordinary outcomes, retries, and a signed webhook for every call. It is wrong
 * where a campaign does not complete, a call's webhook is not delivered, more calls are live than there are lines, or an invariant does not
 * hold.
 */
export const campaignDay = (calls: number, measure = timed): Contender => ({
  name: campaignDayName,
  round: () => day(calls, measure),
  warm: () => day(Math.min(calls, warmCalls), measure),
})
