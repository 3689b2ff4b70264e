import type { Answer } from "../../../http/Answer.ts"
import type { Client } from "../../../http/Client.ts"
import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { type Body, callsOf, csv, distantStart, makeCampaign, move } from "../../../trial/Campaigns.ts"
import { hourMs, minuteMs } from "../../../trial/Duration.ts"
import { form } from "../../../trial/Forms.ts"
import type { Trial } from "../../../trial/Trial.ts"

const needs = ["fixtures", "clock", "telephony", "magic", "extension:campaign-order"] as const

const pathOf = (id: string): string => `/v2/campaigns/${id}/order`

const readOrder = (client: Client, id: string): Promise<Answer> => client.get(pathOf(id))

const setOrder = (client: Client, id: string, body: Body): Promise<Answer> => client.put(pathOf(id), body)

/** Contacts of some names that begin with these priorities; undefined for one that says none. */
type Asked = Readonly<Record<string, unknown>>

/** A campaign that calls one after the other, and whose calls are known by the names of whom they call. */
class Ordered {
  readonly #names = new Map<unknown, string>()
  readonly #trial: Trial
  readonly #client: Client
  readonly id: string

  private constructor(trial: Trial, client: Client, id: string) {
    this.#trial = trial
    this.#client = client
    this.id = id
  }

  /** One that begins in an hour. */
  static async of(trial: Trial, client: Client, more: Body = {}): Promise<Ordered> {
    const start_time = new Date((await trial.now()) + hourMs).toISOString()
    const body = { retry_policy: { max_retries: 0 }, start_time, ...more }
    const made = await makeCampaign(trial, client, await activeAgent(trial, client), body)
    return new Ordered(trial, client, made.string("campaign_id"))
  }

  contactsOf(asked: Asked, outcome: "completed" | "busy" = "completed"): ReadonlyArray<Body> {
    return Object.entries(asked).map(([name, vip]) => {
      const to_number = this.#trial.numbers.magic(outcome, 1)
      this.#names.set(to_number, name)
      return vip === undefined ? { to_number } : { to_number, vip }
    })
  }

  /** Hands contacts in as one more batch, a little later than the one before. */
  async add(asked: Asked, outcome: "completed" | "busy" = "completed"): Promise<void> {
    await this.#trial.clock.advance(1_000)
    const contacts = this.contactsOf(asked, outcome)
    this.#trial.made(await this.#client.post(`/v2/campaigns/${this.id}/contacts`, { contacts }), 201)
  }

  async set(order: Body): Promise<void> {
    this.#trial.made(await setOrder(this.#client, this.id, order), 200)
  }

  /** Whom it has called three hours later, in order. */
  async called(): Promise<string> {
    await this.#trial.clock.advance(3 * hourMs)
    const calls = await callsOf(this.#client, this.id)
    return calls.map(({ to_number }) => this.#names.get(to_number) ?? "?").join(" ")
  }
}

const lineOf = (trial: Trial) => trial.organization({ concurrency: { organization: 1 } })

const listedOf = async (client: Client, id: string): Promise<ReadonlyArray<Body>> =>
  (await client.get(`/v2/campaigns/${id}/contacts`, { page_size: 100 })).items().filter(isObject)

const priorities: Case = {
  id: "extensions/campaign-order/priorities",
  title: "Who has the highest priority is called first, whatever batch it is in",
  clauses: ["ORDER-E1", "ORDER-E5", "ORDER-E13", "ORDER-E14", "ORDER-E21", "ORDER-E22"],
  requires: needs,
  run: async (trial) => {
    const { check } = trial
    const { client } = await lineOf(trial)
    const campaign = await Ordered.of(trial, client)
    await campaign.set({ priority_column: "vip" })
    await campaign.add({ low: 0, four: 4, none: undefined, five: 5, six: "6" })
    await campaign.add({ empty: "", nine: 9, null: null, other: 5, eight: 8 })
    const called = await campaign.called()
    const expected = "nine eight six none five empty null other four low"
    check.equal(
      "called",
      ["ORDER-E1", "ORDER-E5", "ORDER-E13", "ORDER-E14", "ORDER-E21", "ORDER-E22"],
      called,
      expected,
    )
  },
}

const lastCome: Case = {
  id: "extensions/campaign-order/last-come",
  title: "The batch that came last may come first, and a campaign without an order calls as ever",
  clauses: ["ORDER-E1", "ORDER-E2", "ORDER-E6", "ORDER-E22"],
  requires: needs,
  run: async (trial) => {
    const { check } = trial
    const { client } = await lineOf(trial)
    const batches = [
      { a: 1, b: 9 },
      { c: 1, d: 9 },
    ]
    const calledBy = async (order: Body | null): Promise<string> => {
      const campaign = await Ordered.of(trial, client)
      if (order !== null) await campaign.set(order)
      for (const batch of batches) await campaign.add(batch)
      return campaign.called()
    }
    check.equal("without", "ORDER-E2", await calledBy(null), "a b c d")
    check.equal("last", ["ORDER-E1", "ORDER-E6", "ORDER-E22"], await calledBy({ contacts: "last_come" }), "c d a b")
    const both = { contacts: "last_come", priority_column: "vip" }
    check.equal("both", "ORDER-E6", await calledBy(both), "d b c a")
    check.equal("left out", "ORDER-E6", await calledBy({ priority_column: "vip" }), "b d a c")
  },
}

const firstCalls: Case = {
  id: "extensions/campaign-order/first-calls",
  title: "Retries go before first calls whatever their priority, and an order may go again",
  clauses: ["ORDER-E23", "ORDER-E24", "ORDER-E25", "ORDER-E26"],
  requires: needs,
  run: async (trial) => {
    const { check } = trial
    const { client } = await lineOf(trial)
    const retry_policy = { max_retries: 1, base_delay_minutes: 1 }
    const retried = await Ordered.of(trial, client, { retry_policy })
    await retried.set({ priority_column: "vip" })
    await retried.add({ low: 1 }, "busy")
    await trial.clock.advance(hourMs + 30_000)
    trial.made(await move(client, retried.id, "pause"), 200)
    await retried.add({ high: 9 })
    await trial.clock.advance(10 * minuteMs)
    trial.made(await move(client, retried.id, "resume"), 200)
    check.equal("retry first", ["ORDER-E23", "ORDER-E24"], await retried.called(), "low low high")
    for (const how of ["removed", "without a column"]) {
      const campaign = await Ordered.of(trial, client)
      await campaign.set({ priority_column: "vip" })
      await campaign.add({ a: 1, b: 5 })
      await campaign.add({ c: 1, d: 9 })
      if (how === "removed") trial.made(await client.delete(pathOf(campaign.id)), 200)
      else await campaign.set({ contacts: "first_come" })
      check.equal(how, ["ORDER-E25", "ORDER-E26"], await campaign.called(), "b a d c")
    }
  },
}

const handedIn: Case = {
  id: "extensions/campaign-order/handed-in",
  title: "Contacts are given their priority as they are handed in, and refused by name where it is none",
  clauses: ["ORDER-E15", "ORDER-E16", "ORDER-E17", "ORDER-E18", "ORDER-E19", "ORDER-E20"],
  requires: ["fixtures", "extension:campaign-order"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const contactsOf = (...all: ReadonlyArray<unknown>) =>
      all.map((vip) => ({ to_number: trial.numbers.magic("completed"), ...(vip === undefined ? {} : { vip }) }))
    const start_time = await distantStart(trial)
    const body = { start_time, contacts: contactsOf(9) }
    const id = (await makeCampaign(trial, client, await activeAgent(trial, client), body)).string("campaign_id")
    const path = `/v2/campaigns/${id}/contacts`
    const add = (contacts: ReadonlyArray<Body>) => client.post(path, { contacts })
    trial.made(await add(contactsOf(8)), 201)
    trial.made(await setOrder(client, id, { priority_column: "vip" }), 200)
    trial.made(await add(contactsOf(2, undefined, "7")), 201)
    const listed = await listedOf(client, id)
    const priorityOf = ({ priority }: Body) => priority ?? "none"
    const given = listed.slice(2)
    check.equal("of before", "ORDER-E16", listed.slice(0, 2).map(priorityOf), ["none", "none"])
    check.equal("given", ["ORDER-E15", "ORDER-E19", "ORDER-E20"], given.map(priorityOf), [7, "none", 2])
    const variableOf = ({ variables }: Body) => (isObject(variables) ? (variables["vip"] ?? "none") : "none")
    check.equal("variables", ["ORDER-E18"], given.map(variableOf), ["7", "none", 2])
    const wrong = await add(contactsOf(3, "high"))
    check.refused("wrong", "ORDER-E17", wrong, 1001)
    check.equal("named", "ORDER-E17", wrong.string("message").includes("contacts[1].vip"), true, wrong)
    for (const vip of [10, -1, 1.5]) check.refused(`not ${vip}`, "ORDER-E17", await add(contactsOf(vip)), 1001)
    const file = csv(`number,vip\n${trial.numbers.magic("completed")},1\n${trial.numbers.magic("completed")},10\n`)
    const uploaded = await client.send("POST", path, form([file]))
    check.refused("in a file", "ORDER-E17", uploaded, 1001)
    check.equal("line", "ORDER-E17", uploaded.string("message").includes("line 3"), true, uploaded)
    check.equal("nothing stored", "ORDER-E17", (await listedOf(client, id)).length, 5)
  },
}

const written: Case = {
  id: "extensions/campaign-order/written",
  title: "An order is set, read, replaced and removed, and refused where it says nothing",
  clauses: ["ORDER-E4", "ORDER-E7", "ORDER-E8", "ORDER-E9", "ORDER-E10", "ORDER-E11", "ORDER-E12"],
  requires: ["fixtures", "extension:campaign-order"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const body = { start_time: await distantStart(trial) }
    const id = (await makeCampaign(trial, client, await activeAgent(trial, client), body)).string("campaign_id")
    const told = async () => {
      const [entry] = (await client.get(`/v2/campaigns/${id}/log`)).items().filter(isObject)
      const details = entry?.["details"]
      return [entry?.["event"], isObject(details) ? details["fields"] : undefined]
    }
    const shown = (order: Answer) => [order.at("priority_column"), order.at("contacts")]
    check.status("none yet", "ORDER-E10", await readOrder(client, id), 404)
    const set = await setOrder(client, id, { priority_column: "vip", contacts: "last_come" })
    check.status("set", "ORDER-E4", set, 200)
    const read = await readOrder(client, id)
    check.equal("as asked", ["ORDER-E4", "ORDER-E10"], shown(read), ["vip", "last_come"], read)
    check.equal("set is told", "ORDER-E12", await told(), ["edited", ["order"]])
    check.refused("nothing", "ORDER-E7", await setOrder(client, id, {}), 1000)
    const replaced = await setOrder(client, id, { priority_column: "rank" })
    check.equal("replaced", "ORDER-E8", shown(replaced), ["rank", "first_come"], replaced)
    check.status("removed", "ORDER-E11", await client.delete(pathOf(id)), 200)
    check.status("gone", "ORDER-E11", await readOrder(client, id), 404)
    check.equal("removal is told", "ORDER-E12", await told(), ["edited", ["order"]])
    trial.made(await move(client, id, "cancel"), 200)
    check.refused("cancelled", "ORDER-E9", await setOrder(client, id, { contacts: "last_come" }), 1201)
  },
}

/** Cases of the order of a campaign. */
export const campaignOrderCases: ReadonlyArray<Case> = [priorities, lastCome, firstCalls, handedIn, written]
