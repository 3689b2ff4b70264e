import { limits } from "@carillon/core"
import { deflateSync } from "node:zlib"
import { Option, Schema } from "effect"
import type { Known } from "./Attack.ts"
import { pdfOf } from "./Files.ts"
import type { Tenant } from "./Messages.ts"

/** Asks the API as the tenant does, and gives the answer's body. */
export type Ask = (method: string, path: string, body?: object | FormData) => Promise<unknown>

/** A moment at which the siege is over. */
export const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString()

const readRecord = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Unknown))
const readList = Schema.decodeUnknownOption(Schema.Struct({ data: Schema.Array(Schema.Unknown) }))

/** A member of an answer; what was not made is named so that its route answers 404. */
const idIn = (answer: unknown, name: string): string => {
  const found = Option.getOrUndefined(readRecord(answer))?.[name]
  return typeof found === "string" ? found : "x"
}

const firstOf = (answer: unknown): unknown => Option.getOrElse(readList(answer), () => ({ data: [] })).data[0]

const collection = "long"

/** Makes something of each kind, so that requests reach what they name. */
export const furnish = async (ask: Ask, { agent_id }: Tenant): Promise<Known> => {
  const campaign = await ask("POST", "/campaigns", { name: "x", agent_id, start_time: tomorrow() })
  const contacts = [{ to_number: "+15555550100" }]
  const batch = await ask("POST", "/batches", { agent_id, contacts, scheduled_at: tomorrow() })
  const webhook = await ask("POST", "/webhooks", { callback_url: "https://example.com/hook" })
  const call = await ask("POST", "/calls", { agent_id, to_number: "+15555550100" })
  const other = idIn(await ask("POST", "/agents", { display_name: "x", status: "ACTIVE" }), "agent_id")
  const version = { variant_agent_id: other, version_name: "x", variant_traffic_pct: 1 }
  const experiment = await ask("POST", `/agents/${agent_id}/versions`, version)
  const number = await ask("POST", "/phone-numbers", { phone_number: "+15555550009" })
  await ask("POST", "/providers", { provider_name: "x", provider_value: "x" })
  const record = firstOf(await ask("GET", "/audit-logs"))
  return {
    parameters: {
      agent_id,
      campaign_id: idIn(campaign, "campaign_id"),
      batch_id: idIn(batch, "batch_id"),
      subscription_id: idIn(webhook, "subscription_id"),
      execution_id: idIn(call, "execution_id"),
      version_id: idIn(experiment, "version_id"),
      phone_number_id: idIn(number, "phone_number_id"),
      event_id: idIn(record, "event_id"),
      provider_name: "x",
      collection,
    },
    agents: [],
  }
}

/** Sentences of a text of a knowledge base. */
const sentences = 20_000

const longBase = (): FormData => {
  const lines = Array.from({ length: sentences }, (_, nth) => `(lorem ipsum ${nth} dolor sit amet) Tj `)
  const base = new FormData()
  base.set("collection", collection)
  base.set("files", new File([new Uint8Array(pdfOf(deflateSync(lines.join(""))))], "long.pdf"))
  return base
}

const manyAgents = 100
const manyWebhooks = 60
const manyBatches = 100
const manyCalls = 50

/** Rows of the largest size, by the hundred. */
export const makeMuch = async (ask: Ask, { agent_id }: Tenant, known: Known): Promise<Known> => {
  const text = (bytes: number) => "x".repeat(bytes - 4 * 1024)
  const agents: Array<string> = []
  for (let nth = 0; nth < manyAgents; nth++) {
    const variables = { note: text(limits.agentBytes) }
    agents.push(
      idIn(await ask("POST", "/agents", { display_name: `much ${nth}`, status: "ACTIVE", variables }), "agent_id"),
    )
  }
  const headers = Object.fromEntries(Array.from({ length: 2 }, (_, nth) => [`x-${nth}`, "x".repeat(4_000)]))
  for (let nth = 0; nth < manyWebhooks; nth++) {
    await ask("POST", "/webhooks", { callback_url: `https://example.com/${nth}`, agent_id, headers })
  }
  const { campaign_id = "x" } = known.parameters
  for (let nth = 0; nth < manyBatches; nth++) {
    const metadata = { note: text(limits.settingsBytes - limits.copiedBytes) }
    const contacts = [{ to_number: `+1555600${String(nth).padStart(4, "0")}` }]
    await ask("POST", "/batches", { agent_id, campaign_id, contacts, metadata, scheduled_at: tomorrow() })
  }
  for (let nth = 0; nth < manyCalls; nth++) {
    const variables = { note: text(limits.callVariablesBytes) }
    await ask("POST", "/calls", { agent_id, to_number: `+1555700${String(nth).padStart(4, "0")}`, variables })
  }
  await ask("POST", "/knowledge-bases", longBase())
  return { ...known, agents }
}

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

/** Openings of a minute, hours apart: no minute lies in those of all zones, and whoever looks for one looks at many. */
export const rareHours = (): object => {
  const openings = Array.from({ length: 8 }, (_, nth) => {
    const hour = String(3 * nth).padStart(2, "0")
    return { start: `${hour}:07`, end: `${hour}:08` }
  })
  return Object.fromEntries(weekdays.map((day) => [day, openings]))
}

const countries =
  "AD AE AF AG AL AM AO AR AT AU AZ BA BB BD BE BF BG BH BI BJ BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CL CM CN CO CR CU CV CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FM FR GA GB GD GE GH GM GN GQ GR GT GW GY HN HR HT HU ID IE IL IN IQ IR IS IT JM JO JP KE KG KH KM KR KW KZ LA LB LI LK LT LU LV MA MC MD ME MG MK ML MM MN MR MT MU MV MW MX MY MZ NA NE NG NL NO NP NZ OM PA PE PG PH PK PL PT PY QA RO RS RU RW SA SC SD SE SG SI SK SL SM SN SO SR SV SY SZ TD TG TH TJ TM TN TO TR TT TZ UA UG US UY UZ VE VN VU WS YE ZA ZM ZW"

/** Each of them with a holiday of its own. */
export const manyCountries = (): object => {
  const dayOf = (nth: number) => `${new Date().getUTCFullYear() + 1}-01-${10 + (nth % 20)}`
  return Object.fromEntries(countries.split(" ").map((country, nth) => [country, { holidays: [dayOf(nth)] }]))
}

/** Hours of everybody that the tenant calls. */
export const makeHours = async (ask: Ask): Promise<void> => {
  await ask("PUT", "/callee-hours", { countries: manyCountries(), elsewhere: rareHours() })
}

const hangingWebhooks = 80

/** Webhooks at endpoints that take a connection and never answer. */
export const makeHanging = async (ask: Ask, { agent_id }: Tenant, endpoint: string): Promise<void> => {
  for (let nth = 0; nth < hangingWebhooks; nth++) {
    await ask("POST", "/webhooks", { callback_url: `http://${endpoint}/${nth}`, agent_id })
  }
}
