import type { Answer } from "../../../http/Answer.ts"
import type { Client } from "../../../http/Client.ts"
import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { type Body, distantStart, magicContacts, makeCampaign, move } from "../../../trial/Campaigns.ts"
import { hourMs, minuteMs } from "../../../trial/Duration.ts"
import type { Trial } from "../../../trial/Trial.ts"

const logOf = (
  client: Client,
  id: string,
  query: { readonly page?: number; readonly page_size?: number } = {},
): Promise<Answer> => client.get(`/v2/campaigns/${id}/log`, query)

/** The entries of an answer, newest first. */
const entriesOf = (answer: Answer): ReadonlyArray<Body> => answer.items().filter(isObject)

const details = (entry: Body | undefined): Body => {
  const found = entry?.["details"]
  return isObject(found) ? found : {}
}

const actor = (entry: Body | undefined): Body => {
  const found = details(entry)["actor"]
  return isObject(found) ? found : {}
}

/** What an answer says happened, oldest first. */
const toldBy = (answer: Answer): ReadonlyArray<unknown> =>
  entriesOf(answer)
    .map(({ event }) => event)
    .reverse()

/** A campaign of which nobody is called: its start is far ahead. */
const waiting = async (trial: Trial, client: Client): Promise<string> => {
  const contacts = magicContacts(trial, 2, "completed")
  const body = { contacts, start_time: await distantStart(trial) }
  return (await makeCampaign(trial, client, await activeAgent(trial, client), body)).string("campaign_id")
}

const moved = ["paused", "resumed", "stopped", "revived"] as const
const asked = { paused: "pause", resumed: "resume", stopped: "cancel", revived: "revive" } as const
const clauses = { paused: "LOG-E14", resumed: "LOG-E15", stopped: "LOG-E16", revived: "LOG-E17" } as const

const steered: Case = {
  id: "extensions/campaign-log/steered",
  title: "What is asked of a campaign is told, by whom and when, in its order",
  clauses: [
    "LOG-E1",
    "LOG-E4",
    "LOG-E5",
    "LOG-E6",
    "LOG-E8",
    "LOG-E10",
    "LOG-E11",
    "LOG-E12",
    "LOG-E13",
    "LOG-E14",
    "LOG-E15",
    "LOG-E16",
    "LOG-E17",
    "LOG-E18",
    "LOG-E22",
    "LOG-E25",
  ],
  requires: ["fixtures", "clock", "telephony", "magic", "extension:campaign-log"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const me = (await client.get("/v2/user/me")).at("developer.key_id")
    const id = await waiting(trial, client)
    const path = `/v2/campaigns/${id}`
    const from = await trial.now()
    const first = await logOf(client, id)
    check.equal("made", ["LOG-E1", "LOG-E8", "LOG-E11", "LOG-E12"], toldBy(first), ["created", "contacts_added"], first)
    const more = magicContacts(trial, 3, "completed")
    const added = trial.made(await client.post(`${path}/contacts`, { contacts: more }), 201)
    const batch = await logOf(client, id)
    const [latest] = entriesOf(batch)
    const { batch_id, contacts } = details(latest)
    check.equal(
      "added",
      "LOG-E12",
      [latest?.["event"], batch_id, contacts],
      ["contacts_added", added.at("batch_id"), 3],
      batch,
    )
    trial.made(await client.patch(path, { name: "Another name", timezone: "UTC" }), 200)
    const edited = await logOf(client, id)
    const { fields } = details(entriesOf(edited)[0])
    const named = Array.isArray(fields) ? fields.map(String).toSorted() : fields
    check.equal(
      "edited",
      ["LOG-E8", "LOG-E13"],
      [entriesOf(edited)[0]?.["event"], named],
      ["edited", ["name", "timezone"]],
      edited,
    )
    const states: Array<unknown> = [(await client.get(path)).at("status")]
    for (const event of moved) {
      states.push(trial.made(await move(client, id, asked[event]), 200).at("status"))
      const answer = await logOf(client, id)
      const [entry] = entriesOf(answer)
      check.equal(`told ${event}`, ["LOG-E8", clauses[event]], entry?.["event"], event, answer)
      const { status, was } = details(entry)
      check.equal(`from and to ${event}`, "LOG-E22", [was, status], states.slice(-2), answer)
    }
    trial.made(await move(client, id, "cancel"), 200)
    trial.made(await client.delete(path), 204)
    const all = await logOf(client, id)
    check.equal("archived", "LOG-E18", entriesOf(all)[0]?.["event"], "archived", all)
    const entries = entriesOf(all)
    const expected = entries.map((_, nth) => entries.length - nth)
    check.equal(
      "numbered",
      "LOG-E4",
      entries.map(({ number }) => number),
      expected,
      all,
    )
    const times = entries.map(({ at }) => Date.parse(String(at)))
    const until = (await trial.now()) + minuteMs
    check.holds(
      "in-its-time",
      "LOG-E5",
      times.every((at) => at >= from - minuteMs && at <= until),
      "when it happened",
      all,
    )
    check.equal("asked-for", "LOG-E6", [...new Set(entries.map(({ level }) => level))], ["info"], all)
    const keys = new Set(entries.map((entry) => `${String(actor(entry)["type"])} ${String(actor(entry)["key_id"])}`))
    check.equal("by-whom", "LOG-E10", [...keys], [`api_key ${String(me)}`], all)
    check.equal("stays", "LOG-E25", entries.slice(-2), entriesOf(first), all)
  },
}

const paged: Case = {
  id: "extensions/campaign-log/paged",
  title: "The log is read in pages, newest first; nothing is told of what was refused, or changed nothing",
  clauses: ["LOG-E3", "LOG-E24"],
  requires: ["fixtures", "clock", "telephony", "magic", "extension:campaign-log"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const id = await waiting(trial, client)
    const log = await logOf(client, id)
    check.status("refused", "LOG-E24", await move(client, id, "revive"), 409)
    check.status("nothing-to-resume", "LOG-E24", await move(client, id, "resume"), 200)
    const name = (await client.get(`/v2/campaigns/${id}`)).at("name")
    check.status("same-name", "LOG-E24", await client.patch(`/v2/campaigns/${id}`, { name }), 200)
    check.equal("as-before", "LOG-E24", toldBy(await logOf(client, id)), toldBy(log), log)
    trial.made(await move(client, id, "pause"), 200)
    check.status("paused-again", "LOG-E24", await move(client, id, "pause"), 200)
    const paused = await logOf(client, id)
    check.equal("once", "LOG-E24", toldBy(paused), [...toldBy(log), "paused"], paused)
    const pages = [
      await logOf(client, id, { page: 1, page_size: 2 }),
      await logOf(client, id, { page: 2, page_size: 2 }),
    ]
    const numbers = pages.map((page) => entriesOf(page).map(({ number }) => number))
    check.equal("newest-first", "LOG-E3", numbers, [[3, 2], [1]], pages[0])
    const counted = pages.map((page) => [page.at("pagination.total"), page.at("pagination.has_more")])
    check.equal(
      "counted",
      "LOG-E3",
      counted,
      [
        [3, true],
        [3, false],
      ],
      pages[0],
    )
    check.status("of-nobody", "LOG-E3", await logOf(client, "cmp_unknown"), 404)
    const other = await trial.organization()
    check.status("of-others", "LOG-E3", await logOf(other.client, id), 404)
  },
}

const ends: Case = {
  id: "extensions/campaign-log/ends",
  title: "How a campaign ended by itself is told as the system's",
  clauses: ["LOG-E6", "LOG-E10", "LOG-E19", "LOG-E20", "LOG-E22"],
  requires: ["fixtures", "clock", "telephony", "magic", "extension:campaign-log"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 1 } })
    const agentId = await activeAgent(trial, client)
    const done = await makeCampaign(trial, client, agentId, { contacts: magicContacts(trial, 1, "completed") })
    await clock.advance(hourMs)
    const end_time = new Date((await trial.now()) + hourMs).toISOString()
    const contacts = magicContacts(trial, 30, "holdsLine", 5)
    const late = await makeCampaign(trial, client, agentId, { contacts, end_time })
    await clock.advance(2 * hourMs)
    const of = async (made: Answer) => {
      const answer = await logOf(client, made.string("campaign_id"))
      const [entry] = entriesOf(answer)
      return { answer, entry, told: details(entry) }
    }
    const completed = await of(done)
    check.equal("completed", "LOG-E19", completed.entry?.["event"], "completed", completed.answer)
    check.equal("was-to-come", "LOG-E6", completed.entry?.["level"], "info", completed.answer)
    const expired = await of(late)
    check.equal(
      "expired",
      "LOG-E20",
      [expired.entry?.["event"], expired.told["unfinished_batches"]],
      ["expired", 1],
      expired.answer,
    )
    check.equal("stopped-by-itself", "LOG-E6", expired.entry?.["level"], "warning", expired.answer)
    for (const { answer, entry, told } of [completed, expired]) {
      check.equal("by-the-system", "LOG-E10", [actor(entry)["type"], actor(entry)["key_id"]], ["system", null], answer)
      check.equal("from-and-to", "LOG-E22", [told["was"], told["status"]], ["active", entry?.["event"]], answer)
    }
  },
}

const goesOn: Case = {
  id: "extensions/campaign-log/goes-on",
  title: "A campaign whose last call ended while it was paused is told to be resumed, and then to have completed",
  clauses: ["LOG-E10", "LOG-E15", "LOG-E19", "LOG-E22"],
  requires: ["fixtures", "clock", "telephony", "magic", "extension:campaign-log"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const made = await makeCampaign(trial, client, agentId, { contacts: magicContacts(trial, 1, "holdsLine", 10) })
    const id = made.string("campaign_id")
    await clock.advance(minuteMs)
    trial.made(await move(client, id, "pause"), 200)
    await clock.advance(hourMs)
    trial.made(await move(client, id, "resume"), 200)
    await clock.advance(minuteMs)
    const log = await logOf(client, id)
    const [done, resumed] = entriesOf(log)
    check.equal("told", ["LOG-E15", "LOG-E19"], [resumed?.["event"], done?.["event"]], ["resumed", "completed"], log)
    const { status, was } = details(done)
    check.equal("from-and-to", "LOG-E22", [was, status], ["active", "completed"], log)
    check.equal("by-whom", "LOG-E10", [actor(resumed)["type"], actor(done)["type"]], ["api_key", "system"], log)
  },
}

/** Cases of the log of a campaign. */
export const campaignLogCases: ReadonlyArray<Case> = [steered, paged, ends, goesOn]
