import { expect, test } from "vitest"
import { Client } from "./Client.ts"

test("the oldest calls that are over are forgotten beyond the retention, with their events and deliveries", async () => {
  const client = await Client.start({ retention: 10, limits: "off" })
  await client.post("/v2/webhooks", { callback_url: "https://all.inbox.test/" })
  const ids: Array<string> = []
  for (let nth = 0; nth < 40; nth++) {
    ids.push((await client.dial(`+9990001000000${String(nth).padStart(2, "0")}`)).body.execution_id)
    await client.idle()
  }
  const { body } = await client.get("/v2/calls?page_size=100")
  expect(body.data.map(({ execution_id }) => execution_id)).toEqual(ids.slice(30).reverse())
  expect((await client.get(`/v2/calls/${ids[0]}`)).status).toBe(404)
  expect((await client.get(`/v2/calls/${ids[35]}?include_transcript=true`)).body.status).toBe("completed")
  expect((await client.get("/v2/webhooks/deliveries?page_size=100")).body.data).toHaveLength(10)
  expect((await client.get("/_sim/inbox/all")).body.data).toHaveLength(10)
  expect((await client.get("/_sim/stats")).body["calls_by_status"]).toEqual({ completed: 40 })
  expect((await client.legs()).data).toHaveLength(10)
  expect(await client.violations()).toEqual([])
})

test("the oldest audit records are forgotten as well, and what is kept verifies from the head of what is not", async () => {
  const client = await Client.start({ retention: 8, limits: "off" })
  const verified = async () => (await client.get("/v2/audit-logs/verify?expected_count=5")).body
  for (let nth = 0; nth < 5; nth++) await client.dial(`+99901000000000${nth}`)
  expect(await verified()).toMatchObject({ valid: true, checked: 5 })
  for (let nth = 5; nth < 40; nth++) await client.dial(`+9990100000000${nth + 10}`)
  const { body: found } = await client.get("/v2/audit-logs/verify")
  expect(found).toMatchObject({ valid: true, checked: 40, reason: null })
  const again = await client.get(
    `/v2/audit-logs/verify?expected_count=${found["checked"]}&expected_head=${found["head_hash"]}`,
  )
  expect(again.body).toEqual(found)
  expect(await verified()).toEqual(found)
  expect((await client.get("/v2/audit-logs/verify?expected_count=40")).body).toMatchObject({ valid: true })
  expect((await client.get("/v2/audit-logs/verify?expected_count=41")).body).toMatchObject({ reason: "tail_missing" })
  expect(await client.violations()).toEqual([])
})

test("a call that is not over is never forgotten", async () => {
  const client = await Client.start({ retention: 1, limits: "off" })
  const { body } = await client.dial("+999500900000001")
  for (let nth = 0; nth < 5; nth++) await client.dial(`+99901000000000${nth}`)
  await client.advance({ by_ms: 120_000 })
  expect((await client.call(body.execution_id)).status).toBe("in-progress")
})
