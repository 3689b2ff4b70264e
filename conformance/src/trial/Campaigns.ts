import type { Answer } from "../http/Answer.ts"
import type { Client } from "../http/Client.ts"
import { isObject } from "../http/Json.ts"
import { dayMs } from "./Duration.ts"
import { form, type Part } from "./Forms.ts"
import type { MagicOutcome } from "./Numbers.ts"
import type { Trial } from "./Trial.ts"

/** The body of a campaign or batch. */
export type Body = Readonly<Record<string, unknown>>

/** So many contacts that go this way. */
export const magicContacts = (trial: Trial, count: number, outcome: MagicOutcome, parameter = 1): ReadonlyArray<Body> =>
  Array.from({ length: count }, () => ({ to_number: trial.numbers.magic(outcome, parameter) }))

/** A start so far ahead that nobody is rung: for cases that look at anything but dialling. */
export const distantStart = async (trial: Trial): Promise<string> =>
  new Date((await trial.now()) + 20 * dayMs).toISOString()

/** Ends a campaign with its case, so that no later one has to sit through its calls. */
const tidy = (trial: Trial, client: Client, campaignId: string): void => {
  if (campaignId === "") return
  trial.defer(async () => {
    await client.post(`/v2/campaigns/${campaignId}/cancel`)
    await client.delete(`/v2/campaigns/${campaignId}`)
  })
}

/** Asks for a campaign, whatever the answer. */
export const askCampaign = async (trial: Trial, client: Client, body: Body): Promise<Answer> => {
  const answer = await client.post("/v2/campaigns", body)
  tidy(trial, client, answer.string("campaign_id"))
  return answer
}

/** A new campaign of an agent. */
export const makeCampaign = async (trial: Trial, client: Client, agentId: string, body: Body = {}): Promise<Answer> =>
  trial.made(await askCampaign(trial, client, { name: "Conformance", agent_id: agentId, ...body }), 201)

/** A CSV file. */
export const csv = (value: string | Uint8Array): Part => ({
  name: "file",
  filename: "contacts.csv",
  type: "text/csv",
  value,
})

/** Uploads a campaign, whatever the answer. */
export const uploadCampaign = async (trial: Trial, client: Client, parts: ReadonlyArray<Part>): Promise<Answer> => {
  const answer = await client.send("POST", "/v2/campaigns", form(parts))
  tidy(trial, client, answer.string("campaign_id"))
  return answer
}

/** A campaign as it stands. */
export const readCampaign = (client: Client, campaignId: string): Promise<Answer> =>
  client.get(`/v2/campaigns/${campaignId}`)

/** A figure of the stats that the specification lets be null. */
export const orNull = (value: unknown): ReadonlyArray<unknown> => [null, value]

/** A campaign's statistics. */
export const readStats = (client: Client, campaignId: string): Promise<Answer> =>
  client.get(`/v2/campaigns/${campaignId}/stats`)

/** A request that changes a campaign's state. */
export const move = (
  client: Client,
  campaignId: string,
  how: "pause" | "resume" | "cancel" | "revive",
): Promise<Answer> => client.post(`/v2/campaigns/${campaignId}/${how}`)

/** More pages than the calls of any case fill: a server that never says that there are no more is left then. */
const maxPages = 50

/** In the order of their creation, whatever the order of the list was; rows of one moment stay as they are. */
const oldestFirst = (rows: ReadonlyArray<Body>): ReadonlyArray<Body> => {
  const madeAt = ({ created_at }: Body): number => (typeof created_at === "string" ? Date.parse(created_at) : 0)
  return rows.toSorted((one, other) => madeAt(one) - madeAt(other))
}

/** The word that the server has for a batch that is paused; undefined where it does not show one. */
export const pausedWord = async (trial: Trial, client: Client, agentId: string): Promise<unknown> => {
  const scheduled_at = await distantStart(trial)
  const contacts = magicContacts(trial, 1, "completed")
  const made = await client.post("/v2/batches", { agent_id: agentId, contacts, scheduled_at })
  const own = `/v2/batches/${made.string("batch_id")}`
  trial.defer(() => client.post(`${own}/stop`))
  // What the answer to a pause shows is not said.
  return (await client.post(`${own}/pause`)).at("status") ?? (await client.get(own)).at("status")
}

/** The calls of a campaign, oldest first. */
export const callsOf = async (client: Client, campaignId: string): Promise<ReadonlyArray<Body>> => {
  const rows: Array<Body> = []
  for (let page = 1; ; page++) {
    const answer = await client.get("/v2/calls", { campaign_id: campaignId, page, page_size: 100 })
    rows.push(...answer.items().filter(isObject))
    if (answer.at("pagination.has_more") !== true || page === maxPages) return oldestFirst(rows.reverse())
  }
}

/** Whether four buckets sum to their total (STATS-14). */
export const bucketsAddUp = (stats: Answer): boolean => {
  const of = (bucket: string) => stats.number(`outcome_counts.${bucket}`)
  return of("completed") + of("failed") + of("in_flight") + of("pending") === of("total")
}
