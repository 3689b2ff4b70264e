import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { dial, readCall } from "../../trial/Calls.ts"
import { callsOf, csv, distantStart, magicContacts, makeCampaign, move, uploadCampaign } from "../../trial/Campaigns.ts"
import { dayMs, hourMs, minuteMs, secondMs } from "../../trial/Duration.ts"

const pausedAgain: Case = {
  id: "campaigns/renewed/pause",
  title: "A second pause pauses what was let go on since the first",
  clauses: ["CAMPAIGN-STATUS-8", "CAMPAIGN-STATUS-9"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const one = { contacts: magicContacts(trial, 1, "completed") }
    const made = await makeCampaign(trial, client, agentId, { ...one, start_time: await distantStart(trial) })
    const id = made.string("campaign_id")
    const status = async () => (await client.get(`/v2/batches/${made.string("batch_id")}`)).at("status")
    trial.made(await move(client, id, "pause"), 200)
    const paused = await status()
    // Whether a batch of a paused campaign can be resumed is left open; if it can, the next pause ends that.
    await client.post(`/v2/batches/${made.string("batch_id")}/resume`)
    const again = await move(client, id, "pause")
    check.equal("still-paused", "CAMPAIGN-STATUS-8", [again.status, again.at("status")], [200, "paused"], again)
    check.equal("batch-paused", "CAMPAIGN-STATUS-9", await status(), paused)
  },
}

const form: Case = {
  id: "campaigns/renewed/form",
  title: "Contacts of a file are written in the target script as those of a JSON body are, under the headers as given",
  clauses: ["CAMPAIGN-CREATE-2", "CAMPAIGN-CSV-4", "CAMPAIGN-FIELD-21"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const transliteration = { enabled: true, fields: ["city"], target_language_code: "hi", source_language_code: "en" }
    const made = await uploadCampaign(trial, client, [
      { name: "name", value: "Conformance" },
      { name: "agent_id", value: agent_id },
      { name: "transliteration", value: JSON.stringify(transliteration) },
      csv(`phone,city,OrderNo\n${trial.numbers.magic("completed", 1)},Pune,A1\n`),
    ])
    trial.made(made, 201)
    await clock.advance(10 * minuteMs)
    const [call] = await callsOf(client, made.string("campaign_id"))
    const variables = JSON.stringify(call?.["variables"])
    const isWritten = /[\u0900-\u097F]/u.test(variables)
    check.holds("header-as-given", "CAMPAIGN-CSV-4", variables.includes('"OrderNo":"A1"'), "OrderNo", made)
    check.holds("written", ["CAMPAIGN-CREATE-2", "CAMPAIGN-FIELD-21"], isWritten, "letters of the target script", made)
  },
}

const leastLoaded: Case = {
  id: "campaigns/renewed/least-loaded",
  title: "The number with the fewest live calls is used next, whoever placed them",
  clauses: ["CALLER-ID-P2", "CALLER-ID-P5"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const numbers = ["+15555551001", "+15555551002", "+15555551003"]
    const { client } = await trial.organization({ phone_numbers: numbers })
    const agentId = await activeAgent(trial, client)
    for (const from_number of [numbers[0], numbers[0], numbers[1]])
      await dial(trial, client, agentId, trial.numbers.magic("holdsLine", 10), { from_number })
    await clock.advance(5 * secondMs)
    const made = await makeCampaign(trial, client, agentId, {
      contacts: magicContacts(trial, 3, "holdsLine", 10),
      phone_number_strategy: "least_loaded",
      phone_numbers: numbers,
    })
    await clock.advance(10 * secondMs)
    const legs = await trial.telephony.legs({ campaign_id: made.string("campaign_id") })
    const used = legs.map(({ from_number }) => String(from_number))
    const times = numbers.map((number) => used.filter((each) => each === number).length)
    check.equal("evened-out", ["CALLER-ID-P2", "CALLER-ID-P5"], times, [0, 1, 2])
  },
}

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

const respected: Case = {
  id: "campaigns/renewed/respected-hours",
  title: "A retry waits for hours that nobody enforces when its policy respects them, and for none when it does not",
  clauses: ["RETRY-P2"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const noon = Math.ceil((await clock.now()) / dayMs) * dayMs + 12 * hourMs
    await clock.advance(noon - (await clock.now()))
    const working_hours = Object.fromEntries(days.map((day) => [day, { start: "06:00", end: "09:00", enabled: true }]))
    const make = async (respect_working_hours: boolean) =>
      (
        await makeCampaign(trial, client, agentId, {
          working_hours,
          contacts: magicContacts(trial, 1, "busy", 0),
          retry_policy: { max_retries: 1, base_delay_minutes: 15, respect_working_hours },
        })
      ).string("campaign_id")
    const [waits, goesOn] = [await make(true), await make(false)]
    const legs = async (id: string) => (await trial.telephony.legs({ campaign_id: id })).length
    await clock.advance(minuteMs)
    check.equal("first-dials", "RETRY-P2", [await legs(waits), await legs(goesOn)], [1, 1])
    await clock.advance(hourMs)
    check.equal("not-respected", "RETRY-P2", await legs(goesOn), 2)
    check.equal("respected", "RETRY-P2", await legs(waits), 1)
    await clock.advance(17 * hourMs)
    check.equal("in-hours", "RETRY-P2", await legs(waits), 2)
  },
}

const sticky: Case = {
  id: "campaigns/renewed/same-side",
  title: "A retry runs the side of the experiment that its first attempt ran",
  clauses: ["EXPERIMENT-ASSIGN-P1"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const control = await activeAgent(trial, client)
    const variant_agent_id = await activeAgent(trial, client)
    const share = { variant_agent_id, version_name: "V", variant_traffic_pct: 50, status: "active" }
    trial.made(await client.post(`/v2/agents/${control}/versions`, share), 201)
    const made = await makeCampaign(trial, client, control, {
      contacts: magicContacts(trial, 6, "busy", 0),
      retry_policy: { max_retries: 1, base_delay_minutes: 5 },
    })
    await clock.advance(hourMs)
    const calls = await callsOf(client, made.string("campaign_id"))
    check.equal("all-dialled", "EXPERIMENT-ASSIGN-P1", calls.length, 12)
    const agentOf = new Map(calls.map(({ agent_id, execution_id }) => [execution_id, agent_id]))
    const retries = calls.filter(({ retry_count }) => retry_count === 1)
    const sides = retries.map(({ agent_id }) => agent_id)
    const firsts = retries.map(({ parent_execution_id }) => agentOf.get(parent_execution_id))
    check.equal("sides", "EXPERIMENT-ASSIGN-P1", sides, firsts)
  },
}

const broke: Case = {
  id: "campaigns/renewed/balance-low",
  title: "A contact whose call the wallet could not carry is not dialled again",
  clauses: ["STATUS-20"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const made = await makeCampaign(trial, client, agentId, {
      contacts: magicContacts(trial, 1, "walletEmpty"),
      retry_policy: { max_retries: 3, base_delay_minutes: 1 },
    })
    await clock.advance(5 * minuteMs)
    const calls = await callsOf(client, made.string("campaign_id"))
    const low = calls.filter(({ status }) => status === "balance-low").length
    check.holds("no-retry", "STATUS-20", low <= 1, "one call at most")
  },
}

const inbound: Case = {
  id: "campaigns/renewed/inbound",
  title: "The calling window of an agent keeps no caller out",
  clauses: ["AGENT-GUARD-5"],
  requires: ["fixtures", "clock", "magic", "inbound"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client, organizationId, phoneNumbers } = await trial.organization()
    // Two hours of the day that lie ten hours away from now.
    const hour = (new Date(await clock.now()).getUTCHours() + 10) % 22
    const text = (value: number) => `${String(value).padStart(2, "0")}:00`
    const calling_guard = { enabled: true, timezone: "UTC", start: text(hour), end: text(hour + 2) }
    const agent_id = await activeAgent(trial, client, { calling_guard })
    const arrived = await trial.control.send("POST", "/inbound", {
      organization_id: organizationId,
      from_number: trial.numbers.plain(),
      to_number: phoneNumbers[0],
      agent_id,
      outcome: { result: "completed", talk_ms: 10 * secondMs },
    })
    check.status("arrives", "AGENT-GUARD-5", arrived, 201)
    await clock.advance(5 * minuteMs)
    const call = await readCall(client, arrived.string("execution_id"))
    check.equal("answered", "AGENT-GUARD-5", call.at("status"), "completed", call)
  },
}

/** What comes back in another form: a second pause, a file, a retry, a call from outside. */
export const renewedCases: ReadonlyArray<Case> = [pausedAgain, form, leastLoaded, respected, sticky, broke, inbound]
