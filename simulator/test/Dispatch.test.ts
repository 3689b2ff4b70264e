import { expect, test } from "vitest"
import { Client } from "./Client.ts"

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

test("contacts that wait for their agent are dialled once a call of no campaign gives its line back", async () => {
  const client = await Client.start()
  const { agent_id, organization_id } = client.simulator.info
  await client.patch(`/_sim/organizations/${organization_id}`, { concurrency: { organization: 5, per_agent: 1 } })
  await client.advance({ by_ms: 61_000 })
  await client.dial("+999000600000001")
  const { body } = await client.post("/v2/campaigns", {
    name: "Waiting",
    agent_id,
    contacts: [{ to_number: "+999000100000002" }, { to_number: "+999000100000003" }],
  })
  await client.advance({ by: "PT5M" })
  expect((await client.get(`/v2/campaigns/${String(body["campaign_id"])}`)).body.status).toBe("completed")
  expect(await client.violations()).toEqual([])
})

test("a raised ceiling is used a minute later, though no call has ended", async () => {
  const client = await Client.start()
  const { agent_id, organization_id } = client.simulator.info
  const path = `/_sim/organizations/${organization_id}`
  await client.patch(path, { concurrency: { organization: 5, per_agent: 1 } })
  await client.advance({ by_ms: 61_000 })
  await client.dial("+999509900000001")
  const contacts = [{ to_number: "+999509900000002" }]
  await client.post("/v2/campaigns", { name: "Waiting", agent_id, contacts })
  await client.advance({ by_ms: 10_000 })
  expect((await client.legs({ live: "true" })).data).toHaveLength(1)
  await client.patch(path, { concurrency: { per_agent: 2 } })
  await client.advance({ by_ms: 121_000 })
  expect((await client.legs({ live: "true" })).data).toHaveLength(2)
})

test("the hours of a campaign that is over keep nobody busy", async () => {
  const client = await Client.start()
  const { agent_id } = client.simulator.info
  await client.post("/v2/campaigns", {
    name: "Hours",
    agent_id,
    working_hours_enforced: true,
    working_hours: Object.fromEntries(days.map((day) => [day, { start: "09:00", end: "17:00" }])),
    contacts: [{ to_number: "+999000100000001" }],
  })
  expect((await client.idle()).reached).toBe(true)
  expect((await client.get("/_sim/clock")).body.next_due).toBeNull()
})

test("a retry that is due at once waits for the end of its own call, and no invariant minds", async () => {
  const client = await Client.start()
  const { agent_id } = client.simulator.info
  const { body } = await client.post("/v2/campaigns", {
    name: "At once",
    agent_id,
    retry_policy: { max_retries: 2, base_delay_minutes: 0 },
    contacts: [{ to_number: "+999010000000001" }, { to_number: "+999020000000002" }],
  })
  expect((await client.idle()).reached).toBe(true)
  expect((await client.legs({ campaign_id: String(body["campaign_id"]) })).data).toHaveLength(6)
  expect(await client.violations()).toEqual([])
})
