import { expect, it, onTestFinished } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"
import { Client } from "../Client.ts"

it("counters beside the rows begin anew with each world, and hold its ceilings", async () => {
  const { directory, remove } = await newPglite()
  onTestFinished(remove)
  const place = `pglite:${directory}` as const
  const client = await Client.start({ storage: place, counters: place })
  expect((await client.get("/_sim")).body).toMatchObject({ counters: place })
  const fill = async () => {
    const made = await client.post("/_sim/organizations", { concurrency: { organization: 2 } })
    client.key = made.body.keys[0]!.key
    const agent_id = (await client.post("/v2/agents", { display_name: "Own", status: "ACTIVE" })).body["agent_id"]
    const statuses: Array<number> = []
    for (let nth = 0; nth < 3; nth++) {
      statuses.push((await client.dialThrough(`+9995001${String(nth).padStart(8, "0")}`, { agent_id })).status)
    }
    expect(statuses).toEqual([201, 201, 429])
    expect((await client.get("/v2/user/me")).body["concurrency"]).toMatchObject({ current: 2 })
  }
  await fill()
  client.key = client.simulator.info.key
  expect((await client.post("/_sim/reset", {})).status).toBe(204)
  client.key = client.simulator.info.key
  expect((await client.get("/_sim/stats")).body["slots"]).toMatchObject({ platform: 0 })
  await fill()
  await client.idle()
  expect(await client.violations()).toEqual([])
  await client.simulator.close()
})
