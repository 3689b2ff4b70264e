import { afterAll, expect, it } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { Simulator } from "../../src/Simulator.ts"

const server = await startPostgres()
const batches = 20

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  afterAll(() => server.stop())

  it("all batches of a campaign that are stopped at once are stopped, and it completes", async () => {
    const simulator = await Simulator.start({
      clock: "manual",
      storage: `postgres://${server.url().slice("postgres://".length)}`,
    })
    const { agent_id, key } = simulator.info
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const send = async (method: string, path: string, body?: object) => {
      const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
      const response = await simulator.fetch(new Request(`http://simulator.test/v2${path}`, init))
      const json: Readonly<Record<string, unknown>> = Object(await response.json())
      return { status: response.status, json }
    }
    const contacts = [{ to_number: "+999000100000001" }]
    const start_time = "2026-02-01T09:00:00Z"
    const { json } = await send("POST", "/campaigns", { name: "Twenty", agent_id, contacts, start_time })
    const path = `/campaigns/${String(json["campaign_id"])}`
    const ids = [json["batch_id"]]
    while (ids.length < batches) ids.push((await send("POST", `${path}/contacts`, { contacts })).json["batch_id"])
    const stopped = await Promise.all(ids.map((id) => send("POST", `/batches/${String(id)}/stop`)))
    expect(stopped.map(({ status }) => status)).toEqual(ids.map(() => 200))
    expect((await send("GET", path)).json["status"]).toBe("completed")
    await simulator.close()
  })
}
