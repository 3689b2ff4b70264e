import type { Answer } from "../../http/Answer.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import {
  askCampaign,
  callsOf,
  csv,
  distantStart,
  magicContacts,
  makeCampaign,
  readCampaign,
  uploadCampaign,
} from "../../trial/Campaigns.ts"
import { hourMs, minuteMs, secondMs } from "../../trial/Duration.ts"

/** More than a quarter of what a file may hold. */
const largeBytes = 6 * 1024 * 1024

const file: Case = {
  id: "campaigns/given/file",
  title:
    "The rows of a file are dialled with their own columns, whatever letters they are in, and a large file is taken",
  clauses: ["CAMPAIGN-CREATE-8", "CAMPAIGN-CSV-2", "CAMPAIGN-CSV-4", "CAMPAIGN-CSV-5", "CAMPAIGN-LIMITS-2"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const upload = (text: string, agent_id = agentId, more: Readonly<Record<string, string>> = {}): Promise<Answer> => {
      const fields = Object.entries({ name: "Upload", agent_id, ...more })
      return uploadCampaign(trial, client, [...fields.map(([name, value]) => ({ name, value })), csv(text)])
    }
    const people = [
      { number: trial.numbers.magic("completed", 1), name: "Zoë", city: "Köln" },
      { number: trial.numbers.magic("completed", 1), name: "José", city: "São Paulo" },
    ]
    const rows = people.map(({ city, name, number }) => `${number},${name},${city}\n`).join("")
    const made = await upload(`to_number,name,city\n${rows}`)
    const told = [made.status, made.at("total_contacts")]
    check.equal("a-contact-for-each-row", "CAMPAIGN-CSV-2", told, [201, people.length], made)
    await trial.clock.advance(20 * minuteMs)
    const calls = made.succeeded ? await callsOf(client, made.string("campaign_id")) : []
    for (const { city, name, number } of people) {
      const variables = Object(calls.find(({ to_number }) => to_number === number)?.["variables"])
      check.equal("letters", "CAMPAIGN-CSV-2", variables.city, city)
      check.equal("column", "CAMPAIGN-CSV-4", variables.city, city)
      check.equal("name", ["CAMPAIGN-CSV-4", "CAMPAIGN-CSV-5"], variables.name, name)
      check.equal("mirrored", "CAMPAIGN-CSV-5", variables.callee_name, name)
    }
    const row = `${trial.numbers.magic("completed", 1)},${"x".repeat(1_000)}\n`
    const large = `to_number,note\n${row.repeat(Math.ceil(largeBytes / row.length))}`
    const taken = await upload(large, agentId, { start_time: await distantStart(trial) })
    check.status("large", "CAMPAIGN-LIMITS-2", taken, 201)
    check.refused("unknown-agent", "CAMPAIGN-CREATE-8", await upload(`to_number,note\n${row}`, "agt_unknown"), 1200)
  },
}

const numbers: Case = {
  id: "campaigns/given/numbers",
  title: "Contacts are given by either name and of any allowed length, and every given number calls",
  clauses: [
    "CAMPAIGN-FIELD-5",
    "CAMPAIGN-FIELD-8",
    "CAMPAIGN-JSON-3",
    "CAMPAIGN-JSON-5",
    "CAMPAIGN-LIMITS-3",
    "SLOT-8",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const own = ["+15555551001", "+15555551002", "+15555551003"]
    const { client } = await trial.organization({ phone_numbers: own, concurrency: { organization: 8 } })
    const agentId = await activeAgent(trial, client)
    const start_time = await distantStart(trial)
    const ask = (contacts: ReadonlyArray<object>) =>
      askCampaign(trial, client, { name: "Conformance", agent_id: agentId, start_time, contacts })
    check.status("alias", "CAMPAIGN-JSON-3", await ask([{ phone_number: trial.numbers.magic("completed", 1) }]), 201)
    const [short, long] = [await ask([{ to_number: "+1234567" }]), await ask([{ to_number: "+123456789012345" }])]
    check.status("seven-digits", "CAMPAIGN-LIMITS-3", short, 201)
    check.status("fifteen-digits", "CAMPAIGN-LIMITS-3", long, 201)
    const phone_numbers = own.slice(0, 2)
    const contacts = magicContacts(trial, 4, "completed", 1)
    const made = await makeCampaign(trial, client, agentId, { contacts, phone_numbers })
    check.equal("numbers", "CAMPAIGN-JSON-5", made.at("phone_numbers"), phone_numbers, made)
    await clock.advance(hourMs)
    const legs = await trial.telephony.legs({ campaign_id: made.string("campaign_id") })
    const callers = [...new Set(legs.map(({ from_number }) => String(from_number)))].toSorted()
    check.equal("both-call", "CAMPAIGN-FIELD-5", callers, phone_numbers)
    const two = await makeCampaign(trial, client, agentId, { contacts: magicContacts(trial, 2, "completed", 1) })
    await clock.advance(hourMs)
    const moved = await readCampaign(client, two.string("campaign_id"))
    check.holds("cursor", "CAMPAIGN-FIELD-8", moved.number("phone_number_index") > 0, "a cursor that moved", moved)
    const many = await makeCampaign(trial, client, agentId, { contacts: magicContacts(trial, 12, "holdsLine", 5) })
    await clock.advance(20 * secondMs)
    const live = await trial.telephony.legs({ campaign_id: many.string("campaign_id"), live: "true" })
    check.equal("no-ceiling", "SLOT-8", live.length, 8)
  },
}

/** What campaigns are given, and what they make of it. */
export const givenCases: ReadonlyArray<Case> = [file, numbers]
