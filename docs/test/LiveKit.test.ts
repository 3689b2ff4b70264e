import { readFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text as bodyOf } from "node:stream/consumers"
import { makeReporter, readJob } from "@carillon/livekit/worker"
import { afterAll, assert, describe, it } from "vitest"

const secret = "the-secret-of-a-project-that-is-long-enough"
const asked = { metadata: "", room: "" }
const leg: { waiting: ServerResponse | null } = { waiting: null }

/** As much of LiveKit as a first call needs. */
const answers: Readonly<Record<string, (body: Record<string, string>, response: ServerResponse) => object | null>> = {
  CreateRoom: ({ name = "" }) => ({ name }),
  CreateDispatch: ({ metadata = "" }) => {
    asked.metadata = metadata
    return {}
  },
  CreateSIPParticipant: ({ roomName = "" }, response) => {
    asked.room = roomName
    leg.waiting = response
    return null
  },
  ListParticipants: () => ({
    participants: leg.waiting === null ? [] : [{ identity: idOf(), attributes: { "sip.callStatus": "ringing" } }],
  }),
}
const idOf = () => asked.room.replace("call-", "")

const vendor = createServer((request, response) => {
  void bodyOf(request).then((body) => {
    const method = request.url?.split("/").at(-1) ?? ""
    const answer = answers[method]?.(JSON.parse(body), response)
    if (answer !== null)
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer ?? {}))
  })
})
await new Promise<void>((resolve) => void vendor.listen(0, "127.0.0.1", resolve))

const settings = {
  PORT: "0",
  LIVEKIT_URL: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`,
  LIVEKIT_API_KEY: "APIkey",
  LIVEKIT_API_SECRET: secret,
  LIVEKIT_TRUNK_ID: "ST_1",
  PUBLIC_URL: "https://voice.example.com",
}
Object.assign(process.env, settings)
const { carillon, server, tenant } = await import("../examples/livekit.ts")
for (const name of Object.keys(settings)) Reflect.deleteProperty(process.env, name)
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

afterAll(async () => {
  for (const one of [server, vendor]) one.close().closeAllConnections()
  await carillon.close()
})

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

const send = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer: unknown = await response.json()
  return { status: response.status, read: (field: string) => String(Reflect.get(Object(answer), field)) }
}

const through: typeof fetch = (input, init) => fetch(String(input).replace("https://voice.example.com", base), init)

describe("the guide to LiveKit", () => {
  it("shows the file that is run here", () => {
    assert.include(text("guides/livekit.md"), text("examples/livekit.ts"))
  })

  it("places a call that rings, is answered and ends, with its transcript", async () => {
    const agent = await send("POST", "/v2/agents", { display_name: "Reminder", status: "ACTIVE" })
    const placed = await send("POST", "/v2/calls", { agent_id: agent.read("agent_id"), to_number: "+12125550100" })
    assert.strictEqual(placed.status, 201)
    const id = placed.read("execution_id")
    const path = `/v2/calls/${id}`
    while (leg.waiting === null) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.strictEqual(idOf(), id)
    const job = readJob(asked.metadata)
    assert(job !== null)
    const reporter = makeReporter(job, { apiKey: "APIkey", apiSecret: secret, fetch: through })
    await reporter.ringing()
    assert.strictEqual((await send("GET", path)).read("status"), "ringing")
    const sip = { participantIdentity: id, roomName: asked.room, sipCallId: "SCL_1" }
    leg.waiting.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(sip))
    while ((await send("GET", path)).read("status") !== "in-progress") {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const times = { answered_at: 0, ended_at: 4_000, machine: false, cost: null }
    await reporter.finished({ ...times, hangup_by: "customer", transcript: "Hello." })
    const read = await send("GET", path)
    assert.deepStrictEqual([read.read("status"), read.read("duration_seconds")], ["completed", "4"])
    const said = await fetch(`${base}${path}/transcript`, { headers: { authorization: `Bearer ${tenant.key}` } })
    assert.include(await said.text(), "Hello.")
  })
})
