import { generateKeyPairSync, sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text as bodyOf } from "node:stream/consumers"
import { afterAll, assert, describe, it } from "vitest"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const sid = "v3:the-call"
const leg = "00000000-0000-0000-0000-000000000001"
let asked: Record<string, unknown> = {}
const commands: Array<string> = []

/** As much of Telnyx as a first call needs. */
const vendor = createServer((request, response) => {
  void bodyOf(request).then((body) => {
    if (request.url === "/v2/calls") asked = JSON.parse(body)
    else commands.push(request.url ?? "")
    const call = { call_control_id: sid, call_leg_id: leg, call_session_id: leg, is_alive: false, record_type: "call" }
    response.writeHead(200).end(JSON.stringify({ data: call }))
  })
})
await new Promise<void>((resolve) => void vendor.listen(0, "127.0.0.1", resolve))

const environment = {
  PORT: "0",
  TELNYX_API_KEY: "KEY-of-the-guide",
  TELNYX_PUBLIC_KEY: publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64"),
  TELNYX_CONNECTION_ID: "1234567890",
  TELNYX_NUMBER: "+12125550199",
  AUDIO_URL: "https://media.example.com/hello.mp3",
  PUBLIC_URL: "https://voice.example.com",
  TELNYX_BASE_URL: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`,
}
const before = Object.fromEntries(Object.keys(environment).map((name) => [name, process.env[name]]))
Object.assign(process.env, environment)
const { carillon, server, tenant } = await import("../examples/telnyx.ts")
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

afterAll(async () => {
  for (const one of [server, vendor]) one.close().closeAllConnections()
  await carillon.close()
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
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

/** A webhook as Telnyx signs it, through a tunnel that changes its host. */
const tell = async (event_type: string, at: number, more: Record<string, string> = {}) => {
  const { client_state, webhook_url } = asked
  const payload = { call_control_id: sid, call_leg_id: leg, client_state, ...more }
  const body = JSON.stringify({ data: { event_type, occurred_at: new Date(at).toISOString(), payload } })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString("base64")
  const headers = { "telnyx-timestamp": timestamp, "telnyx-signature-ed25519": signature }
  const { pathname } = new URL(String(webhook_url))
  return (await fetch(`${base}${pathname}`, { method: "POST", headers, body })).status
}

describe("the guide to Telnyx", () => {
  it("shows the file that is run here", () => {
    assert.include(text("guides/telnyx.md"), text("examples/telnyx.ts"))
  })

  it("places a call that is answered, hears a file and ends", async () => {
    const agent = await send("POST", "/v2/agents", { display_name: "Reminder", status: "ACTIVE" })
    const placed = await send("POST", "/v2/calls", { agent_id: agent.read("agent_id"), to_number: "+12125550100" })
    assert.strictEqual(placed.status, 201)
    assert.strictEqual(asked["audio_url"], "https://media.example.com/hello.mp3")
    const path = `/v2/calls/${placed.read("execution_id")}`
    const start = Date.now()
    assert.strictEqual(await tell("call.initiated", start), 200)
    assert.strictEqual((await send("GET", path)).read("status"), "initiated")
    assert.strictEqual(await tell("call.answered", start), 200)
    assert.strictEqual((await send("GET", path)).read("status"), "in-progress")
    assert.strictEqual(await tell("call.playback.ended", start + 4_000), 200)
    assert.deepStrictEqual(commands, [`/v2/calls/${encodeURIComponent(sid)}/actions/hangup`])
    const ended = { hangup_cause: "normal_clearing", hangup_source: "caller", sip_hangup_cause: "200" }
    assert.strictEqual(await tell("call.hangup", start + 4_000, ended), 200)
    const read = await send("GET", path)
    assert.deepStrictEqual([read.read("status"), read.read("duration_seconds")], ["completed", "4"])
  })
})
