import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text as bodyOf } from "node:stream/consumers"
import { facts, transcripts } from "../examples/twilio-facts.ts"
import { afterAll, assert, describe, it } from "vitest"

const token = "the-token"
const sid = `CA${"1".repeat(32)}`
let asked = new URLSearchParams()

/** As much of Twilio as a first call needs. */
const vendor = createServer((request, response) => {
  void bodyOf(request).then((body) => {
    if (request.method === "POST") asked = new URLSearchParams(body)
    const call = { sid, status: "completed", duration: "4", price: "-0.014", price_unit: "USD" }
    response.writeHead(request.method === "POST" ? 201 : 200).end(JSON.stringify(call))
  })
})
await new Promise<void>((resolve) => void vendor.listen(0, "127.0.0.1", resolve))

const settings = {
  PORT: "0",
  TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`,
  TWILIO_AUTH_TOKEN: token,
  TWILIO_NUMBER: "+15005550006",
  PUBLIC_URL: "https://voice.example.com",
  TWILIO_BASE_URL: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`,
}
Object.assign(process.env, settings)
const { carillon, server, tenant } = await import("../examples/twilio.ts")
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

/** A callback as Twilio signs it, through a tunnel that changes its host. */
const call = async (CallStatus: string, more: Record<string, string> = {}) => {
  const parameters = new URLSearchParams({ ...more, CallSid: sid, CallStatus })
  const [url = ""] = (asked.get("StatusCallback") ?? "").split("#")
  const names = [...parameters.keys()].sort()
  const signed = url + names.map((name) => name + parameters.get(name)).join("")
  const signature = createHmac("sha1", token).update(signed).digest("base64")
  const headers = { "x-twilio-signature": signature }
  const { pathname, search } = new URL(url)
  return (await fetch(`${base}${pathname}${search}`, { method: "POST", headers, body: parameters })).status
}

describe("the guide to Twilio", () => {
  it("shows the files that are run here", () => {
    for (const file of ["examples/twilio.ts", "examples/twilio-facts.ts"])
      assert.include(text("guides/twilio.md"), text(file))
  })

  it("has facts whose cost is the sum of its parts", async () => {
    transcripts.set("exec_1", "Hello.")
    const leg = { execution_id: "exec_1", call_sid: sid, status: "completed", duration_seconds: 60 } as const
    const { cost, media } = await facts({ ...leg, price: { amount: 0.01, currency: "USD" } })
    assert.strictEqual(media?.transcript, "Hello.")
    assert(cost !== null)
    assert.strictEqual(
      cost.total,
      Object.values(cost.breakdown).reduce((sum, part) => sum + part, 0),
    )
  })

  it("places a call that rings, is answered and ends", async () => {
    const agent = await send("POST", "/v2/agents", { display_name: "Reminder", status: "ACTIVE" })
    const placed = await send("POST", "/v2/calls", { agent_id: agent.read("agent_id"), to_number: "+12125550100" })
    assert.strictEqual(placed.status, 201)
    assert.include(asked.get("Twiml"), "<Say>Hello. This is Reminder. Goodbye.</Say>")
    const path = `/v2/calls/${placed.read("execution_id")}`
    for (const [status, ours] of [
      ["initiated", "initiated"],
      ["ringing", "ringing"],
      ["in-progress", "in-progress"],
    ] as const) {
      assert.strictEqual(await call(status), 200)
      assert.strictEqual((await send("GET", path)).read("status"), ours)
    }
    assert.strictEqual(await call("completed", { CallDuration: "4" }), 200)
    const read = await send("GET", path)
    assert.deepStrictEqual([read.read("status"), read.read("duration_seconds")], ["completed", "4"])
  })
})
