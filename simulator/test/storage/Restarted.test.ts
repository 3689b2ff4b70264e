import { afterAll, expect, test } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"
import { Client } from "../Client.ts"

const { directory, remove } = await newPglite()

afterAll(remove)

const start = () => Client.start({ storage: `pglite:${directory}` })

const busy = "+999010000000001"
const contact = (serial: number) => ({ to_number: `+9990001${String(serial).padStart(8, "0")}` })

test("a simulator that starts again on its rows takes every write, and its invariants go on with what is written", async () => {
  const before = await start()
  const { agent_id } = before.simulator.info
  const campaign = { name: "Retried", agent_id, retry_policy: { max_retries: 1, base_delay_minutes: 30 } }
  const retried = await before.post("/v2/campaigns", { ...campaign, contacts: [{ to_number: busy }] })
  const later = { ...campaign, start_time: "2026-01-06T00:00:00Z", contacts: [contact(1)] }
  const path = `/v2/campaigns/${String((await before.post("/v2/campaigns", later)).body["campaign_id"])}`
  const registered = await before.post("/v2/phone-numbers", { phone_number: "+15550000001" })
  await before.post("/v2/webhooks", { callback_url: "https://one.inbox.test/", agent_id })
  const booking = { from_number: "+15550000001", scheduled_at: "2026-01-05T12:00:00Z" }
  expect((await before.dial(contact(2).to_number, booking)).status).toBe(202)
  await before.advance({ by: "PT15M" })
  await before.simulator.close()

  const client = await start()
  const writes: ReadonlyArray<readonly [method: string, path: string, body?: object]> = [
    ["POST", "/v2/phone-numbers", { phone_number: "+15550000002" }],
    ["POST", "/v2/webhooks", { callback_url: "https://two.inbox.test/", agent_id }],
    ["POST", "/v2/calls", { agent_id, ...contact(3), ...booking }],
    ["PATCH", path, { phone_numbers: ["+15550000001"] }],
    ["POST", `${path}/contacts`, { contacts: [contact(4)] }],
    ["POST", "/v2/batches", { agent_id, campaign_id: path.split("/").at(-1), contacts: [contact(5)] }],
    ["POST", `${path}/pause`],
    ["POST", `${path}/resume`],
    ["POST", `${path}/cancel`],
    ["DELETE", path],
  ]
  for (const [method, to, body] of writes) {
    const { status, text } = await client.send(method, to, body)
    expect(status, `${method} ${to}: ${text}`).toBeLessThan(300)
  }
  await client.advance({ by: "PT4H" })
  const number = `/v2/phone-numbers/${String(registered.body["phone_number_id"])}`
  expect((await client.send("DELETE", number)).status).toBe(200)
  const over = await client.get(`/v2/campaigns/${String(retried.body["campaign_id"])}`)
  expect(over.body).toMatchObject({ status: "completed", busy_calls: 2 })
  expect(await client.violations()).toEqual([])
  await client.simulator.close()
})
