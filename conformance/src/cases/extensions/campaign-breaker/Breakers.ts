import type { Answer } from "../../../http/Answer.ts"
import type { Client } from "../../../http/Client.ts"
import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { type Body, callsOf, distantStart, makeCampaign, move, readCampaign } from "../../../trial/Campaigns.ts"
import { hourMs, minuteMs } from "../../../trial/Duration.ts"
import type { MagicOutcome } from "../../../trial/Numbers.ts"
import type { Trial } from "../../../trial/Trial.ts"

const needs = ["fixtures", "clock", "telephony", "magic", "extension:campaign-breaker"] as const

const pathOf = (id: string): string => `/v2/campaigns/${id}/breaker`

const readBreaker = (client: Client, id: string): Promise<Answer> => client.get(pathOf(id))

const setBreaker = (client: Client, id: string, body: Body): Promise<Answer> => client.put(pathOf(id), body)

/** How the calls of a campaign go, one after the other; a number is for how many seconds, in tens, one lasts that completes. */
type Ends = ReadonlyArray<MagicOutcome | number>

const contactsOf = (trial: Trial, ends: Ends): ReadonlyArray<Body> =>
  ends.map((end) => ({
    to_number: typeof end === "number" ? trial.numbers.magic("completed", end / 10) : trial.numbers.magic(end, 5),
  }))

/** A campaign that calls one after the other and begins in a minute, with a breaker by then. */
const broken = async (
  trial: Trial,
  client: Client,
  ends: Ends,
  breaker: Body | null,
  more: Body = {},
): Promise<string> => {
  const start_time = new Date((await trial.now()) + minuteMs).toISOString()
  const body = { contacts: contactsOf(trial, ends), retry_policy: { max_retries: 0 }, start_time, ...more }
  const id = (await makeCampaign(trial, client, await activeAgent(trial, client), body)).string("campaign_id")
  if (breaker !== null) trial.made(await setBreaker(client, id, breaker), 200)
  return id
}

const lineOf = (trial: Trial) => trial.organization({ concurrency: { organization: 1 } })

/** Why a breaker keeps its campaign paused: rate, calls, and how many of them were like that. */
const tripOf = (breaker: Answer): ReadonlyArray<unknown> => [
  breaker.at("trip.rate"),
  breaker.at("trip.calls"),
  breaker.at("trip.counted"),
]

const statusOf = async (client: Client, id: string): Promise<unknown> => (await readCampaign(client, id)).at("status")

/** The entries of the log with their details, newest first. */
const logOf = async (client: Client, id: string): Promise<ReadonlyArray<Body>> => {
  const entries = (await client.get(`/v2/campaigns/${id}/log`)).items().filter(isObject)
  return entries.map((entry) => ({ ...entry, ...(isObject(entry["details"]) ? entry["details"] : {}) }))
}

const paused: Case = {
  id: "extensions/campaign-breaker/paused",
  title: "A campaign of which too many calls failed is paused, says why, and goes on once it is resumed",
  clauses: [
    "BREAKER-E1",
    "BREAKER-E8",
    "BREAKER-E14",
    "BREAKER-E23",
    "BREAKER-E24",
    "BREAKER-E25",
    "BREAKER-E27",
  ].concat(["BREAKER-E28", "BREAKER-E29", "BREAKER-E31"]),
  requires: needs,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await lineOf(trial)
    const ends: Ends = [30, 30, "busy", "noAnswer", "callDisconnected", "busy", "busy", "busy"]
    const id = await broken(trial, client, ends, { failed_percent: 50, minimum_calls: 4 })
    const before = await readBreaker(client, id)
    check.equal("runs", "BREAKER-E27", [before.at("paused_reason"), before.at("trip")], [null, null], before)
    await clock.advance(hourMs)
    const campaign = await readCampaign(client, id)
    check.equal("paused", ["BREAKER-E1", "BREAKER-E24"], campaign.at("status"), "paused", campaign)
    check.equal("calls", ["BREAKER-E8", "BREAKER-E14"], (await callsOf(client, id)).length, 5, campaign)
    check.equal("batches", "BREAKER-E24", campaign.at("active_batches"), 0, campaign)
    const why = await readBreaker(client, id)
    check.equal("why", ["BREAKER-E25", "BREAKER-E8"], tripOf(why), ["failed", 5, 3], why)
    check.equal("limit", "BREAKER-E25", [why.at("trip.percent"), why.at("trip.resume_at")], [50, null], why)
    check.equal("by itself", "BREAKER-E27", why.at("paused_reason"), "breaker", why)
    const [entry] = await logOf(client, id)
    const { calls, counted, event, level, percent, rate, reason } = entry ?? {}
    const told = [event, level, reason, rate, calls, counted, percent]
    check.equal("told", "BREAKER-E28", told, ["paused", "warning", "breaker", "failed", 5, 3, 50])
    const trail = await client.get("/v2/audit-logs", { action: "campaign.pause" })
    const [record] = trail.items().filter(isObject)
    const actor = isObject(record?.["actor"]) ? record["actor"]["type"] : null
    const details = isObject(record?.["details"]) ? record["details"]["reason"] : null
    check.equal("recorded", "BREAKER-E29", [actor, details], ["system", "breaker"], trail)
    check.status("resumed", "BREAKER-E31", await move(client, id, "resume"), 200)
    const after = await readBreaker(client, id)
    check.equal("goes on", "BREAKER-E27", [after.at("paused_reason"), after.at("trip")], [null, null], after)
    await clock.advance(hourMs)
    // The last three fail as well, and are fewer than it takes.
    check.equal("done", ["BREAKER-E23", "BREAKER-E31"], await statusOf(client, id), "completed")
    check.equal("all called", "BREAKER-E31", (await callsOf(client, id)).length, ends.length)
  },
}

interface Rated {
  readonly clauses: ReadonlyArray<string>
  readonly breaker: Body
  readonly ends: Ends
  readonly trip: ReadonlyArray<unknown>
}

/** What each rate counts: the campaign stops behind the call with which there are too many. */
const rated: Readonly<Record<string, Rated>> = {
  error: {
    clauses: ["BREAKER-E9"],
    breaker: { error_percent: 0, minimum_calls: 2 },
    ends: ["busy", "noAnswer", "callDisconnected", "error", 30, 30],
    trip: ["error", 4, 1],
  },
  failed: {
    clauses: ["BREAKER-E9"],
    breaker: { error_percent: 0, minimum_calls: 2 },
    ends: [30, 30, "failed", 30],
    trip: ["error", 3, 1],
  },
  short: {
    clauses: ["BREAKER-E10"],
    breaker: { short_call_percent: 0, minimum_calls: 1, short_call_seconds: 15 },
    ends: [30, "busy", "voicemail", 10, 30, 30],
    trip: ["short_call", 4, 1],
  },
  seconds: {
    clauses: ["BREAKER-E11"],
    breaker: { short_call_percent: 0, minimum_calls: 1, short_call_seconds: 45 },
    ends: [60, 30, 60],
    trip: ["short_call", 2, 1],
  },
  voicemail: {
    clauses: ["BREAKER-E12"],
    breaker: { voicemail_percent: 0, minimum_calls: 1 },
    ends: [30, "noAnswer", "voicemail", 30],
    trip: ["voicemail", 3, 1],
  },
  order: {
    clauses: ["BREAKER-E26"],
    breaker: { failed_percent: 0, error_percent: 0, minimum_calls: 2 },
    ends: ["error", "error", 30],
    trip: ["error", 2, 2],
  },
  window: {
    clauses: ["BREAKER-E5"],
    breaker: { failed_percent: 50, window_calls: 2, minimum_calls: 2 },
    ends: [30, 30, 30, 30, "busy", "busy", 30],
    trip: ["failed", 2, 2],
  },
  minimum: {
    clauses: ["BREAKER-E7"],
    breaker: { failed_percent: 50, minimum_calls: 3 },
    ends: ["busy", "busy", "busy", 30],
    trip: ["failed", 3, 3],
  },
}

const rates: Case = {
  id: "extensions/campaign-breaker/rates",
  title: "Each rate counts what its page says, in its window",
  clauses: ["BREAKER-E5", "BREAKER-E7", "BREAKER-E9", "BREAKER-E10", "BREAKER-E11", "BREAKER-E12", "BREAKER-E26"],
  requires: needs,
  run: async (trial) => {
    const { check, clock } = trial
    const running: Array<readonly [string, Rated, Client, string]> = []
    for (const [name, each] of Object.entries(rated)) {
      const { client } = await lineOf(trial)
      running.push([name, each, client, await broken(trial, client, each.ends, each.breaker)])
    }
    await clock.advance(hourMs)
    for (const [name, { clauses, trip }, client, id] of running) {
      const why = await readBreaker(client, id)
      check.equal(name, clauses, tripOf(why), trip, why)
    }
  },
}

const retries: Case = {
  id: "extensions/campaign-breaker/retries",
  title:
    "Retries count, where they ended not too long before the last call; stopped calls do not, and without a breaker nothing does",
  clauses: ["BREAKER-E2", "BREAKER-E6", "BREAKER-E21", "BREAKER-E22"],
  requires: needs,
  run: async (trial) => {
    const { check, clock } = trial
    const again = { retry_policy: { max_retries: 1, base_delay_minutes: 30, respect_working_hours: false } }
    const failing = { failed_percent: 0, minimum_calls: 3 }
    const { client } = await trial.organization()
    const oneByOne = { ...again, max_concurrent_calls: 1 }
    const counted = await broken(trial, client, ["busy", "busy"], failing, oneByOne)
    const apart = await broken(trial, client, ["busy", "busy"], { ...failing, window_minutes: 10 }, oneByOne)
    const without = await broken(trial, client, ["busy", "busy"], null, oneByOne)
    const other = await lineOf(trial)
    const stopped = await broken(trial, other.client, ["holdsLine", "busy", "busy", 30], {
      failed_percent: 0,
      minimum_calls: 2,
    })
    await clock.advance(2 * minuteMs)
    for (const { execution_id, is_terminal } of await callsOf(other.client, stopped)) {
      if (is_terminal === false) await other.client.post(`/v2/calls/${String(execution_id)}/stop`)
    }
    await clock.advance(2 * hourMs)
    const why = await readBreaker(client, counted)
    const kinds = (await callsOf(client, counted)).map(({ status }) => status)
    check.equal("retried", "BREAKER-E21", [kinds.length, tripOf(why)], [3, ["failed", 3, 3]], why)
    const far = await readBreaker(client, apart)
    check.equal("long before", "BREAKER-E6", [far.at("trip"), await statusOf(client, apart)], [null, "completed"], far)
    check.equal("no breaker", "BREAKER-E2", await statusOf(client, without), "completed")
    check.status("none", "BREAKER-E2", await readBreaker(client, without), 404)
    const left = await readBreaker(other.client, stopped)
    const made = (await callsOf(other.client, stopped)).length
    check.equal("stopped", "BREAKER-E22", [made, tripOf(left)], [3, ["failed", 2, 2]], left)
  },
}

const goesOn: Case = {
  id: "extensions/campaign-breaker/goes-on",
  title:
    "A campaign that has paused itself goes on in its time, and pauses again; not where somebody has paused it, or its breaker is gone",
  clauses: ["BREAKER-E13", "BREAKER-E27", "BREAKER-E32", "BREAKER-E33", "BREAKER-E34", "BREAKER-E35", "BREAKER-E36"],
  requires: needs,
  run: async (trial) => {
    const { check, clock } = trial
    const breaker = { failed_percent: 0, minimum_calls: 2, resume_after_minutes: 60 }
    const ends: Ends = Array.from({ length: 8 }, () => "busy" as const)
    const { client } = await lineOf(trial)
    const { client: second } = await lineOf(trial)
    const id = await broken(trial, client, ends, breaker)
    const gone = await broken(trial, second, ends, breaker)
    await clock.advance(30 * minuteMs)
    const first = await readBreaker(client, id)
    const lasts = Date.parse(first.string("trip.resume_at")) - Date.parse(first.string("trip.at"))
    check.equal("resume_at", "BREAKER-E13", lasts, 60 * minuteMs, first)
    check.equal("not yet", "BREAKER-E13", await statusOf(client, id), "paused")
    trial.made(await second.delete(pathOf(gone)), 200)
    await clock.advance(hourMs)
    const calls = await callsOf(client, id)
    check.equal("again", "BREAKER-E33", [await statusOf(client, id), calls.length], ["paused", 4])
    const [last, resumed] = await logOf(client, id)
    check.equal("went on", "BREAKER-E32", [resumed?.["event"], resumed?.["reason"]], ["resumed", "breaker"])
    check.equal("paused again", "BREAKER-E33", [last?.["event"], last?.["reason"]], ["paused", "breaker"])
    check.equal("removed", "BREAKER-E36", await statusOf(second, gone), "paused")
    const trip = await readBreaker(client, id)
    const anew = await setBreaker(client, id, { ...breaker, resume_after_minutes: 600 })
    const moved = Date.parse(anew.string("trip.resume_at")) - Date.parse(trip.string("trip.at"))
    check.equal("anew", "BREAKER-E35", moved, 600 * minuteMs, anew)
    trial.made(await move(client, id, "pause"), 200)
    const taken = await readBreaker(client, id)
    check.equal("taken over", "BREAKER-E27", [taken.at("paused_reason"), taken.at("trip")], ["request", null], taken)
    await clock.advance(12 * hourMs)
    check.equal("by hand", "BREAKER-E34", await statusOf(client, id), "paused")
    check.equal("nobody called", "BREAKER-E34", (await callsOf(client, id)).length, 4)
  },
}

const written: Case = {
  id: "extensions/campaign-breaker/written",
  title: "A breaker is set, read, replaced and removed, and told in the log; one that says nothing is refused",
  clauses: [
    "BREAKER-E4",
    "BREAKER-E15",
    "BREAKER-E16",
    "BREAKER-E17",
    "BREAKER-E18",
    "BREAKER-E19",
    "BREAKER-E20",
  ].concat(["BREAKER-E30"]),
  requires: ["fixtures", "extension:campaign-breaker"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const body = { start_time: await distantStart(trial) }
    const id = (await makeCampaign(trial, client, await activeAgent(trial, client), body)).string("campaign_id")
    check.status("none yet", "BREAKER-E19", await readBreaker(client, id), 404)
    const asked = { window_calls: 50, window_minutes: 60, minimum_calls: 30, voicemail_percent: 80 }
    const set = await setBreaker(client, id, { ...asked, short_call_seconds: 5, resume_after_minutes: 30 })
    check.status("set", "BREAKER-E4", set, 200)
    const read = await readBreaker(client, id)
    const names = Object.keys(asked)
    check.equal(
      "as asked",
      ["BREAKER-E4", "BREAKER-E19"],
      names.map((name) => read.at(name)),
      Object.values(asked),
      read,
    )
    const told = async () => {
      const [entry] = await logOf(client, id)
      return [entry?.["event"], entry?.["fields"]]
    }
    check.equal("set is told", "BREAKER-E30", await told(), ["edited", ["breaker"]])
    const replaced = await setBreaker(client, id, { failed_percent: 60, window_calls: 10 })
    const usual = {
      window_calls: 10,
      window_minutes: null,
      minimum_calls: 10,
      failed_percent: 60,
      error_percent: null,
      short_call_percent: null,
      short_call_seconds: 10,
      voicemail_percent: null,
      resume_after_minutes: null,
    }
    check.equal(
      "replaced",
      "BREAKER-E17",
      Object.keys(usual).map((name) => replaced.at(name)),
      Object.values(usual),
      replaced,
    )
    check.refused("nothing", "BREAKER-E15", await setBreaker(client, id, { window_calls: 10 }), 1000)
    const tooMany = await setBreaker(client, id, { failed_percent: 60, window_calls: 10, minimum_calls: 11 })
    check.refused("more than there are", "BREAKER-E16", tooMany, 1001)
    check.equal("as before", ["BREAKER-E15", "BREAKER-E16"], (await readBreaker(client, id)).at("failed_percent"), 60)
    check.status("removed", "BREAKER-E20", await client.delete(pathOf(id)), 200)
    check.status("gone", "BREAKER-E20", await readBreaker(client, id), 404)
    check.equal("removal is told", "BREAKER-E30", await told(), ["edited", ["breaker"]])
    trial.made(await move(client, id, "cancel"), 200)
    check.refused("cancelled", "BREAKER-E18", await setBreaker(client, id, { failed_percent: 60 }), 1201)
  },
}

/** Cases of campaigns that pause themselves. */
export const campaignBreakerCases: ReadonlyArray<Case> = [paused, rates, retries, goesOn, written]
