import { expect, test } from "vitest"
import type { contactReasons } from "../../src/dashboard/ContactReason.ts"
import type { WorldView } from "../../src/dashboard/WorldView.ts"
import { Client } from "../Client.ts"

type Reasons = ReturnType<typeof contactReasons>

const read = async (client: Client, campaignId: unknown, search = ""): Promise<Reasons> => {
  const parts = new URLSearchParams({ campaign_id: String(campaignId), ...(search === "" ? {} : { search }) })
  return JSON.parse((await client.get(`/_sim/ui/contacts?${parts}`)).text)
}

const answered = "+999000300000001"
const busy = "+999010000000002"
const held = "+999500500000003"

const start = async (client: Client, more: object = {}) => {
  const { agent_id } = client.simulator.info
  const made = await client.post("/v2/campaigns", {
    name: "Renewals",
    agent_id,
    contacts: [answered, busy, held].map((to_number) => ({ to_number })),
    retry_policy: { max_retries: 1, strategy: "fixed_delay", base_delay_minutes: 5 },
    ...more,
  })
  return made.body["campaign_id"]
}

const whyOf = ({ contacts }: Reasons) => Object.fromEntries(contacts.map(({ to_number, why }) => [to_number, why]))

test("a contact is in a call, reached, tried again later, and given up", async () => {
  const client = await Client.start()
  const id = await start(client)
  await client.advance({ by_ms: 200 })
  expect(new Set(Object.values(whyOf(await read(client, id, "+999"))))).toEqual(new Set(["It is in a call now."]))
  await client.advance({ by_ms: 120_000 })
  const later = await read(client, id, "+999")
  expect(whyOf(later)).toEqual({
    [answered]: "It was reached. Nothing more is due.",
    [busy]: "Its last call ended busy. It is tried again.",
    [held]: "It is in a call now.",
  })
  const waits = later.contacts.find(({ to_number }) => to_number === busy)
  expect(waits?.until ?? 0).toBeGreaterThan(later.now)
  // Without a number only those that wait are shown.
  expect(Object.keys(whyOf(await read(client, id)))).toEqual([busy])
  await client.advance({ until_idle: true })
  expect(whyOf(await read(client, id, busy))).toEqual({ [busy]: "Its last call ended busy, and no retry is left." })
  expect(await read(client, id)).toMatchObject({ contacts: [], whole: true })
})

test("what closes a campaign comes before what holds a contact", async () => {
  const client = await Client.start()
  const id = await start(client, { max_concurrent_calls: 1 })
  await client.advance({ by_ms: 200 })
  expect(whyOf(await read(client, id))).toEqual({
    [busy]: "The campaign uses as many lines as it may.",
    [held]: "The campaign uses as many lines as it may.",
  })
  await client.post(`/v2/campaigns/${String(id)}/pause`, {})
  expect(new Set(Object.values(whyOf(await read(client, id))))).toEqual(new Set(["The campaign is paused."]))
  await client.post(`/v2/campaigns/${String(id)}/cancel`, {})
  expect(whyOf(await read(client, id, busy))).toEqual({ [busy]: "The campaign was cancelled." })
  const booked = await start(client, { start_time: "2027-01-01T00:00:00Z" })
  expect((await read(client, booked)).contacts[0]).toMatchObject({
    why: "The campaign has not begun.",
    until: Date.parse("2027-01-01T00:00:00Z"),
  })
})

test("one of two contacts with one number waits for the other's call, which is named", async () => {
  const client = await Client.start()
  const id = await start(client, { contacts: [{ to_number: held }, { to_number: held }] })
  await client.advance({ by_ms: 1_000 })
  const { contacts } = await read(client, id, held)
  const [first, second] = contacts
  expect(first).toMatchObject({ status: "in_progress", why: "It is in a call now." })
  expect(second).toMatchObject({
    why: "Another call to the same number has to end first.",
    execution_id: first?.execution_id,
  })
})

test("an answer is bounded, and says when it is not whole", async () => {
  const client = await Client.start()
  const contacts = Array.from({ length: 50 }, (_, n) => ({ to_number: `+9990003${String(n).padStart(8, "0")}` }))
  const id = await start(client, { contacts })
  expect(await read(client, id)).toMatchObject({ whole: false, contacts: { length: 20 } })
  expect((await read(client, id, "00000049")).contacts).toHaveLength(1)
  expect((await client.get("/_sim/ui/contacts?campaign_id=cmp_none")).status).toBe(404)
})

test("a campaign tells its calls of the last minute, and the same finish that explain gives", async () => {
  const client = await Client.start()
  const contacts = Array.from({ length: 200 }, (_, n) => ({ to_number: `+9990003${String(n).padStart(8, "0")}` }))
  const id = await start(client, { contacts })
  const look = async () => {
    const view: WorldView = JSON.parse((await client.get("/_sim/ui/world")).text)
    return view.campaigns.find(({ lane_id }) => lane_id === id)
  }
  await client.advance({ by_ms: 30_000 })
  const { body } = await client.get("/v2/calls?page_size=1")
  expect(body).toMatchObject({ pagination: { total: (await look())?.calls_last_minute } })
  const told = async () => {
    const finish = (await look())?.estimated_finish_at ?? null
    const { body } = await client.get(`/v2/campaigns/${String(id)}/explain`)
    expect(finish === null ? null : new Date(finish).toISOString()).toBe(body["estimated_finish_at"])
    return body
  }
  const seen: Array<string> = []
  for (let minute = 0; minute < 4; minute++) {
    await client.advance({ by_ms: 60_000 })
    seen.push(String((await told())["estimated_finish_at"]))
  }
  expect(seen.some((finish) => finish !== "null")).toBe(true)
  const organization = `/_sim/organizations/${client.simulator.info.organization_id}`
  const { agent_id } = client.simulator.info
  await client.patch(organization, { wallet: { balance: 0 } })
  expect(await told()).toMatchObject({ estimated_finish_at: null, no_estimate_reason: "wallet" })
  await client.patch(`/v2/agents/${agent_id}`, { status: "INACTIVE" })
  expect(await told()).toMatchObject({ estimated_finish_at: null, no_estimate_reason: "agent_inactive" })
  await client.patch(`/v2/agents/${agent_id}`, { status: "ACTIVE" })
  await client.patch(organization, { wallet: { balance: 1_000_000 } })
  expect((await told())["no_estimate_reason"]).toBeNull()
  await client.advance({ until_idle: true })
  await client.advance({ by_ms: 60_000 })
  expect((await look())?.calls_last_minute ?? 0).toBe(0)
})
