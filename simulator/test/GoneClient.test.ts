import { expect, test } from "vitest"
import { Client } from "./Client.ts"

test("a client that goes away while its dial waits for a line is not dialled for", async () => {
  const client = await Client.start()
  const { agent_id, key, organization_id } = client.simulator.info
  await client.patch(`/_sim/organizations/${organization_id}`, { concurrency: { organization: 1 } })
  await client.dial("+12125550100")
  const leaving = new AbortController()
  const asked = client.simulator.fetch(
    new Request("http://simulator/v2/calls", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ agent_id, to_number: "+12125550101" }),
      signal: leaving.signal,
    }),
  )
  await client.advance({ by_ms: 1_000 })
  leaving.abort()
  expect((await asked).status).toBe(429)
  await client.patch(`/_sim/organizations/${organization_id}`, { concurrency: { organization: 20 } })
  await client.idle()
  expect((await client.legs()).data.map(({ to_number }) => to_number)).toEqual(["+12125550100"])
  expect(await client.violations()).toEqual([])

  const { body } = await client.post("/_sim/snapshot")
  await client.post("/_sim/restore", { snapshot_id: body["snapshot_id"] })
  expect((await client.legs()).data.map(({ to_number }) => to_number)).toEqual(["+12125550100"])
})
