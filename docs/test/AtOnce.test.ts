import { promiseCarrier } from "@carillon/core"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { webHandler } from "@carillon/http/web"
import { Postgres } from "@carillon/postgres"
import { Layer, Redacted } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { startPostgres } from "../../scripts/servers/PostgresServer.ts"

const server = await startPostgres()
const batches = 20
const edits = 40

if (typeof server === "string")
  it(`cannot be run: requests that meet at one row or guard (${server})`, ({ skip }) => skip())
describe.skipIf(typeof server === "string")("requests that meet at one row or guard", async () => {
  if (typeof server === "string") return
  const carrier = promiseCarrier({
    dial: async () => ({ _tag: "Accepted", call_sid: null }),
    hangup: async () => "Sent",
    find: async () => ({ _tag: "NoAnswer" }),
  })
  const rows = () => Postgres.layer({ url: Redacted.make(server.url()) })
  const start = () =>
    Carillon.make({
      ports: Layer.mergeAll(rows(), MemorySlots.layer(), MemoryRates.layer(), carrier, nodeWebhookTransport()),
    })
  const [one, other] = [await start(), await start()]
  afterAll(async () => {
    await Promise.all([one.close(), other.close()])
    await server.stop()
  })
  const { key } = await one.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const [first, second] = [webHandler(one.handle), webHandler(other.handle)]

  const send = async (web: typeof first, method: string, path: string, body?: object) => {
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = await web(new Request(`http://host.test/v2${path}`, init))
    const json: Readonly<Record<string, unknown>> = Object(await response.json())
    return { status: response.status, json }
  }

  it.each([
    ["one engine", [first, first]],
    ["two engines", [first, second]],
  ] as const)("stop all batches of a campaign, which completes: %s", async (_name, engines) => {
    const { agent_id } = (await send(first, "POST", "/agents", { display_name: "Ada", status: "ACTIVE" })).json
    const start_time = new Date(Date.now() + 86_400_000).toISOString()
    const contacts = [{ to_number: "+14155550100" }]
    const { json } = await send(first, "POST", "/campaigns", { name: "Twenty", agent_id, contacts, start_time })
    const path = `/campaigns/${String(json["campaign_id"])}`
    const ids = [json["batch_id"]]
    while (ids.length < batches)
      ids.push((await send(first, "POST", `${path}/contacts`, { contacts })).json["batch_id"])
    const stopped = await Promise.all(
      ids.map((id, nth) => send(engines[nth % 2 === 0 ? 0 : 1], "POST", `/batches/${String(id)}/stop`)),
    )
    expect(stopped.map(({ status }) => status)).toEqual(ids.map(() => 200))
    expect((await send(first, "GET", path)).json["status"]).toBe("completed")
  })

  it("give one agent as many subscriptions, and move one campaign as often as they ask", async () => {
    const { agent_id } = (await send(first, "POST", "/agents", { display_name: "Bo", status: "ACTIVE" })).json
    const all = <A>(ask: (nth: number) => Promise<A>) => Promise.all(Array.from({ length: 30 }, (_, nth) => ask(nth)))
    const hooks = await all((nth) =>
      send(first, "POST", "/webhooks", { agent_id, callback_url: `https://example.com/${nth}` }),
    )
    expect(hooks.map(({ status }) => status)).toEqual(hooks.map(() => 201))
    const start_time = new Date(Date.now() + 86_400_000).toISOString()
    const contacts = [{ to_number: "+14155550100" }]
    const { json } = await send(first, "POST", "/campaigns", { name: "To and fro", agent_id, contacts, start_time })
    const moved = await all((nth) =>
      send(first, "POST", `/campaigns/${String(json["campaign_id"])}/${nth % 2 === 0 ? "pause" : "resume"}`),
    )
    expect(moved.map(({ status }) => status)).toEqual(moved.map(() => 200))
  })

  it("cost a commit and a little more for each, however many of them there are", async () => {
    const { agent_id } = (await send(first, "POST", "/agents", { display_name: "Cy", status: "ACTIVE" })).json
    const { json } = await send(first, "POST", "/campaigns", { name: "Edited", agent_id })
    const commits = async () =>
      [...(await one.metrics()).matchAll(/^carillon_commits_total\{.*\} (\d+)$/gm)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      )
    const before = await commits()
    const edited = await Promise.all(
      Array.from({ length: edits }, (_, nth) =>
        send(first, "PATCH", `/campaigns/${String(json["campaign_id"])}`, { name: `Edit ${nth}` }),
      ),
    )
    expect(edited.map(({ status }) => status)).toEqual(edited.map(() => 200))
    const spent = (await commits()) - before
    expect(spent).toBeGreaterThanOrEqual(edits)
    // Each of them with every other it would be 820.
    expect(spent).toBeLessThanOrEqual(3 * edits)
  })
})
